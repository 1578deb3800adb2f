"""The account of what was understood: for any spans, which calls are seen, which attribute gave what, what was missing.

`telltale mapping` prints it, so that someone who points a new framework at the service sees at once whether its tool
calls are read, and which of the framework's own switches would make them say more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from analytics.conventions.convention import Kind
from analytics.conventions.vocabulary import kind_of
from analytics.normalise.build import normalise
from analytics.normalise.logical_call import LogicalCall
from analytics.settings import JudgeSettings
from analytics.spans import Span, Trace

FIELDS = ("tool", "call_id", "arguments", "result", "told", "session", "user", "agent", "model")
"""What a call should tell, in the order in which a report lists it."""

MAX_STRANGERS = 50
"""Most kinds of unread spans that a report lists."""

MAX_KEYS = 12
"""Most attribute names of a kind of unread spans that a report shows."""

Sender = tuple[str, str, str]
"""(service, instrumentation scope, convention)."""


@dataclass(slots=True)
class Loss:
    """Something that calls did not tell, on how many calls, and the switch that would capture it (None: unknown)."""

    what: str
    switch: str | None
    calls: int


@dataclass(slots=True)
class SenderMapping:
    """What the spans of one service and instrumentation gave.

    `spans` counts the sides of calls, `calls` the calls, `inferred` those known from the model's messages only,
    `captured` those whose result can be judged. `sources` maps each field to the attributes that gave it, with counts.
    """

    service: str
    scope: str
    convention: str
    spans: int = 0
    calls: int = 0
    inferred: int = 0
    captured: int = 0
    tools: Counter[str] = field(default_factory=Counter)
    sources: dict[str, Counter[str]] = field(default_factory=dict)
    lost: Counter[str] = field(default_factory=Counter)

    def losses(self) -> list[Loss]:
        """What was missing, the most frequent first."""
        return [Loss(*split_loss(line), calls) for line, calls in self.lost.most_common()]


@dataclass(slots=True)
class Stranger:
    """Spans that speak of tools in words that no convention knows: a framework to be taught."""

    scope: str
    name: str
    keys: list[str]
    spans: int = 0


@dataclass(slots=True)
class MappingReport:
    """The account over all spans that were given."""

    traces: int = 0
    spans: int = 0
    senders: list[SenderMapping] = field(default_factory=list)
    strangers: list[Stranger] = field(default_factory=list)

    @property
    def calls(self) -> int:
        """All calls seen."""
        return sum(sender.calls for sender in self.senders)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, for JSON."""
        return {
            "traces": self.traces,
            "spans": self.spans,
            "calls": self.calls,
            "senders": [_sender(sender) for sender in self.senders],
            "strangers": [
                {"scope": each.scope, "name": each.name, "keys": each.keys, "spans": each.spans}
                for each in self.strangers
            ],
        }


def mapping(traces: Iterable[Trace]) -> MappingReport:
    """What normalising makes of these traces, by sender, the busiest first."""
    report = MappingReport()
    senders: dict[Sender, SenderMapping] = {}
    strangers: dict[tuple[str, tuple[str, ...]], Stranger] = {}
    for trace in traces:
        report.traces += 1
        report.spans += len(trace.spans)
        calls = normalise(trace, JudgeSettings())
        for call in calls:
            _count(senders, call)
        read = {member.span_id for call in calls for member in call.members}
        for span in trace.spans:
            if span.span_id not in read:
                _look(strangers, span)
    report.senders = sorted(senders.values(), key=lambda each: (-each.calls, each.service, each.scope))
    report.strangers = sorted(strangers.values(), key=lambda each: (-each.spans, each.scope, each.name))
    return report


def split_loss(line: str) -> tuple[str, str | None]:
    """A line of `LogicalCall.lost` as what was missing and the switch."""
    what, _, switch = line.partition(": ")
    return what, switch or None


def _count(senders: dict[Sender, SenderMapping], call: LogicalCall) -> None:
    key = (call.service or "", call.span.scope_name, call.convention)
    sender = senders.setdefault(key, SenderMapping(*key))
    sender.calls += 1
    sender.spans += 0 if call.inferred else len(call.members)
    sender.inferred += call.inferred
    sender.captured += call.payload.value == "captured"
    sender.tools[call.tool] += 1
    sender.lost.update(call.lost)
    sources = dict(call.sources)
    if call.session_id is not None:
        sources["session"] = call.session_source
    for name, source in sources.items():
        sender.sources.setdefault(name, Counter())[source] += 1


def _look(strangers: dict[tuple[str, tuple[str, ...]], Stranger], span: Span) -> None:
    """Note a span that no convention reads, if its attributes speak of a tool."""
    if kind_of(span)[0] is not Kind.OTHER:
        return
    keys = tuple(sorted(key for key in span.attributes if _speaks_of_a_tool(key.lower())))[:MAX_KEYS]
    if not keys:
        return
    known = strangers.get((span.scope_name, keys))
    if known is None:
        if len(strangers) >= MAX_STRANGERS:
            return
        known = strangers[(span.scope_name, keys)] = Stranger(span.scope_name, span.name, list(keys))
    known.spans += 1


def _speaks_of_a_tool(key: str) -> bool:
    """Whether a name is about one tool; lists of tools, their definitions and messages are a model's or an agent's."""
    return "tool" in key and not any(
        word in key for word in ("tools", "tool_calls", "messages", "definition", "choice")
    )


def _sender(sender: SenderMapping) -> dict[str, Any]:
    return {
        "service": sender.service,
        "scope": sender.scope,
        "convention": sender.convention,
        "spans": sender.spans,
        "calls": sender.calls,
        "inferred": sender.inferred,
        "captured": sender.captured,
        "tools": dict(sender.tools.most_common()),
        "sources": {name: dict(sender.sources.get(name, Counter()).most_common()) for name in FIELDS},
        "lost": [{"what": loss.what, "switch": loss.switch, "calls": loss.calls} for loss in sender.losses()],
    }
