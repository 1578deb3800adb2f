"""Which failures ended the whole run: the exception of a call went up through its agent, and no model call followed."""

from __future__ import annotations

from bisect import bisect_left

from analytics.conventions.convention import Kind
from analytics.normalise.logical_call import LogicalCall, Meaning
from analytics.normalise.reading import ToolSpan
from analytics.normalise.tree import NONE, Tree
from analytics.normalise.upstream import failed

_RAISED = frozenset({"event.exception", "span.status", "error.type"})


def mark_aborted(tree: Tree, calls: list[LogicalCall], members: list[list[ToolSpan]]) -> None:
    """Set `run_aborted` on calls whose failure ended their agent's run."""
    starts = [tree.spans[index].start_ns for index in tree.models]
    for call, group in zip(calls, members, strict=True):
        if not any(mark.name in _RAISED and mark.meaning is Meaning.FAILED for mark in call.marks):
            continue
        run = _failed_run(tree, group[0].index)
        if run != NONE:
            call.run_aborted = not _model_follows(tree, starts, call, run)


def _failed_run(tree: Tree, index: int) -> int:
    """The nearest agent above that failed; where no span is an agent's, the root, if it failed."""
    at, last = tree.parent[index], NONE
    while at != NONE and tree.kinds[at] is not Kind.TOOL:
        if tree.kinds[at] is Kind.AGENT:
            return at if failed(tree.spans[at]) else NONE
        last = at
        at = tree.parent[at]
    return last if last != NONE and at == NONE and failed(tree.spans[last]) else NONE


def _model_follows(tree: Tree, starts: list[int], call: LogicalCall, run: int) -> bool:
    """Whether a model was called in the run after the call ended (the first few later ones are looked at)."""
    end = tree.spans[run].end_ns
    first = bisect_left(starts, call.span.end_ns)
    for place in range(first, min(first + 8, len(starts))):
        index = tree.models[place]
        if starts[place] > end:
            return False
        at = index
        while at != NONE and tree.depth[at] > tree.depth[run]:
            at = tree.parent[at]
        if at == run:
            return True
    return False
