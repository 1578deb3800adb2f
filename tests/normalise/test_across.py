"""Joins over traces: a server's side without its parent."""

from __future__ import annotations

from typing import Any

from analytics.judge import judge
from analytics.normalise import LogicalCall, normalise
from analytics.normalise.across import join_sides, merged, side_of
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


def joined(*spans: Span) -> dict[str, str]:
    """Inner trace → outer trace, for the joins that are found among these spans."""
    calls = {call.id: call for call in calls_of(*spans)}
    pairs = join_sides(side_of(call) for call in calls.values())
    return {calls[inner].span.trace_id: calls[outer].span.trace_id for inner, outer in pairs.items()}


def test_a_server_in_another_trace_is_the_same_call() -> None:
    """Same tool, within the caller's time: one call, and its members are both spans."""
    caller, inner = calls_of(tool("a", 1000, 2000), server("b", 1100, 1900))

    assert joined(tool("a", 1000, 2000), server("b", 1100, 1900), tool("c", 5000, 6000)) == {"b": "a"}
    assert [member.trace_id for member in merged(caller, inner).members] == ["a", "b"]


def test_a_client_and_its_server_go_to_the_same_call() -> None:
    """Three traces of one call: the framework's, the protocol client's, the server's."""
    client = span("m", "MCP send tools/call book", 1050, 1950, 3, mcp__method__name="tools/call")

    assert joined(tool("a", 1000, 2000), client, server("b", 1100, 1900)) == {"m": "a", "b": "a"}
    assert joined(client, server("b", 1100, 1900)) == {"b": "m"}


def test_between_two_nothing_is_joined() -> None:
    """Two callers that fit are a guess; another tool or another time is none at all."""
    assert joined(tool("a", 1000, 2000), tool("c", 1050, 2000), server("b", 1100, 1900)) == {}
    assert joined(tool("a", 1000, 2000, "other"), server("b", 1100, 1900)) == {}
    assert joined(tool("a", 1000, 2000), server("b", 3000, 3100)) == {}
    assert joined(tool("a", 1000, 2000), server("b", 1100, 1200), server("c", 1300, 1400)) == {"b": "a"}


def test_calls_in_quick_succession_in_one_process_are_told_apart() -> None:
    """A server in its client's process: within one service a call encloses its side without allowance for clocks."""

    def inner(trace: str, begin: int, end: int) -> Span:
        return span(trace, "tools/call book", begin, end, 2, "bot", mcp__method__name="tools/call")

    first, second = tool("a", 1000, 1030), tool("b", 1040, 1070)

    assert joined(first, second, inner("c", 1010, 1020), inner("d", 1050, 1060)) == {"c": "a", "d": "b"}
    assert joined(first, inner("d", 1050, 1060)) == {}, "its caller's span is under way"
    assert joined(first, server("d", 1050, 1060)) == {"d": "a"}, "another service's clock may be ahead"


def test_tries_within_the_skew_of_clocks_are_told_apart() -> None:
    """Each server's side goes to the try that encloses it by the clocks as they are; a client's to no other try."""

    def client(trace: str, begin: int, end: int) -> Span:
        return span(trace, "tools/call book", begin, end, 3, mcp__method__name="tools/call")

    tries = [client("a", 1000, 1040), client("c", 1060, 1075)]
    served = [server("b", 1005, 1035), server("d", 1062, 1070)]

    assert joined(*tries, *served) == {"b": "a", "d": "c"}
    assert joined(*tries, served[0]) == {"b": "a"}


def test_judged_rows_join_alike() -> None:
    """The rows of the store know enough to be joined."""
    spans = tool("a", 1000, 2000), server("b", 1100, 1900)
    rows = [row for each in spans for row in judge(Trace("p", each.trace_id, [each]), JudgeSettings())]

    assert join_sides(map(side_of, rows)) == {rows[1].id: rows[0].id}
