"""Outside calls that stand beside a tool's span and not below it: callbacks that record a tool do not make it current.

Such a call belongs to the tool when it ran wholly within it, under the same parent, and nothing else ran then that
could have made it: no second tool there, no model anywhere in the trace.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from itertools import accumulate

from analytics.conventions.convention import Kind
from analytics.normalise.tree import NONE, Tree
from analytics.normalise.upstream import reaches_outside
from analytics.spans import Span


def adopted(tree: Tree) -> dict[int, list[Span]]:
    """Per tool span that nothing stands below: the outside calls beside it that it made, in order of start."""
    strays = [index for index in range(len(tree.spans)) if _is_stray(tree, index)] if tree.tools else []
    found: dict[int, list[Span]] = defaultdict(list)
    if not strays:
        return found
    beside = {tree.parent[index] for index in strays}
    above = {tree.parent[index] for index in range(len(tree.spans))}
    bare: dict[int, list[int]] = defaultdict(list)
    for tool in sorted(tree.tools):
        if tree.parent[tool] in beside:
            bare[tree.parent[tool]].append(tool)
    models = _Running(tree, tree.models)
    running = {parent: _Running(tree, tools) for parent, tools in bare.items()}
    for index in strays:
        tools = running.get(tree.parent[index])
        tool = tools.only_around(tree.spans[index]) if tools is not None else NONE
        if tool != NONE and tool not in above and not models.any_around(tree.spans[index]):
            found[tool].append(tree.spans[index])
    return found


def _is_stray(tree: Tree, index: int) -> bool:
    """Whether a span is an outside call with a parent, under no tool's span."""
    plain = tree.kinds[index] not in (Kind.TOOL, Kind.MODEL, Kind.AGENT)
    if not plain or tree.owner[index] != NONE or tree.parent[index] == NONE:
        return False
    return tree.kinds[tree.parent[index]] is not Kind.MODEL and reaches_outside(tree.spans[index])


class _Running:
    """Which of some spans, given in order of start, ran around another one."""

    def __init__(self, tree: Tree, indices: list[int]) -> None:
        self._indices = indices
        self._starts = [tree.spans[index].start_ns for index in indices]
        self._ends = [tree.spans[index].end_ns for index in indices]
        self._latest = list(accumulate(self._ends, max))

    def any_around(self, span: Span) -> bool:
        """Whether one of them began before a span and ended after it."""
        begun = bisect_right(self._starts, span.start_ns)
        return begun > 0 and self._latest[begun - 1] >= span.end_ns

    def only_around(self, span: Span) -> int:
        """The one that ran around a span, where no other of them ran at the same time; else `NONE`."""
        begun = bisect_right(self._starts, span.start_ns)
        if not begun or self._ends[begun - 1] < span.end_ns:
            return NONE
        earlier = begun > 1 and self._latest[begun - 2] >= span.start_ns
        later = begun < len(self._starts) and self._starts[begun] <= span.end_ns
        return NONE if earlier or later else self._indices[begun - 1]
