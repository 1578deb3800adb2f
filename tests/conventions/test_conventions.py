"""Every convention against its own test data: one JSON file a framework, spans in, calls out.

A file holds `spans`, maybe `logs`, and `expect`: for each call the facts that must hold, in order of start, those
without a span of their own last. To add a framework, add its file; README.md says what the keys mean.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from analytics.conventions import ALL
from analytics.conventions.vocabulary import kind_of
from analytics.normalise import LogicalCall, normalise
from analytics.settings import JudgeSettings
from analytics.spans import Event, LogRecord, Span, Trace
from tests.normalise.otlp_json import load

FILES = sorted((Path(__file__).parent / "data").glob("*.json"))
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
JUDGE = JudgeSettings()
START_NS = 1_790_000_000_000_000_000


def at(ms: float) -> int:
    """A time of the test, in nanoseconds."""
    return START_NS + int(ms * 1_000_000)


def span_of(raw: dict[str, Any], number: int, count: int, ids: dict[str, str]) -> Span:
    """One span of a file; without `ms`, spans start one after another and all end together, parents last."""
    begin, end = raw.get("ms", [number * 10, number * 10 + 5 if raw.get("leaf", True) else count * 10])
    return Span(
        trace_id=TRACE_ID,
        span_id=ids[raw.get("id", f"#{number}")],
        parent_span_id=ids.get(raw["parent"], "dead" * 4) if raw.get("parent") else "",
        name=raw["name"],
        kind=raw.get("kind", 1),
        start_ns=at(begin),
        end_ns=at(end),
        status_code=raw.get("status", 0),
        status_message=raw.get("message", ""),
        attributes=raw.get("attributes", {}),
        events=[Event(e["name"], at(end), e.get("attributes", {})) for e in raw.get("events", [])],
        resource={"service.name": raw.get("service", "meeting-bot")},
        scope_name=raw.get("scope", ""),
        dropped_attributes=raw.get("dropped", 0),
    )


def trace_of(data: dict[str, Any]) -> Trace:
    """The trace that a file describes."""
    raws = data["spans"]
    ids = {raw.get("id", f"#{n}"): f"{n + 1:016x}" for n, raw in enumerate(raws)}
    parents = {raw["parent"] for raw in raws if raw.get("parent")}
    spans = [span_of({**raw, "leaf": raw.get("id") not in parents}, n, len(raws), ids) for n, raw in enumerate(raws)]
    logs = [
        LogRecord(
            TRACE_ID,
            ids[log["span"]],
            log["event"],
            at(log["ms"]),
            9,
            log.get("body"),
            log.get("attributes", {}),
            scope_name=log.get("scope", ""),
        )
        for log in data.get("logs", [])
    ]
    return Trace("default", TRACE_ID, spans, logs)


FACTS = {
    "members": lambda call: len(call.members),
    "marks": lambda call: [[mark.name, mark.meaning.value] for mark in call.marks],
    "upstream": lambda call: [span.name for span in call.upstream],
    "payload": lambda call: call.payload.value,
    "session": lambda call: call.session_id,
    "lost": lambda call: [line.partition(":")[0] for line in call.lost],
}


def fact(call: LogicalCall, name: str) -> Any:
    """A call's fact under the name that the files use."""
    return FACTS[name](call) if name in FACTS else getattr(call, name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_convention(path: Path) -> None:
    """The calls that the file expects, no other, with every fact that it names."""
    data = json.loads(path.read_text())
    calls = sorted(normalise(trace_of(data), JUDGE), key=lambda call: call.inferred)

    assert [call.tool for call in calls] == [expected["tool"] for expected in data["expect"]]
    for call, expected in zip(calls, data["expect"], strict=True):
        if "sources" in expected:
            assert expected["sources"].items() <= call.sources.items()
        found = {name: fact(call, name) for name in expected if name != "sources"}
        assert found == {name: value for name, value in expected.items() if name != "sources"}
        assert call.inferred is expected.get("inferred", False)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_ids_are_unique(path: Path) -> None:
    """No two calls of a trace share an id."""
    calls = normalise(trace_of(json.loads(path.read_text())), JUDGE)

    assert len({call.id for call in calls}) == len(calls)


CAPTURES = Path(__file__).parent.parent / "normalise" / "data"


def test_every_convention_has_test_data() -> None:
    """A vocabulary that no recording speaks is a guess: each is seen in this folder's data or in a capture."""
    seen = {call.convention for path in FILES for call in normalise(trace_of(json.loads(path.read_text())), JUDGE)}
    for capture in CAPTURES.glob("*/trace.jsonl"):
        seen |= {call.convention for trace in load(capture.parent) for call in normalise(trace, JUDGE)}

    assert {convention.name for convention in ALL} <= seen


def test_switches_speak_of_what_can_be_lost() -> None:
    """The keys of every table of switches are words that a loss uses."""
    words = {"arguments", "result", "session", "user", "error text", "scrubbed", "upstream"}

    assert {what for convention in ALL for what in convention.switches} <= words


def test_what_a_span_is_follows_its_attributes_alone() -> None:
    """The answer that is kept for a combination of attributes is for no other: value, scope, name and presence."""

    def kind(scope: str, span_name: str = "x", **attributes: Any) -> str:
        names = {key.replace("__", "."): value for key, value in attributes.items()}
        return kind_of(Span("t", "s", "", span_name, 1, 0, 1, attributes=names, scope_name=scope))[0].name

    for _ in range(2):
        assert kind("", gen_ai__operation__name="execute_tool") == "TOOL"
        assert kind("", gen_ai__operation__name="CHAT") == "MODEL"
        assert kind("", gen_ai__operation__name="x" * 100) == "OTHER"
        assert kind("", gen_ai__operation__name=["execute_tool"]) == "OTHER"
        assert kind("", gen_ai__operation__name="x", gen_ai__tool__name="t") == "TOOL"
        assert kind("", gen_ai__operation__name="x", gen_ai__tool__name="") == "OTHER"
        assert kind("pydantic-ai", tool_arguments="{}") == "TOOL"
        assert kind("other", tool_arguments="{}") == "OTHER"
        assert kind("any", tool="t") == "OTHER"
        assert kind("any", "Toolkit.handle", tool="t") == "TOOL"
