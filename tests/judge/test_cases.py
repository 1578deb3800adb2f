"""Whole traces, from spans to verdicts, against their labels: public bug reports and the project's own."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from analytics.calls import Call
from analytics.judge import SessionCall, apply_update, judge, judge_session
from analytics.settings import JudgeSettings
from analytics.spans import Event, Span, Trace

DATA = Path(__file__).parent / "data"
KINDS = {"INTERNAL": 1, "SERVER": 2, "CLIENT": 3, "PRODUCER": 4, "CONSUMER": 5}
STATUS = {"UNSET": 0, "OK": 1, "ERROR": 2}
FREE = {"refused", "contract_field"}
T0 = 1_790_000_000_000_000_000
SETTINGS = JudgeSettings()


def load(name: str) -> list[dict[str, Any]]:
    """The cases of one file."""
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


CASES = [
    pytest.param(case, id=f"{name}-{case['id']}") for name in ("reports.jsonl", "own.jsonl") for case in load(name)
]


def span_of(case: dict[str, Any], index: int) -> Span:
    """One span of a case as the store would hand it over."""
    raw = case["spans"][index]
    end = T0 + int(raw["end_ms"] * 1e6)
    return Span(
        trace_id=f"{case['id']:0>32}",
        span_id=f"{index:016x}",
        parent_span_id="" if raw.get("parent") is None else f"{raw['parent']:016x}",
        name=raw["name"],
        kind=KINDS[raw.get("kind", "INTERNAL")],
        start_ns=T0 + int(raw["start_ms"] * 1e6),
        end_ns=end,
        status_code=STATUS[raw.get("status", "UNSET")],
        status_message=raw.get("status_message", ""),
        attributes=dict(raw.get("attributes", {})),
        events=[Event(event["name"], end, dict(event.get("attributes", {}))) for event in raw.get("events", [])],
        resource={"service.name": "case"},
        scope_name="cases",
    )


def judged(case: dict[str, Any], shuffle: random.Random | None = None) -> dict[str, Call]:
    """The verdicts on a case by span id, the session's pass included."""
    spans = [span_of(case, index) for index in range(len(case["spans"]))]
    if shuffle is not None:
        shuffle.shuffle(spans)
    calls = judge(Trace("default", spans[0].trace_id, spans), SETTINGS)
    by_id = {call.id: call for call in calls}
    for update in judge_session([SessionCall.of(call) for call in calls], SETTINGS):
        apply_update(by_id[update.id], update)
    return {call.span_id: call for call in calls if not call.inferred}


def faults(label: dict[str, Any], call: Call | None) -> list[str]:
    """What is wrong with one verdict, by its label."""
    if call is None:
        return ["not found"]
    accept = {label["outcome"], *label.get("accept", [])}
    if call.outcome not in accept:
        return [f"{call.outcome}, not {sorted(accept)}"]
    found = []
    codes = {label.get("inferred_code"), *label.get("accept_codes", [])}
    if label.get("inferred_code") and call.code not in codes:
        found.append(f"code {call.code}, not {codes}")
    flags, may = set(call.flags), set(label.get("flags_optional", [])) | FREE
    if set(label["flags"]) - flags or flags - set(label["flags"]) - may:
        found.append(f"flags {sorted(flags)}, not {label['flags']}")
    return found


@pytest.mark.parametrize("case", CASES)
def test_case(case: dict[str, Any]) -> None:
    """Each labelled call is found and judged as labelled, and nothing else is taken for a call."""
    calls = judged(case)
    found = {label["span"]: faults(label, calls.pop(f"{label['span']:016x}", None)) for label in case["tool_calls"]}

    for index in case.get("inner", []):
        calls.pop(f"{index:016x}", None)
    assert calls == {}
    assert any(found.values()) if case.get("known_miss") else not any(found.values()), found


@pytest.mark.parametrize("case", CASES)
def test_order_does_not_matter(case: dict[str, Any]) -> None:
    """Any order of a trace's spans gives the same rows."""
    expected = judged(case)

    assert judged(case, random.Random(case["id"])) == expected
