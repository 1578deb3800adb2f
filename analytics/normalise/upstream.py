"""What a call reached while it ran: descendants that go outside the process, or that failed."""

from __future__ import annotations

from collections import defaultdict

from analytics.conventions.convention import Kind
from analytics.normalise.tree import NONE, Tree, failed
from analytics.spans import CLIENT, PRODUCER, Span

_OUTSIDE = frozenset(
    {
        *("http.request.method", "http.method", "url.full", "http.url", "http.response.status_code"),
        *("http.status_code", "db.system", "db.system.name", "db.operation.name", "rpc.system", "rpc.method"),
        *("messaging.system", "messaging.system.name", "messaging.operation.name"),
    }
)


def reaches_outside(span: Span) -> bool:
    """Whether a span is a client of something, by its kind or its HTTP, database, RPC or messaging attributes."""
    return span.kind in (CLIENT, PRODUCER) or not _OUTSIDE.isdisjoint(span.attributes)


def upstream_of(tree: Tree) -> tuple[dict[int, list[Span]], dict[int, list[Span]]]:
    """Per tool span: its upstream spans in order of start, and the spans that carry an MCP response of its own."""
    reached: dict[int, list[Span]] = defaultdict(list)
    responses: dict[int, list[Span]] = defaultdict(list)
    for index, span in enumerate(tree.spans):
        owner = tree.owner[index]
        if owner in (NONE, index) or tree.kinds[index] in (Kind.AGENT, Kind.TOOL):
            continue
        if "mcp.response.value" in span.attributes:
            responses[owner].append(span)
        elif reaches_outside(span) or failed(span):
            reached[owner].append(span)
    return reached, responses
