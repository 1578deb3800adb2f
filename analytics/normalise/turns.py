"""Which turn of the conversation a call belongs to: what an envelope asked of the agent, a new request may override."""

from __future__ import annotations

from analytics.conventions.convention import Kind
from analytics.normalise.tree import NONE, Tree

_THINKING = (Kind.AGENT, Kind.MODEL)


def turn_starts(tree: Tree) -> list[int]:
    """When the turns of a trace began, in nanoseconds since 1970 UTC; empty where it holds no agent and no model.

    A run of an agent without a parent in the trace begins a turn. Agents beside each other under one parent hand over
    within a turn. A trace with a model and no such run is one turn.
    """
    spans, kinds = tree.spans, tree.kinds
    runs = [spans[n].start_ns for n, above in enumerate(tree.parent) if above == NONE and kinds[n] is Kind.AGENT]
    if runs:
        return runs
    first = next((n for n, kind in enumerate(kinds) if kind in _THINKING), None)
    return [] if first is None else [spans[first].start_ns]
