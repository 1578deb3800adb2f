"""Joins over traces: a server's side without its parent, and requests that lost theirs."""

from __future__ import annotations

from typing import Any

from analytics.normalise import LogicalCall, normalise
from analytics.normalise.across import join_sides, merged, orphans_of
from analytics.settings import JudgeSettings
from analytics.spans import Span, Trace

MS = 1_000_000


def span(trace: str, name: str, begin: int, end: int, *side: Any, **attributes: Any) -> Span:
    """One root span of a trace of its own; `side` is its kind and service."""
    kind, service = (*side, 1, "bot")[:2] if len(side) != 1 else (side[0], "bot")
    names = {key.replace("__", "."): value for key, value in attributes.items()}
    resource = {"service.name": service}
    return Span(trace, f"{trace}-{begin}", "", name, kind, begin * MS, end * MS, attributes=names, resource=resource)


def tool(trace: str, begin: int, end: int, name: str = "book") -> Span:
    """The calling side of a tool call."""
    return span(
        trace, f"execute_tool {name}", begin, end, gen_ai__operation__name="execute_tool", gen_ai__tool__name=name
    )


def server(trace: str, begin: int, end: int, name: str = "book") -> Span:
    """The server's side, in a trace of its own."""
    return span(trace, f"tools/call {name}", begin, end, 2, "calendar-mcp", mcp__method__name="tools/call")


def calls_of(*spans: Span) -> list[LogicalCall]:
    """The calls of spans that are each a trace."""
    return [call for each in spans for call in normalise(Trace("p", each.trace_id, [each]), JudgeSettings())]


def test_a_server_in_another_trace_is_the_same_call() -> None:
    """Same tool, within the client's time: one call, and its members are both spans."""
    [pair] = join_sides(calls_of(tool("a", 1000, 2000), server("b", 1100, 1900), tool("c", 5000, 6000)))

    assert (pair.client.span.trace_id, pair.server.span.trace_id) == ("a", "b")
    assert [member.trace_id for member in merged(pair).members] == ["a", "b"]


def test_between_two_nothing_is_joined() -> None:
    """Two clients that fit are a guess; another tool or another time is none at all."""
    assert join_sides(calls_of(tool("a", 1000, 2000), tool("c", 1050, 2000), server("b", 1100, 1900))) == []
    assert join_sides(calls_of(tool("a", 1000, 2000, "other"), server("b", 1100, 1900))) == []
    assert join_sides(calls_of(tool("a", 1000, 2000), server("b", 3000, 3100))) == []


def test_a_request_without_its_parent_belongs_to_the_call_that_ran() -> None:
    """An HTTP root within exactly one call of its service is that call's; of two calls at once it is nobody's."""
    calls = calls_of(tool("a", 1000, 2000), tool("b", 3000, 4000), tool("c", 3100, 3900))
    inside = span("h1", "GET", 1100, 1200, 3, http__status_code=503)
    between = span("h2", "GET", 3200, 3300, 3, http__status_code=503)
    elsewhere = span("h3", "GET", 1100, 1200, 3, "other", http__status_code=503)

    found = orphans_of(calls, [between, elsewhere, inside])

    assert found == {calls[0].id: [inside]}
