"""Reads one tool span by its conventions: name, call id, arguments, result, and where each of them stood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from analytics.conventions.convention import held, text
from analytics.conventions.vocabulary import Plan, plan_of
from analytics.normalise.messages import last_response
from analytics.normalise.values import MISSING
from analytics.spans import ERROR, Span
from telltale.payload.wrappers import decode, too_deep

TOLD = "as told by "
"""How the source of a result begins that a convention read out of something larger."""


@dataclass(slots=True)
class ToolSpan:
    """One span of a tool call, as its conventions read it.

    `arguments` and `result` are as sent, or `MISSING`; `cut` names those of the two that the receiver cut at a cap;
    `sources` says which attribute gave what. `index` is the span's place in the trace.
    """

    span: Span
    index: int
    plan: Plan
    tool: str
    call_id: str | None = None
    arguments: Any = MISSING
    result: Any = MISSING
    sources: dict[str, str] = field(default_factory=dict)
    cut: set[str] = field(default_factory=set)


def read_tool_span(span: Span, index: int, voters: tuple[int, ...]) -> ToolSpan | None:
    """The reading of a span that conventions call a tool call; None where it names no tool, or is none after all."""
    plan = plan_of(voters, span.scope_name)
    get = _getter(span, plan)
    name = source = None
    for key in plan.tool:
        name = text(get(key))
        if name is not None:
            source = key
            break
    else:
        name, source = _named_by_span(span, plan), "span name"
    if name is None or name in plan.skip or not plan.no_call.isdisjoint(span.attributes):
        return None
    found = ToolSpan(span, index, plan, _own_name(name, plan))
    found.sources["tool"] = source or ""
    for key in plan.call_id:
        call_id = text(get(key))
        if call_id is not None and call_id not in plan.placeholders:
            found.call_id, found.sources["call_id"] = call_id, key
            break
    _read_value(found, "arguments", plan.arguments, plan.argument_events)
    _read_value(found, "result", plan.result, plan.result_events)
    if found.arguments is MISSING:
        _read_parts(found)
    if found.result is MISSING:
        _read_told(found)
    if found.result is MISSING and plan.omits_empty and found.arguments is not MISSING and span.status_code != ERROR:
        found.result, found.sources["result"] = [], "omitted by the instrumentation because it was empty"
    return found


def read_unwritten(span: Span, index: int, plan: Plan, name: str) -> ToolSpan | None:
    """The reading of a tool span of which only its name tells; None where the name is of no tool call."""
    if name in plan.skip or not plan.no_call.isdisjoint(span.attributes):
        return None
    return ToolSpan(span, index, plan, _own_name(name, plan), sources={"tool": "span name"})


def _own_name(name: str, plan: Plan) -> str:
    """A tool's own name, given the one recorded."""
    for convention in plan.spoken:
        if convention.rename is not None:
            name = convention.rename(name)
    return name


def _getter(span: Span, plan: Plan) -> Callable[[str], Any]:
    """How a plan's names are looked up in a span; most plans name attributes alone."""
    return partial(held, span.attributes) if plan.members else span.attributes.get


def _named_by_span(span: Span, plan: Plan) -> str | None:
    for convention in plan.spoken:
        if convention.tool_of is not None:
            name = convention.tool_of(span)
            if name:
                return name
    return None


def _read_value(found: ToolSpan, what: str, keys: tuple[str, ...], events: tuple[tuple[str, str], ...]) -> None:
    span, get = found.span, _getter(found.span, found.plan)
    placeholders = found.plan.placeholders  # asked only where there are any: to look a text up is to hash it whole
    for key in keys:
        value = get(key)
        if value is None or (placeholders and isinstance(value, str) and value in placeholders):
            continue
        if key == "tool.parameters" and is_schema(value):
            continue
        if key.endswith(".messages"):
            value = last_response(value)
            if value is None:
                continue
        if span.cut and key.partition("#")[0] in span.cut:
            found.cut.add(what)
        setattr(found, what, value)
        found.sources[what] = key
        return
    if not events or not span.events:
        return
    for event_name, key in events:
        for event in reversed(span.events):
            value = event.attributes.get(key) if event.name == event_name else None
            if value is not None and key.endswith(".messages"):
                value = last_response(value)
            if value is not None:
                if f"{event_name}.{key}" in span.cut:
                    found.cut.add(what)
                setattr(found, what, value)
                found.sources[what] = f"event {event_name} {key}"
                return


