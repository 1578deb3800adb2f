"""Which failures ended the whole run: the exception of a call went up through its agent, and no model call followed."""

from __future__ import annotations

from bisect import bisect_left

from analytics.conventions.convention import Kind
from analytics.normalise.logical_call import LogicalCall, Meaning
from analytics.normalise.reading import ToolSpan
from analytics.normalise.tree import NONE, Tree

LOOK_AHEAD = 16
"""Model spans looked at for one that follows a failure; in a crowd of parallel agents it may be missed."""

_RAISED = frozenset({"event.exception", "span.status", "error.type"})


def mark_aborted(tree: Tree, calls: list[LogicalCall], members: list[list[ToolSpan]]) -> None:
    """Set `run_aborted` on calls whose failure ended their agent's run: no model and no tool was called after it."""
    if not any(_raised(call) for call in calls):
        return
    runs = _runs(tree)
    starts = [tree.spans[index].start_ns for index in tree.models]
    above = [tree.parent[group[0].index] for group in members]
    run_of = [runs[index] if index != NONE else NONE for index in above]
    last: dict[int, int] = {}
    for call, run in zip(calls, run_of, strict=True):
        last[run] = max(last.get(run, 0), call.span.start_ns)
    for call, run in zip(calls, run_of, strict=True):
        if run != NONE and _raised(call) and tree.failed(run) and last[run] <= call.span.end_ns:
            call.run_aborted = not model_follows(tree, starts, call.span.end_ns, run)


def _raised(call: LogicalCall) -> bool:
    return any(mark.name in _RAISED and mark.meaning is Meaning.FAILED for mark in call.marks)


def _runs(tree: Tree) -> list[int]:
    """Per span that is no tool's: the nearest agent at or above it, else the root; `NONE` where a tool is nearer."""
    runs = [NONE] * len(tree.spans)
    for index in tree.order:
        above = tree.parent[index]
        if tree.kinds[index] is Kind.AGENT or (above == NONE and tree.kinds[index] is not Kind.TOOL):
            runs[index] = index
        elif above != NONE and tree.kinds[index] is not Kind.TOOL:
            runs[index] = runs[above]
    return runs


def model_follows(tree: Tree, starts: list[int], after_ns: int, run: int) -> bool:
    """Whether a model was called in a run after a time (the first few later model spans are looked at)."""
    end = tree.spans[run].end_ns
    first = bisect_left(starts, after_ns)
    for place in range(first, min(first + LOOK_AHEAD, len(starts))):
        if starts[place] > end:
            return False
        if tree.is_under(tree.models[place], run):
            return True
    return False
