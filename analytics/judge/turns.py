"""Which turn of the conversation a call belongs to: what an envelope asked of the agent, a new request may override."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from itertools import islice

from analytics.calls import Call
from analytics.conventions.convention import Kind
from analytics.conventions.vocabulary import kind_of
from analytics.judge.session_call import SessionCall
from analytics.spans import Span, Trace


class Turns:
    """The turns of some traces; each trace is looked at once, and only when it is asked for."""

    def __init__(self, traces: Iterable[Trace]) -> None:
        self._traces: Mapping[tuple[str, str], Trace] = {(trace.project, trace.trace_id): trace for trace in traces}
        self._starts: dict[tuple[str, str], list[int]] = {}

    def of(self, call: Call) -> int | None:
        """The number of a call's turn in its trace, from 1; 0 where the trace shows no turn, None where it is not here.

        See `SessionCall.turn`.
        """
        key = (call.project, call.trace_id)
        starts = self._starts.get(key)
        if starts is None:
            trace = self._traces.get(key)
            if trace is None:
                return None
            starts = self._starts[key] = turn_starts(trace.spans)
        return max(1, bisect_right(starts, call.started_ns)) if starts else 0


def turn_starts(spans: Iterable[Span]) -> list[int]:
    """When the turns of a trace began, in nanoseconds since 1970 UTC; empty where it holds no agent and no model.

    A run of an agent without a parent in the trace begins a turn. Agents beside each other under one parent hand over
    within a turn. A trace with a model and no such run is one turn.
    """
    spans = list(spans)
    ids = {span.span_id for span in spans}
    tops = [span for span in spans if span.parent_span_id not in ids]
    roots = [span.start_ns for span in tops if kind_of(span)[0] is Kind.AGENT]
    if roots:
        return sorted(roots)
    return list(islice((span.start_ns for span in spans if kind_of(span)[0] in (Kind.AGENT, Kind.MODEL)), 1))


def same_turn(call: SessionCall, later: SessionCall) -> bool:
    """Whether nothing shows that a later call came after a new request of the user."""
    if later.turn is None:
        return False
    return later.turn == 0 or (later.trace_id == call.trace_id and later.turn == call.turn)
