"""What one convention says: the vocabulary in which a framework or an instrumentation records its tool calls.

A convention is data: which attributes tell what a span is, and under which names the values stand. To teach the
service a new framework, add a module with one `Convention` and list it in `analytics/conventions/__init__.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from analytics.spans import Span
from telltale.payload.wrappers import decode


class Kind(IntEnum):
    """What a span is, from the point of view of tool calls. Where attributes disagree, the larger number wins."""

    OTHER = 0
    STEP = 1
    """Bookkeeping between an agent and its calls (a chain, a turn, a workflow step)."""
    AGENT = 2
    """An agent's run: what is below it is not the enclosing tool's own work."""
    MODEL = 3
    """A call of a model, or anything that repeats one (its HTTP requests are no tool's)."""
    TOOL = 4
    """A tool call, or one side of it."""


ANY = "*"
"""In a table of values: any value that is present and not empty."""


@dataclass(frozen=True, slots=True)
class MarkRule:
    """An attribute that says of a tool call whether it failed, outside the result's own value.

    The attribute may be `attribute#member`. `failed`, `claimed_ok` and `refused` (by a person or a policy, before it
    ran) list values as lower-case text (or `ANY`); other values say nothing.
    """

    attribute: str
    failed: tuple[str, ...] = ()
    claimed_ok: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRule:
    """A log record that tells of one call which has a span of its own.

    Attributes:
        event: the record's event name.
        call_id, arguments: its attributes that hold the call's id, and the arguments as sent.
        message: its attribute that holds the text which the model was given of a failure.
        marks: what on it says that the call failed.
    """

    event: str
    call_id: str
    arguments: str
    marks: tuple[MarkRule, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Convention:
    """One vocabulary. Tuples of attribute names are in order of preference.

    Attributes:
        name: how the convention is called in rows (`openinference`, `adk`).
        kinds: attribute → value (lower case, or `ANY`) → what the span is.
        scopes: prefixes of instrumentation scope names; where given, the convention speaks only on those scopes.
        span_names: names of spans; where given, the convention speaks only on those.
        named: scopes whose spans carry this convention's name, whoever recognised them (a framework that writes
            another convention's attributes).
        tool, call_id, arguments, result: attributes of a tool span; `attribute#member` where the value is one member
            of an object that the attribute holds.
        tool_of: the tool's name where no attribute holds it.
        result_of: the result, and whether the framework cut it, where no attribute or event holds it by itself.
        rename: the tool's own name, given the one recorded.
        argument_parts: prefix and suffix of attributes that hold one argument each, its name between them.
        argument_events, result_events: `(event name, attribute)` where values travel in span events.
        placeholders: texts that a framework writes where it recorded nothing.
        omits_empty: an absent result on a span that ended well, with arguments recorded, is an empty one.
        marks: what else says that the call failed.
        protocol: its tool spans are a protocol's sides of calls, of which a caller's span may lie in another trace.
        skip: names of tool spans that are no tool calls.
        no_call: attributes that a tool call's span never bears: one with any of them is no tool call.
        parts: names of spans right below a tool span that are the same call, seen closer.
        records: log records that tell of a call, on this convention's scopes.
        session, user, agent, model: attributes of any span.
        messages_in, messages_out: attributes of a model span that hold what it was given, and what it answered.
        switches: what can be missing (`arguments`, `result`, `session`, …) → the framework's own way to record it.
    """

    name: str
    kinds: Mapping[str, Mapping[str, Kind]] = field(default_factory=dict)
    scopes: tuple[str, ...] = ()
    span_names: frozenset[str] = frozenset()
    named: tuple[str, ...] = ()
    tool: tuple[str, ...] = ()
    tool_of: Callable[[Span], str | None] | None = None
    result_of: Callable[[Span], tuple[Any, bool] | None] | None = None
    rename: Callable[[str], str] | None = None
    call_id: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    argument_parts: tuple[str, str] | None = None
    argument_events: tuple[tuple[str, str], ...] = ()
    result: tuple[str, ...] = ()
    result_events: tuple[tuple[str, str], ...] = ()
    placeholders: frozenset[str] = frozenset()
    omits_empty: bool = False
    marks: tuple[MarkRule, ...] = ()
    protocol: bool = False
    skip: frozenset[str] = frozenset()
    no_call: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    records: tuple[RecordRule, ...] = ()
    session: tuple[str, ...] = ()
    user: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    messages_in: tuple[str, ...] = ()
    messages_out: tuple[str, ...] = ()
    switches: Mapping[str, str] = field(default_factory=dict)


def last_word(span: Span) -> str | None:
    """The tool's name as the last word of a span name such as `execute_tool X` or `MCP send tools/call X`."""
    head, _, word = span.name.rpartition(" ")
    return word if head and word else None


def whole_name(span: Span) -> str | None:
    """The span's name as the tool's name."""
    return span.name or None


def held(attributes: Mapping[str, Any], key: str) -> Any:
    """The value of an attribute, or of `attribute#member`: of one member of the object that it holds.

    A member of a member is named behind a slash, an item of a list by its number: `attribute#params/args/0`.
    """
    name, _, path = key.partition("#")
    value = attributes.get(name)
    if not path or value is None:
        return value
    inner = decode(value) if isinstance(value, str) else value
    for member in path.split("/"):
        if isinstance(inner, dict):
            inner = inner.get(member)
        elif isinstance(inner, list) and member.isdigit() and int(member) < len(inner):
            inner = inner[int(member)]
        else:
            return None
    return inner


def text(value: Any) -> str | None:
    """An attribute's value as a name: non-empty text (out of its JSON quotes), or digits; None for anything else."""
    if isinstance(value, str):
        if len(value) > 2 and value[0] == value[-1] == '"':
            value = value[1:-1]
        return value or None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None
