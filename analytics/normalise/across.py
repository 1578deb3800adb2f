"""Evidence that went to another trace: the server's side of a call, and HTTP requests without their parent.

Context is lost where a client does not propagate it to its MCP server, and where an instrumentation does not make its
tool spans current, so that what the tool reached becomes roots of other traces. Both are joined by tool, service and
time, and only where one call alone fits: a guess between two is no evidence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analytics.normalise.logical_call import LogicalCall
from analytics.normalise.upstream import reaches_outside
from analytics.normalise.values import same_arguments
from analytics.spans import SERVER, Span

SKEW_NS = 250_000_000
"""Clocks of a client's and a server's machine may differ by this much."""

WINDOW = 64
"""Most calls running at the same time among which a partner is looked for; in a greater crowd nothing is joined."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Two rows that are one call: the calling side, and the server's side in another trace."""

    client: LogicalCall
    server: LogicalCall


def join_sides(calls: Sequence[LogicalCall]) -> list[Joined]:
    """Client and server sides of one call that stand in different traces.

    A server's side is a call of SERVER spans only; its partner has the same tool, encloses it in time (clock skew
    allowed), has no server's side of its own, agrees in arguments and session where both are known, and is alone in
    that.
    """
    clients: dict[str, list[LogicalCall]] = defaultdict(list)
    servers: list[LogicalCall] = []
    for call in sorted(calls, key=lambda each: (each.span.start_ns, each.id)):
        if call.inferred:
            continue
        if all(span.kind == SERVER for span in call.members):
            servers.append(call)
        elif not any(span.kind == SERVER for span in call.members):
            clients[call.tool].append(call)
    joined: list[Joined] = []
    taken: set[str] = set()
    for server, fits in _enclosing(servers, clients):
        partners = [client for client in fits if client.id not in taken and _agree(client, server)]
        if len(partners) == 1:
            taken.add(partners[0].id)
            joined.append(Joined(partners[0], server))
    return joined


def merged(pair: Joined) -> LogicalCall:
    """One call of two sides: the client's row with the server's members, marks and upstream added."""
    client, server = pair.client, pair.server
    client.members = [*client.members, *server.members]
    client.marks = [*client.marks, *server.marks]
    known = {span.span_id for span in client.upstream}
    client.upstream = sorted(
        [*client.upstream, *(span for span in server.upstream if span.span_id not in known)],
        key=lambda span: (span.start_ns, span.span_id),
    )
    return client


def orphans_of(calls: Sequence[LogicalCall], spans: Iterable[Span]) -> dict[str, list[Span]]:
    """Client spans without a parent, by the id of the one call of their service that was running all the while.

    A hint, not proof: a service that runs many conversations at once has requests of other conversations in the same
    moment, and only some of them are seen as calls.

    Args:
        calls: the calls of some minutes, of any traces.
        spans: spans of the same minutes; those with a parent, or that reach nothing outside, are passed over.
    """
    running: dict[str, list[LogicalCall]] = defaultdict(list)
    for call in sorted(calls, key=lambda each: (each.span.start_ns, each.id)):
        if not call.inferred and call.service is not None:
            running[call.service].append(call)
    roots = sorted(
        (span for span in spans if not span.parent_span_id and reaches_outside(span) and span.kind != SERVER),
        key=lambda span: (span.start_ns, span.span_id),
    )
    found: dict[str, list[Span]] = defaultdict(list)
    places = dict.fromkeys(running, 0)
    open_calls: dict[str, list[LogicalCall]] = defaultdict(list)
    for span in roots:
        service = span.resource.get("service.name")
        if not isinstance(service, str) or service not in running:
            continue
        places[service] = _advance(running[service], places[service], span.start_ns, open_calls[service])
        fits = [call for call in open_calls[service] if call.span.end_ns >= span.end_ns]
        if len(fits) == 1 and fits[0].span.trace_id != span.trace_id:
            found[fits[0].id].append(span)
    return dict(found)


def _enclosing(
    servers: list[LogicalCall], clients: dict[str, list[LogicalCall]]
) -> Iterable[tuple[LogicalCall, list[LogicalCall]]]:
    """Each server's side with the calls of its tool that were running all the while, in one sweep."""
    places = dict.fromkeys(clients, 0)
    open_calls: dict[str, list[LogicalCall]] = defaultdict(list)
    for server in servers:
        tool = server.tool
        if tool not in clients:
            continue
        places[tool] = _advance(clients[tool], places[tool], server.span.start_ns + SKEW_NS, open_calls[tool])
        yield server, [call for call in open_calls[tool] if call.span.end_ns >= server.span.end_ns - SKEW_NS]


def _advance(calls: list[LogicalCall], place: int, until_ns: int, open_calls: list[LogicalCall]) -> int:
    """Open the calls that began by a time, and close those long over; returns the place of the next one."""
    while place < len(calls) and calls[place].span.start_ns <= until_ns:
        open_calls.append(calls[place])
        place += 1
    still = [call for call in open_calls if call.span.end_ns >= until_ns - 2 * SKEW_NS]
    open_calls[:] = still if len(still) <= WINDOW else []
    return place


def _agree(client: LogicalCall, server: LogicalCall) -> bool:
    if client.span.trace_id == server.span.trace_id:
        return False
    if client.arguments_text is not None and server.arguments_text is not None:
        return same_arguments(client.arguments, server.arguments)
    return server.session_id is None or client.session_id is None or server.session_id == client.session_id
