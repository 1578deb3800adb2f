"""The recordings say what their README promises: findings call by call, incidents, size, nothing of the machine."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from analytics.alerts import AlertJob, AlertSettings, list_incidents
from analytics.jobs import JudgeJob
from analytics.settings import JudgeSettings
from collector.decode import Encoding, Signal, decode
from collector.store import DuckDBStore

SAMPLES = Path(__file__).parents[2] / "sample_traces"
NAMES = sorted(path.stem for path in SAMPLES.glob("*.jsonl"))
SECOND = 1_000_000_000
STEP = 10 * SECOND
START = 1_790_000_000 * SECOND


@cache
def _table(heading: str) -> list[dict[str, str]]:
    """The rows of the table under a heading of the README."""
    text = (SAMPLES / "README.md").read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")
    ]
    return [dict(zip(lines[0], cells, strict=True)) for cells in lines[2:]]


@cache
def _requests(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def _spans(request: dict[str, Any]) -> list[dict[str, Any]]:
    return [s for group in request["resourceSpans"] for scoped in group["scopeSpans"] for s in scoped["spans"]]


def _store(store: DuckDBStore, request: dict[str, Any], received_ns: int) -> None:
    body = json.dumps(request).encode()
    store.append(decode(body, Signal.TRACES, Encoding.JSON, received_ns=received_ns).batch)


@pytest.fixture
def store(tmp_path: Path) -> Any:
    """An empty store on a real file."""
    opened = DuckDBStore(tmp_path / "samples.duckdb")
    yield opened
    opened.close()


@pytest.mark.parametrize("name", NAMES)
def test_findings_are_those_of_the_readme(store: DuckDBStore, name: str) -> None:
    """Every call of every session is found once, with the outcome, code and flags that the README gives."""
    for request in _requests(name):
        _store(store, request, received_ns=START)

    JudgeJob(store).drain()

    found = Counter(
        (row["session_id"], row["tool"], row["outcome"], row["code"] or "", ", ".join(row["flags"]))
        for row in store.read("SELECT session_id, tool, outcome, code, flags FROM call").to_pylist()
    )
    promised = Counter[Any]()
    for row in _table("Expected findings"):
        if row["sample"] == name:
            promised[row["session"], row["tool"], row["outcome"], row["code"], row["flags"]] += int(row["calls"])
    assert found == promised


def test_every_sample_has_its_rows_and_the_other_way_round() -> None:
    """No recording without a story, no story without a recording."""
    assert {row["sample"] for row in _table("Expected findings")} == set(NAMES)
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    assert all(f"**{name}.jsonl**" in readme for name in NAMES)
    assert all((SAMPLES / "record" / f"{name}.py").is_file() for name in NAMES)


def test_incidents_are_those_of_the_readme(store: DuckDBStore) -> None:
    """Played in side by side as live traffic, the recordings raise the incidents that the README gives, no others."""
    judge = JudgeJob(store)
    alerts = AlertJob(store, AlertSettings(), [], JudgeSettings())
    due = sorted(
        ((end, request) for name in NAMES for end, request in _shifted(name)),
        key=lambda pair: pair[0],
    )

    now = START
    while due:
        now += STEP
        while due and due[0][0] <= now:
            end, request = due.pop(0)
            _store(store, request, received_ns=end)
        judge.drain()
        alerts.run_once(now)
    for _ in range(3):
        now += STEP
        alerts.run_once(now)

    promised = {(row["rule"], row["severity"], row["tool"]) for row in _table("Expected incidents")}
    told = {(i.rule, i.severity, i.tool) for i in list_incidents(store) if i.inhibited_by is None}
    assert told == promised


def _shifted(name: str) -> list[tuple[int, dict[str, Any]]]:
    """(end, request) for each trace of a recording, moved so that the recording begins at START."""
    first = min(int(span["startTimeUnixNano"]) for request in _requests(name) for span in _spans(request))
    moved = []
    for request in _requests(name):
        copy = json.loads(json.dumps(request))
        for span in _spans(copy):
            for key in ("startTimeUnixNano", "endTimeUnixNano"):
                span[key] = str(int(span[key]) - first + START)
        moved.append((max(int(span["endTimeUnixNano"]) for span in _spans(copy)), copy))
    return moved


@pytest.mark.parametrize("name", NAMES)
def test_sample_is_small_and_lasts_a_minute_or_more(name: str) -> None:
    """Below 200 kB, and between 40 seconds and three minutes long."""
    times = [
        int(span[key])
        for request in _requests(name)
        for span in _spans(request)
        for key in ("startTimeUnixNano", "endTimeUnixNano")
    ]

    assert (SAMPLES / f"{name}.jsonl").stat().st_size < 200_000
    assert 40 <= (max(times) - min(times)) / SECOND <= 180


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_the_recording_machine_is_left(name: str) -> None:
    """No home or temporary folders, no loopback addresses, no process or host attributes."""
    text = (SAMPLES / f"{name}.jsonl").read_text(encoding="utf-8")

    assert re.findall(r"127\.0\.0\.1|localhost|/home/|/root/|/tmp/|/usr/|site-packages", text) == []
    keys = {a["key"] for request in _requests(name) for group in request["resourceSpans"] for a in _keys(group)}
    assert not [key for key in keys if key.startswith(("host.", "process.", "os.", "code.", "thread."))]


def _keys(group: dict[str, Any]) -> list[dict[str, Any]]:
    spans = [span for scoped in group["scopeSpans"] for span in scoped["spans"]]
    holders = [group["resource"], *spans, *(event for span in spans for event in span.get("events", []))]
    return [attribute for holder in holders for attribute in holder.get("attributes", [])]
