"""Evidence that went to another trace: the protocol's side of a call.

Context is lost where a client does not propagate it to its MCP server. Both sides are joined by tool, service and time,
and only where one call alone fits: a guess between two is no evidence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from analytics.calls import Call
from analytics.conventions.vocabulary import PROTOCOLS
from analytics.normalise.logical_call import LogicalCall

SKEW_NS = 250_000_000
"""Clocks of a client's and a server's machine may differ by this much."""

ONE_CLOCK_NS = 1_000_000
"""Within one service, times differ by their rounding alone: a server in its client's process runs within the call.

So calls that follow each other closely are told apart, and a side whose caller's span is still under way waits for it.
"""

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
    protocol = call.convention in PROTOCOLS
    return Side(call.id, trace_id, call.tool, start_ns, end_ns, protocol, call.service, call.session_id, arguments)


def join_sides(sides: Iterable[Side]) -> dict[str, str]:
    """Which rows are another row's inner side: inner id → the id of the call that encloses it.

    The inner row is a protocol's; the outer one is of another trace, has the same tool, runs all the while (clock skew
    between services allowed), is a framework's row or of another service, agrees in arguments and session where both
    are known, and is alone in that; of several, the one that encloses it by the clocks as they are, if one alone does
    (calls tried again within the skew). A server's row whose client was joined itself goes to the same call.
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
    sides = {side.id: side for side in group}
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
        around = [outer for outer in running if _encloses(outer, inner)]
        exact = [outer for outer in around if _encloses(outer, inner, ONE_CLOCK_NS)]
        for fitting in (exact, around):
            fits = {joined.get(outer.id, outer.id) for outer in fitting}
            fits = {outer for outer in fits if (outer, inner.service) not in taken and outer != inner.id}
            fits = {outer for outer in fits if not _is_beside(sides[outer], inner)}
            if len(fits) == 1:
                joined[inner.id] = outer = next(iter(fits))
                taken.add((outer, inner.service))
                break


def _is_beside(outer: Side, inner: Side) -> bool:
    """Whether both are the same side of calls: the next call of one client is no part of the call before it."""
    return outer.protocol and outer.service is not None and outer.service == inner.service


def _encloses(outer: Side, inner: Side, skew: int = SKEW_NS) -> bool:
    if outer.trace_id == inner.trace_id or (outer.protocol and outer.service == inner.service):
        return False
    if outer.service is not None and outer.service == inner.service:
        skew = ONE_CLOCK_NS
    if outer.start_ns > inner.start_ns + skew or outer.end_ns < inner.end_ns - skew:
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
