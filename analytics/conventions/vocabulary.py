"""All conventions as one lookup: what a span is, and where its values stand.

Everything here is built once from the tables in `analytics.conventions`; the service asks it for every span, so that
the common case (a span that no convention knows) is one set operation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from analytics.conventions import ALL, Convention
from analytics.conventions.convention import ANY, Kind, RecordRule
from analytics.spans import Span

_Votes = list[tuple[int, dict[str, Kind]]]
_PLANS_KEPT = 1024
_KINDS_KEPT = 4096


@dataclass(frozen=True, slots=True)
class Plan:
    """Where the values of a tool span stand: the conventions that speak on it, joined in their order."""

    convention: str
    spoken: tuple[Convention, ...]
    tool: tuple[str, ...]
    call_id: tuple[str, ...]
    arguments: tuple[str, ...]
    result: tuple[str, ...]
    argument_events: tuple[tuple[str, str], ...]
    result_events: tuple[tuple[str, str], ...]
    placeholders: frozenset[str]
    skip: frozenset[str]
    no_call: frozenset[str]
    omits_empty: bool
    members: bool
    """Whether a name is one of `attribute#member`."""

    def switch(self, what: str) -> str | None:
        """The framework's way to record what was missing; the most specific convention's own."""
        for convention in reversed(self.spoken):
            if what in convention.switches:
                return convention.switches[what]
        return None


def _joined(spoken: tuple[Convention, ...], name: str) -> tuple[Any, ...]:
    seen: dict[Any, None] = {}
    for convention in spoken:
        seen.update(dict.fromkeys(getattr(convention, name)))
    return tuple(seen)


def _by_key() -> dict[str, _Votes]:
    table: dict[str, _Votes] = {}
    for index, convention in enumerate(ALL):
        for key, values in convention.kinds.items():
            table.setdefault(key, []).append((index, dict(values)))
    return table


def _keys(name: str) -> tuple[str, ...]:
    """Attribute names of all conventions that are valid on any scope, in order of preference."""
    return tuple(dict.fromkeys(key for c in ALL if not c.scopes for key in getattr(c, name)))


_BY_KEY = _by_key()
KIND_KEYS = frozenset(_BY_KEY)
"""Attributes that tell what a span is, alone or with its scope or name."""
OWN_KEYS = frozenset(key for c in ALL if not c.span_names for key in c.kinds)
"""Those of them that tell it whatever the span's name."""
SESSION_KEYS = _keys("session")
USER_KEYS = _keys("user")
AGENT_KEYS = _keys("agent")
MODEL_KEYS = _keys("model")
MESSAGES_IN = _keys("messages_in")
MESSAGES_OUT = _keys("messages_out")
PROTOCOLS = frozenset(c.name for c in ALL if c.protocol)
"""Names of conventions whose tool spans are a protocol's sides of calls."""
SCOPED = tuple(c for c in ALL if c.scopes)
"""Conventions whose bare attribute names count on their own scopes only."""

RECORDS: dict[str, tuple[tuple[tuple[str, ...], RecordRule], ...]] = {
    rule.event: tuple((c.scopes, own) for c in ALL for own in c.records if own.event == rule.event)
    for convention in ALL
    for rule in convention.records
}
"""Log records that tell of a call, by event: the scopes on which they do, and how they are read."""

_Answer = tuple[Kind, tuple[int, ...]]
_NO_ANSWER: _Answer = (Kind.OTHER, ())
_SPAN_NAMES = frozenset(name for c in ALL for name in c.span_names)
_WORDED = frozenset(key for key, votes in _BY_KEY.items() if any(values.keys() - {ANY} for _, values in votes))
"""Attributes whose value matters; of the others only that they are there."""
_LONGEST_WORD = 64
_UNLISTED = "\0"
_plans: dict[tuple[tuple[int, ...], str], Plan] = {}
_kinds: dict[tuple[str, ...], _Answer] = {}


