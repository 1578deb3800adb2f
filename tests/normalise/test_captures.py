"""Captured runs of real frameworks: every driven call found once, under its name, in its session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analytics.normalise import LogicalCall, normalise
from analytics.settings import JudgeSettings
from telltale.vocabulary import Payload
from tests.normalise.otlp_json import load

CAPTURES = sorted(path.parent for path in (Path(__file__).parent / "data").glob("*/calls.json"))


def calls_of(capture: Path) -> list[LogicalCall]:
    """All calls of a capture."""
    return [call for trace in load(capture) for call in normalise(trace, JudgeSettings())]


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.name)
def test_every_call_is_found_once(capture: Path) -> None:
    """One row for each driven call that has a span, named and placed right, and no other row with a span."""
    found = [call for call in calls_of(capture) if not call.inferred]
    by_span = {member.span_id: call for call in found for member in call.members}
    claimed = set()
    for driven in json.loads((capture / "calls.json").read_text()):
        if not driven["spans"]:
            continue
        mine = {id(by_span[span_id]): by_span[span_id] for span_id in driven["spans"] if span_id in by_span}
        assert len(mine) == 1, driven
        call = next(iter(mine.values()))
        claimed.add(call.id)
        assert call.tool == driven["tool"]
        if driven["session"]:
            assert call.session_id == driven["session"]
    assert {call.id for call in found} == claimed


@pytest.mark.parametrize(
    ("name", "tools"),
    [
        ("langchain-openinference-handled", ["teleport"]),
        ("openai-agents-logfire", ["teleport"]),
        ("pydantic-ai-modelretry", ["teleport"]),
        ("vercel-ai-sdk-default", ["teleport", "book_meeting"]),
        ("smolagents-openinference", ["teleport", "book_meeting"]),
    ],
)
def test_calls_without_a_span_are_inferred(name: str, tools: list[str]) -> None:
    """An unknown tool or refused arguments show in the model's messages, and no call with a span shows twice."""
    inferred = [call.tool for call in calls_of(Path(__file__).parent / "data" / name) if call.inferred]

    assert inferred == tools


def test_content_that_travels_in_log_events() -> None:
    """ADK's events-only capture: results, arguments and the user come from log records."""
    calls = calls_of(Path(__file__).parent / "data" / "adk-native-content-true")
    third = next(call for call in calls if call.call_id == "call_0003")

    assert third.result == {"error": "503 Service Unavailable", "code": 503}
    assert third.arguments == {"title": "Planning", "date": "2026-03-10"}
    assert third.user == "user-1"
    assert third.payload is Payload.CAPTURED


def test_elided_content_is_not_an_empty_result() -> None:
    """ADK schema 1 with content off writes `{}`: that is not captured, and the switch is named."""
    calls = calls_of(Path(__file__).parent / "data" / "adk-native-schema-v1-nocontent")

    assert {call.payload for call in calls} == {Payload.ABSENT}
    assert all("ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS" in " ".join(call.lost) for call in calls)


def test_an_empty_list_that_the_instrumentation_left_out() -> None:
    """The MCP instrumentation of OpenLLMetry writes no output for `[]`; the response on the wire shows it."""
    calls = calls_of(Path(__file__).parent / "data" / "mcp-sdk1-traceloop")
    empty = [call for call in calls if call.tool == "list_meetings"]

    assert [call.result for call in empty] == [[]] * 5
    assert {call.sources["result"] for call in empty} == {"mcp.response.value"}


def test_scrubbed_values_are_not_results() -> None:
    """What Logfire's scrubbing replaced is not captured."""
    calls = calls_of(Path(__file__).parent / "data" / "openai-agents-logfire")
    profile = next(call for call in calls if call.tool == "get_profile")

    assert any(line.startswith("scrubbed: ") for line in profile.lost)
