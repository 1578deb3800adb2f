"""What spans and wrappers say of a call outside the tool's own value, as marks with their meaning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from analytics.conventions.convention import ANY, MarkRule, held
from analytics.conventions.vocabulary import Plan
from analytics.normalise.logical_call import Mark, Meaning
from analytics.spans import ERROR, Event, Span

CONTROL_FLOW = frozenset(
    {
        *("GraphInterrupt", "NodeInterrupt", "GraphBubbleUp", "GraphDelegate", "ParentCommand", "Command"),  # LangGraph
        *("CallDeferred", "ApprovalRequired", "SkipToolExecution", "SkipToolValidation"),  # Pydantic AI
        *("InterruptException", "Interrupt"),  # Strands
        *("WaitingForEvent", "UserInputRequiredException"),  # LlamaIndex workflows, Microsoft Agent Framework
        *("StopAgentRun", "RetryAgentRun"),  # Agno
    }
)
"""Exception classes by which frameworks steer a run: the span is ERROR, the tool did not fail."""

_SETTLED: dict[str, dict[Any, Meaning]] = {
    "isError": {True: Meaning.FAILED, False: Meaning.CLAIMED_OK},
    "is_error": {True: Meaning.FAILED, False: Meaning.CLAIMED_OK},
    "tool_message.status": {"error": Meaning.FAILED},
    "tool_result.status": {
        "error": Meaning.FAILED,
        "denied": Meaning.REFUSED,
        "interrupted": Meaning.CONTROL_FLOW,
    },
    "block.type": {"error": Meaning.FAILED},
    "output.type": {
        "error-text": Meaning.FAILED,
        "error-json": Meaning.FAILED,
        "tool-error": Meaning.FAILED,
        "execution-denied": Meaning.REFUSED,
    },
}
_FINE = frozenset({"", "0", "ok", "OK"})


def wrapper_marks(found: Iterable[tuple[str, Any]], span_id: str) -> list[Mark]:
    """Marks of the wrappers around a result. A framework's own `status: success` is no claim: it is always written."""
    marks = []
    for name, value in found:
        if name == "jsonrpc.error":
            marks.append(Mark(name, value, span_id, Meaning.FAILED))
            continue
        word = value if isinstance(value, bool) else str(value).lower()
        meaning = _SETTLED.get(name, {}).get(word)
        if meaning is not None:
            marks.append(Mark(name, value, span_id, meaning))
    return marks


def span_marks(span: Span, plan: Plan) -> list[Mark]:
    """Marks of one span: exception events, status, `error.type`, and what its conventions add."""
    steering = False
    marks: list[Mark] = []
    seen: set[tuple[str, str]] = set()
    for event in span.events:
        if event.name != "exception":
            continue
        value = exception(event)
        key = (str(value["type"]), str(value["message"]))
        if key in seen:
            continue
        seen.add(key)
        flow = is_control_flow(value["type"])
        steering = steering or flow
        marks.append(Mark("event.exception", value, span.span_id, _meaning(flow)))
    error_type = span.attributes.get("error.type")
    steering = steering or is_control_flow(error_type) or (not seen and is_control_flow(span.status_message))
    if span.status_code == ERROR:
        marks.append(Mark("span.status", span.status_message, span.span_id, _meaning(steering)))
    if error_type:
        marks.append(Mark("error.type", error_type, span.span_id, _meaning(steering)))
    status = span.attributes.get("rpc.response.status_code")
    if status is not None and str(status) not in _FINE:
        marks.append(Mark("rpc.response.status_code", status, span.span_id, Meaning.FAILED))
    for convention in plan.spoken:
        for rule in convention.marks:
            value = held(span.attributes, rule.attribute)
            meaning = meaning_by_rule(rule, value)
            if meaning is not None:
                meaning = Meaning.CONTROL_FLOW if steering and meaning is Meaning.FAILED else meaning
                mark = Mark(rule.attribute, value, span.span_id, meaning)
                if mark not in marks:
                    marks.append(mark)
    return marks


def exception(event: Event) -> dict[str, Any]:
    """The class and the message of an `exception` event, as sent."""
    return {key: event.attributes.get(f"exception.{key}") for key in ("type", "message")}


def is_control_flow(name: Any) -> bool:
    """Whether a class name, with or without its module, is one by which a framework steers a run."""
    if not isinstance(name, str) or not name:
        return False
    short = name.split("(", 1)[0].split(":", 1)[0].strip().rpartition(".")[2]
    return short in CONTROL_FLOW or (short.endswith(_INTERRUPTS) and short != "KeyboardInterrupt")


_INTERRUPTS = ("Interrupt", "InterruptError", "InterruptException")
"""The endings under which frameworks name what pauses a run for a person's word (`ToolInterruptError` of Genkit)."""


def _meaning(steering: bool) -> Meaning:
    return Meaning.CONTROL_FLOW if steering else Meaning.FAILED


def meaning_by_rule(rule: MarkRule, value: Any) -> Meaning | None:
    """What an attribute's value says of a call by a convention's rule; None where it says nothing."""
    if value is None or value == "":
        return None
    word = str(value).lower() if isinstance(value, str | bool | int) else ANY
    if word in rule.failed or (ANY in rule.failed and word not in ("false", "null")):
        return Meaning.FAILED
    if word in rule.refused:
        return Meaning.REFUSED
    return Meaning.CLAIMED_OK if word in rule.claimed_ok else None