def _read_told(found: ToolSpan) -> None:
    """A result that a convention reads out of something that holds more than the result."""
    for convention in found.plan.spoken:
        told = convention.result_of(found.span) if convention.result_of is not None else None
        if told is None:
            continue
        found.result, cut = told
        found.sources["result"] = f"{TOLD}{convention.name}"
        if cut:
            found.cut.add("result")
        return


def _read_parts(found: ToolSpan) -> None:
    """Arguments that are spread over attributes, one each."""
    for convention in found.plan.spoken:
        if convention.argument_parts is None:
            continue
        prefix, suffix = convention.argument_parts
        parts = {
            key[len(prefix) : -len(suffix)]: value
            for key, value in found.span.attributes.items()
            if key.startswith(prefix) and key.endswith(suffix) and len(key) > len(prefix) + len(suffix)
        }
        if parts:
            found.arguments, found.sources["arguments"] = parts, f"{prefix}*{suffix}"
            return


def is_schema(value: Any) -> bool:
    """Whether `tool.parameters` holds the tool's JSON schema rather than the arguments of a call."""
    decoded = decode(value) if isinstance(value, str) else value
    if not isinstance(decoded, dict) or not decoded:
        return False
    if decoded.get("type") == "object" and isinstance(decoded.get("properties"), dict):
        return True
    return all(isinstance(entry, dict) and "type" in entry for entry in decoded.values())


def arguments_of(sent: Any) -> Any:
    """The arguments that the tool was called with, out of the wrappers that instrumentations put around them."""
    if not isinstance(sent, str) and too_deep(sent):
        return "(nested too deep)"
    value = decode(sent) if isinstance(sent, str) else sent
    for _ in range(4):
        inner = _inner_arguments(value)
        if inner is MISSING:
            return value
        value = decode(inner) if isinstance(inner, str) else inner
    return value


def _inner_arguments(value: Any) -> Any:
    """What is inside one known wrapper of arguments; `MISSING` where these are the arguments themselves."""
    if not isinstance(value, dict) or value.keys().isdisjoint(_WRAPPING):
        return MISSING
    for known, inner in _WRAPPERS:
        if known(value):
            return inner(value)
    return MISSING


_MCP_PARAMS = frozenset({"tool_name", "name", "arguments", "_meta", "meta", "task"})
_PYTHON_CALL = frozenset({"args", "kwargs", "sanitize_inputs_outputs"})
_Object = dict[str, Any]
_WRAPPERS: tuple[tuple[Callable[[_Object], bool], Callable[[_Object], Any]], ...] = (
    (lambda v: "inputs" in v and "input_str" in v, lambda v: v["inputs"]),
    (lambda v: "input_str" in v and "kwargs" in v, lambda v: v["input_str"]),
    (lambda v: "arguments" in v and len(v) > 1 and v.keys() <= _MCP_PARAMS, lambda v: v["arguments"]),
    (lambda v: v.keys() == {"type", "value"} and v["type"] in ("json", "text"), lambda v: v["value"]),
    (lambda v: "params" in v and "method" in v, lambda v: v["params"]),
    (lambda v: "kwargs" in v and v.keys() <= _PYTHON_CALL, lambda v: v["kwargs"] or v.get("args") or v["kwargs"]),
    (lambda v: len(v) == 1 and isinstance(v.get("input"), str) and v["input"][:1] == "{", lambda v: v["input"]),
)
"""OpenLLMetry's LangChain (two), MCP parameters, a typed value, JSON-RPC, a Python call, a LangSmith prompt."""

_WRAPPING = frozenset({"input_str", "arguments", "type", "params", "kwargs", "input"})
"""Every wrapper has one of these keys."""