def kind_of(span: Span) -> _Answer:
    """What a span is, and the indices in `ALL` of the conventions that call it a tool call.

    Within one convention, a value that it lists beats the mere presence of an attribute. What the telling attributes
    say is asked once and kept: a sender writes few combinations of them.
    """
    attributes = span.attributes
    keys = KIND_KEYS.intersection(attributes)
    if not keys:
        return _NO_ANSWER
    said = [span.scope_name, span.name if span.name in _SPAN_NAMES else ""]
    for key in keys:
        value = attributes[key]
        if value is None or value == "":
            continue
        said.append(key)
        if key in _WORDED:
            said.append(value if type(value) is str and len(value) <= _LONGEST_WORD else _UNLISTED)
    known = tuple(said)
    answer = _kinds.get(known)
    if answer is None:
        if len(_kinds) >= _KINDS_KEPT:
            _kinds.clear()
        answer = _kinds[known] = _kind(span, keys)
    return answer


def _kind(span: Span, keys: Iterable[str]) -> _Answer:
    attributes = span.attributes
    listed: dict[int, Kind] = {}
    present: dict[int, Kind] = {}
    for key in keys:
        value = attributes[key]
        if value is None or value == "":
            continue
        word = value.lower() if isinstance(value, str) else ""
        for index, values in _BY_KEY[key]:
            kind = values.get(word)
            target = listed
            if kind is None:
                kind, target = values.get(ANY), present
            if kind is not None and kind > target.get(index, -1) and speaks(ALL[index], span):
                target[index] = kind
    for index, kind in present.items():
        listed.setdefault(index, kind)
    if not listed:
        return _NO_ANSWER
    best = max(listed.values())
    if best is not Kind.TOOL:
        return best, ()
    return best, tuple(sorted(index for index, kind in listed.items() if kind is Kind.TOOL))


def voters_of(key: str, value: str, kind: Kind) -> tuple[int, ...]:
    """The indices in `ALL` of the conventions that, on any scope, take a span with that attribute for a kind."""
    votes = _BY_KEY.get(key, ())
    return tuple(index for index, values in votes if values.get(value) is kind and not ALL[index].scopes)


def speaks(convention: Convention, span: Span) -> bool:
    """Whether a convention is valid on the span: on its scope, under its name."""
    if convention.span_names and span.name not in convention.span_names:
        return False
    return not convention.scopes or span.scope_name.startswith(convention.scopes)


def plan_of(voters: tuple[int, ...], scope_name: str) -> Plan:
    """The reading plan of a tool span (kept, since few combinations exist)."""
    key = (voters, scope_name)
    plan = _plans.get(key)
    if plan is None:
        if len(_plans) >= _PLANS_KEPT:
            _plans.clear()
        plan = _plans[key] = _plan(voters, scope_name)
    return plan


def _plan(voters: tuple[int, ...], scope_name: str) -> Plan:
    spoken = [ALL[index] for index in voters]
    named = [c for c in ALL if c.named and scope_name.startswith(c.named)]
    spoken += [c for c in named if c not in spoken]
    everything = tuple(spoken)
    return Plan(
        convention=(named or spoken)[-1].name if spoken else "",
        spoken=everything,
        tool=_joined(everything, "tool"),
        call_id=_joined(everything, "call_id"),
        arguments=_joined(everything, "arguments"),
        result=_joined(everything, "result"),
        argument_events=_joined(everything, "argument_events"),
        result_events=_joined(everything, "result_events"),
        placeholders=frozenset(_joined(everything, "placeholders")),
        skip=frozenset(_joined(everything, "skip")),
        no_call=frozenset(_joined(everything, "no_call")),
        omits_empty=any(c.omits_empty for c in everything),
        members=any("#" in key for c in everything for key in (*c.tool, *c.call_id, *c.arguments, *c.result)),
    )


def renamed(tool: str, scope_name: str) -> str:
    """The tool's own name, given the one that a model used, where the framework on that scope adds to it."""
    for convention in ALL:
        if convention.rename is not None and convention.named and scope_name.startswith(convention.named):
            tool = convention.rename(tool)
    return tool
