"""Which tool spans are one and the same call: client and server, one instrumentation beside another.

Two spans are one call when one stands below the other, within its time, without an agent or a model between them and
they name the same tool, or when they come from different instrumentations or services, name the same tool, and agree in
call id, or else in arguments and time. Equal call ids of one instrumentation are no proof: some models count from zero
every turn.
"""

from __future__ import annotations

from collections import defaultdict

from analytics.conventions.vocabulary import PROTOCOLS
from analytics.normalise.reading import ToolSpan, arguments_of
from analytics.normalise.tree import NONE, Tree
from analytics.normalise.values import MISSING, same_arguments

WINDOW = 64
"""Most calls of one tool, running at the same time, among which the other side of a call is looked for."""

_SEPARATORS = frozenset("-_./:")


def groups(tree: Tree) -> list[list[ToolSpan]]:
    """The tool spans of each call, outermost first; the calls in order of start."""
    top = {index: index for index in tree.tools}
    inner = [index for index in top if tree.parent[index] != NONE and tree.near[tree.parent[index]] != NONE]
    for index in sorted(inner, key=lambda i: tree.depth[i]):
        above = tree.near[tree.parent[index]]
        if _nested(tree.tools[above], tree.tools[index]):
            top[index] = top[above]
    _join_sides(tree, top)
    if not inner and all(index == root for index, root in top.items()):
        return [[tree.tools[index]] for index in sorted(top)]
    members: dict[int, list[ToolSpan]] = defaultdict(list)
    for index, tool in tree.tools.items():
        root = top[index]
        while top[root] != root:
            root = top[root]
        members[root].append(tool)
    for group in members.values():
        group.sort(key=lambda tool: (tree.depth[tool.index], tool.index))
    return sorted(members.values(), key=lambda group: group[0].index)


def _nested(outer: ToolSpan, inner: ToolSpan) -> bool:
    if not _same_tool(outer, inner) or _ids_differ(outer, inner) or _followed(outer, inner):
        return False
    known = outer.arguments is not MISSING and inner.arguments is not MISSING
    if not known or outer.span.scope_name != inner.span.scope_name:
        return True
    # A tool that calls itself has its own arguments again with other values; a wrapper around a tool has others.
    left, right = arguments_of(outer.arguments), arguments_of(inner.arguments)
    recursive = isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys()
    return not recursive or same_arguments(left, right)


def _followed(outer: ToolSpan, inner: ToolSpan) -> bool:
    """Whether one process began the inner span when the outer one was over: a retry below a span that leaked."""
    same_clock = outer.span.resource.get("service.name") == inner.span.resource.get("service.name")
    return same_clock and inner.span.start_ns > outer.span.end_ns


def _same_tool(left: ToolSpan, right: ToolSpan) -> bool:
    """Equal names; on one side of MCP also with a server's prefix (`calendar_book` and `book`)."""
    if left.tool == right.tool:
        return True
    if PROTOCOLS.isdisjoint((left.plan.convention, right.plan.convention)):
        return False
    short, long = sorted((left.tool, right.tool), key=len)
    return long.endswith(short) and long[-len(short) - 1] in _SEPARATORS


def _ids_differ(left: ToolSpan, right: ToolSpan) -> bool:
    return left.call_id is not None and right.call_id is not None and left.call_id != right.call_id


def _side(tool: ToolSpan) -> tuple[str, str]:
    return tool.span.scope_name, str(tool.span.resource.get("service.name"))


def _join_sides(tree: Tree, top: dict[int, int]) -> None:
    """Join calls that different instrumentations (or a server whose parent is unknown) recorded beside each other."""
    if len({_side(tool) for tool in tree.tools.values()}) < 2:
        return
    by_name: dict[str, list[ToolSpan]] = defaultdict(list)
    for index in sorted(index for index, root in top.items() if index == root):
        by_name[tree.tools[index].tool].append(tree.tools[index])
    for tools in by_name.values():
        if len({_side(tool) for tool in tools}) > 1:
            _join(tools, top)


def _join(tools: list[ToolSpan], top: dict[int, int]) -> None:
    """One sweep in order of start: each call takes at most one partner of each other side, the best of the window."""
    open_calls: list[ToolSpan] = []
    sides: dict[int, set[tuple[str, str]]] = {}
    for tool in tools:
        side = _side(tool)
        open_calls = [other for other in open_calls if other.span.end_ns >= tool.span.start_ns][-WINDOW:]
        best: ToolSpan | None = None
        rank = 0
        for other in open_calls:
            score = 0 if side in sides[other.index] else _agreement(other, tool)
            if score > rank:
                best, rank = other, score
        if best is None:
            sides[tool.index] = {side}
            open_calls.append(tool)
            continue
        sides[best.index].add(side)
        top[tool.index] = best.index


def _agreement(left: ToolSpan, right: ToolSpan) -> int:
    """How well two overlapping spans of one tool agree to be one call; 0 where they do not."""
    if left.call_id is not None and right.call_id is not None:
        return 3 if left.call_id == right.call_id else 0
    if left.arguments is MISSING or right.arguments is MISSING:
        return 1
    return 2 if same_arguments(arguments_of(left.arguments), arguments_of(right.arguments)) else 0
