"""Evidence that went to another trace: the protocol's side of a call, and HTTP requests without their parent.

Context is lost where a client does not propagate it to its MCP server, and where an instrumentation does not make its
tool spans current, so that what the tool reached becomes roots of other traces. Both are joined by tool, service and
time, and only where one call alone fits: a guess between two is no evidence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analytics.calls import Call
from analytics.normalise.logical_call import LogicalCall
from analytics.normalise.upstream import reaches_outside
from analytics.spans import SERVER, Span

SKEW_NS = 250_000_000
"""Clocks of a client's and a server's machine may differ by this much."""

WINDOW = 64
"""Most calls running at the same time among which a partner is looked for; in a greater crowd nothing is joined."""


@dataclass(frozen=True, slots=True)
class Side:
    """What joining needs of a call: a row of its own, or one side of another call. Times in ns since 1970 UTC.

    `protocol`: only MCP spans tell of it, so that a framework's row may be the same call seen from its caller.
    """

    id: str
    trace_id: str
    tool: str
    start_ns: int
    end_ns: int
    protocol: bool
    service: str | None = None
    session_id: str | None = None
    arguments: str | None = None


def side_of(call: LogicalCall | Call) -> Side:
    """The side that a normalised call or a judged row is."""
    if isinstance(call, Call):
        end_ns = call.started_ns + int(call.duration_ms * 1_000_000)
        trace_id, start_ns, arguments = call.trace_id, call.started_ns, call.arguments_hash
    else:
        trace_id, start_ns, end_ns = call.span.trace_id, call.span.start_ns, call.span.end_ns
        arguments = None if call.arguments_text is None else repr(call.arguments)
    protocol = call.convention == "mcp"
    return Side(call.id, trace_id, call.tool, start_ns, end_ns, protocol, call.service, call.session_id, arguments)


def join_sides(sides: Iterable[Side]) -> dict[str, str]:
    """Which rows are another row's inner side: inner id → the id of the call that encloses it.

    The inner row is a protocol's; the outer one is of another trace, has the same tool, runs all the while (clock skew
    allowed), is a framework's row or of another service, agrees in arguments and session where both are known, and is
    alone in that. A server's row whose client was joined itself goes to the same call.
    """
    by_tool: dict[str, list[Side]] = defaultdict(list)
    for side in sides:
        by_tool[side.tool].append(side)
    joined: dict[str, str] = {}
    for group in by_tool.values():
        if len(group) > 1 and any(side.protocol for side in group):
            _join(sorted(group, key=lambda side: (side.start_ns, -side.end_ns, side.id)), joined)
    return joined


def _join(group: list[Side], joined: dict[str, str]) -> None:
    ahead = 0
    running: list[Side] = []
    taken: set[tuple[str, str | None]] = set()
    for inner in group:
        if not inner.protocol:
            continue
        while ahead < len(group) and group[ahead].start_ns <= inner.start_ns + SKEW_NS:
            running.append(group[ahead])
            ahead += 1
        running = [side for side in running if side.end_ns >= inner.start_ns - SKEW_NS]
        if len(running) > WINDOW:
            continue
        fits = {joined.get(outer.id, outer.id) for outer in running if _encloses(outer, inner)}
        fits = {outer for outer in fits if (outer, inner.service) not in taken and outer != inner.id}
        if len(fits) == 1:
            joined[inner.id] = outer = next(iter(fits))
            taken.add((outer, inner.service))


def _encloses(outer: Side, inner: Side) -> bool:
    if outer.trace_id == inner.trace_id or (outer.protocol and outer.service == inner.service):
        return False
    if outer.start_ns > inner.start_ns + SKEW_NS or outer.end_ns < inner.end_ns - SKEW_NS:
        return False
    if outer.protocol and (outer.end_ns - outer.start_ns) < (inner.end_ns - inner.start_ns):
        return False
    if outer.arguments is not None and inner.arguments is not None and outer.arguments != inner.arguments:
        return False
    return None in (outer.session_id, inner.session_id) or outer.session_id == inner.session_id


def merged(outer: LogicalCall, inner: LogicalCall) -> LogicalCall:
    """One call of two sides: the caller's, with the other side's members, marks and upstream added."""
    outer.members = [*outer.members, *inner.members]
    outer.marks = [*outer.marks, *inner.marks]
    known = {span.span_id for span in outer.upstream}
    outer.upstream = sorted(
        [*outer.upstream, *(span for span in inner.upstream if span.span_id not in known)],
        key=lambda span: (span.start_ns, span.span_id),
    )
    return outer


def orphans_of(calls: Sequence[LogicalCall], spans: Iterable[Span]) -> dict[str, list[Span]]:
    """Client spans without a parent, by the id of the one call of their service that was running all the while.

    A hint, not proof: a service that runs many conversations at once has requests of other conversations in the same
    moment, and only some of them are seen as calls.

    Args:
        calls: the calls of some minutes, of any traces.
        spans: spans of the same minutes; those with a parent, or that reach nothing outside, are passed over.
    """
    waiting: dict[str, list[LogicalCall]] = defaultdict(list)
    for call in sorted(calls, key=lambda each: (each.span.start_ns, each.id), reverse=True):
        if not call.inferred and call.service is not None:
            waiting[call.service].append(call)
    running: dict[str, list[LogicalCall]] = defaultdict(list)
    found: dict[str, list[Span]] = defaultdict(list)
    for span in sorted(filter(_is_orphan, spans), key=lambda each: (each.start_ns, each.span_id)):
        service = span.resource.get("service.name")
        if not isinstance(service, str) or service not in waiting:
            continue
        while waiting[service] and waiting[service][-1].span.start_ns <= span.start_ns:
            running[service].append(waiting[service].pop())
        running[service] = [call for call in running[service] if call.span.end_ns >= span.start_ns]
        fits = [call for call in running[service][: WINDOW + 1] if call.span.end_ns >= span.end_ns]
        if len(fits) == 1 and len(running[service]) <= WINDOW and fits[0].span.trace_id != span.trace_id:
            found[fits[0].id].append(span)
    return dict(found)


def _is_orphan(span: Span) -> bool:
    return not span.parent_span_id and span.kind != SERVER and reaches_outside(span)
