"""What a call's spans did not tell, and the framework's own switch that would make them tell it."""

from __future__ import annotations

from typing import Any

from analytics.normalise.logical_call import LogicalCall, Meaning
from analytics.normalise.reading import TOLD, ToolSpan
from analytics.normalise.values import MISSING
from telltale.payload.wrappers import MAX_READ
from telltale.vocabulary import Payload

SCRUBBED = "[Scrubbed due to "
"""How Logfire's scrubbing begins what it leaves of a value."""

_LIMIT = "raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: attributes were dropped"
_LENGTH = "raise or unset OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT"
_CAP = "the receiver's cap on attribute length cut it"
_READ = f"the judge reads {MAX_READ // 1024} KiB of it"


def note_losses(call: LogicalCall, members: list[ToolSpan]) -> None:
    """Fill `call.lost` with `what: switch` lines; `what` alone where no switch is known."""
    if call.payload is Payload.ABSENT and not _raised(call):
        _lose(call, members, "result")
    if call.payload is Payload.TRUNCATED:
        call.lost.append(f"result cut: {_cut_by(call, members)}")
    if call.arguments_text is None:
        _lose(call, members, "arguments")
    if call.session_id is None:
        _lose(call, members, "session")
    dropped = 0
    scrubbed = is_scrubbed(call.result)
    for member in members:
        dropped += member.span.dropped_attributes
        scrubbed = scrubbed or "logfire.scrubbed" in member.span.attributes
    if scrubbed:
        _lose(call, members, "scrubbed")
    if call.marks and any(mark.meaning is Meaning.FAILED for mark in call.marks) and not _error_text(call):
        _lose(call, members, "error text")
    if dropped:
        call.lost.append(f"attributes: {_LIMIT}")


def _cut_by(call: LogicalCall, members: list[ToolSpan]) -> str:
    cut = [member for member in members if "result" in member.cut]
    told = next((member for member in cut if member.sources["result"].startswith(TOLD)), None)
    if told is not None:  # by the framework itself: the receiver saw all that there was
        return told.plan.switch("result") or _LENGTH
    if cut:
        return _CAP
    return _READ if len(call.result_text or "") > MAX_READ else _LENGTH


def is_scrubbed(value: Any) -> bool:
    """Whether a whole value was replaced by Logfire's scrubbing."""
    return isinstance(value, str) and value.startswith(SCRUBBED)


def forget_elided(members: list[ToolSpan]) -> None:
    """Take ADK's placeholders for elided content (`{}` for arguments and response both) for what they are: nothing."""
    for member in members:
        both = member.arguments == "{}" and member.result == "{}"
        if both and member.sources.get("result") == "gcp.vertex.agent.tool_response":
            member.arguments = member.result = MISSING
            del member.sources["arguments"], member.sources["result"]


def _lose(call: LogicalCall, members: list[ToolSpan], what: str) -> None:
    for member in members:
        switch = member.plan.switch(what)
        if switch:
            call.lost.append(f"{what}: {switch}")
            return
    call.lost.append(what)


def _raised(call: LogicalCall) -> bool:
    """Whether the call ended with an exception: then no result was there to be recorded."""
    return any(mark.name == "event.exception" for mark in call.marks)


def _error_text(call: LogicalCall) -> bool:
    if call.payload is not Payload.ABSENT or call.told:
        return True
    for mark in call.marks:
        if mark.name == "event.exception" and isinstance(mark.value, dict) and mark.value.get("message"):
            return True
        if mark.name == "span.status" and mark.value:
            return True
    return False
