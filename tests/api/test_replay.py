"""Replays of sessions of any length, depth and name."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics.api import replay as replays
from analytics.api.context import Context
from analytics.api.endpoints import answer
from analytics.jobs import JudgeJob
from analytics.settings import JudgeSettings
from analytics.spans import CLIENT, INTERNAL, UNSET, Span
from analytics.store import Batch
from collector.store import DuckDBStore

Replay = Callable[..., dict[str, Any]]
Judged = Callable[[list[Span]], Replay]
SESSION = "conv"
BEGIN = time.time_ns() - 10**12


def span(trace: int, number: int, parent: int = 0, **attributes: Any) -> Span:
    """A span, an outside call if its attributes say so."""
    start = BEGIN + trace * 10**9 + number * 1000
    return Span(
        project="default",
        trace_id=f"{trace:032x}",
        span_id=f"{trace * 10**6 + number:016x}",
        parent_span_id=f"{trace * 10**6 + parent:016x}" if parent else "",
        name="work",
        kind=CLIENT if "http.request.method" in attributes else INTERNAL,
        start_ns=start,
        end_ns=start + 500,
        status_code=UNSET,
        attributes=attributes,
    )


def call(trace: int, number: int, parent: int = 0, result: str = '{"error": "boom"}', session: str = SESSION) -> Span:
    """A tool call of a session."""
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "lookup",
        "gen_ai.tool.call.result": result,
        "gen_ai.conversation.id": session,
    }
    return span(trace, number, parent, **attributes)


@pytest.fixture
def judged(tmp_path: Path) -> Iterator[Judged]:
    """Stores and judges spans, and gives what replays a session of theirs."""
    store = DuckDBStore(tmp_path / "telltale.db")

    def judge(spans: list[Span]) -> Replay:
        for at in range(0, len(spans), 2000):
            store.append(Batch(spans=spans[at : at + 2000]))
        JudgeJob(store, pause_s=0).drain()
        context = Context(store, JudgeSettings())
        return lambda session=SESSION, **given: dict(answer(context, "replay", given, path={"id": session}))

    yield judge
    store.close()


def test_a_session_longer_than_one_answer(judged: Judged, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step shown has its call, the first failure is the session's, and every step can be asked for."""
    monkeypatch.setattr(replays, "MAX_STEPS", 100)
    fine = [call(trace, 1, result='{"left": 4}') for trace in range(1, 151)]
    replay = judged([*fine, *(call(trace, 1) for trace in range(151, 201))])

    made = replay()
    steps = made["steps"]
    assert made["total"] == 200
    assert made["first_failing_step"] == 150
    assert [step["n"] for step in steps] == list(range(steps[0]["n"], steps[0]["n"] + 100))
    outcomes = {step["n"]: step["call"]["outcome"] for step in steps}
    assert (outcomes[149], outcomes[150]) == ("ok", "unstructured_error")

    for around in ("7", steps[0]["span_id"], f"{20 * 10**6 + 1:016x}"):
        shown = replay(around=around)["steps"]
        assert around in {str(step["n"]) for step in shown} | {step["span_id"] for step in shown}
        assert len(shown) == 100
    assert replay(around="f" * 16)["steps"] == steps
    assert replay(around="999")["steps"][-1]["n"] == 199


def test_what_is_left_out_is_said(judged: Judged, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more traces or calls than a replay looks at, the oldest are left out, and counted."""
    replay = judged([call(trace, n) for trace in range(1, 11) for n in (1, 2)])

    def left_out() -> tuple[int, int, int]:
        made = replay()
        return made["total"], made["traces_left_out"], made["calls_left_out"]

    assert left_out() == (20, 0, 0)
    monkeypatch.setattr(replays, "MAX_TRACES", 4)
    assert left_out() == (8, 6, 12)
    monkeypatch.setattr(replays, "MAX_CALLS", 5)
    assert left_out()[2] == 15


@pytest.mark.parametrize("loop", [False, True], ids=["a chain", "a loop"])
def test_spans_nested_very_deep(judged: Judged, loop: bool) -> None:
    """Each span above is passed once: outside calls at any depth find the call that they belong to."""
    deep = 20_000
    http = {"http.request.method": "GET", "http.response.status_code": 200}
    chain = [span(1, n, n - 1, **http) for n in range(2, deep)]

    [step] = judged([call(1, 1, deep - 1 if loop else 0), *chain])()["steps"]
    assert len(step["upstream"]) == deep - 2


def test_a_session_id_of_any_characters(judged: Judged) -> None:
    """A line feed in an id is a character like others."""
    assert judged([call(1, 1, session="a\nb/c")])("a\nb/c")["total"] == 1
