"""The tree of one trace: parents, and the tool span that each span works for. Linear, without recursion.

Spans are put in order of start time and id first, so that nothing below depends on the order of arrival.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from analytics.conventions.convention import Kind
from analytics.conventions.vocabulary import kind_of
from analytics.normalise.reading import ToolSpan, read_tool_span
from analytics.normalise.unwritten import find_unwritten, says_nothing
from analytics.spans import ERROR, Span, Trace

NONE = -1


@dataclass(slots=True)
class Tree:
    """One trace, its spans indexed by start time.

    `parent` holds the index of each span's parent (`NONE` for roots and orphans; loops are cut), `depth` the distance
    to the root. `owner` is the index of the nearest tool span at or above a span, across agents but not across models
    (`NONE` where there is none); `near` the same, across neither. `tools` maps indices to their readings, `models` are
    the indices of model spans in order of start. In `order`, parents stand
    before their children.
    """

    spans: list[Span]
    kinds: list[Kind]
    parent: list[int]
    depth: list[int]
    owner: list[int]
    near: list[int]
    tools: dict[int, ToolSpan]
    models: list[int]
    order: list[int]
    _spread: tuple[list[int], list[int]] | None = None
    _failed: dict[int, bool] = field(default_factory=dict)

    def failed(self, index: int) -> bool:
        """Whether a span says that it failed: its status, or an exception event."""
        if index not in self._failed:
            self._failed[index] = failed(self.spans[index])
        return self._failed[index]

    def is_under(self, index: int, ancestor: int) -> bool:
        """Whether one span is the other or stands below it; constant time after the first question."""
        if self._spread is None:
            self._spread = _intervals(self.order, self.parent)
        begin, size = self._spread
        return begin[ancestor] <= begin[index] < begin[ancestor] + size[ancestor]


def failed(span: Span) -> bool:
    """Whether a span says that it failed: its status, or an exception event."""
    return span.status_code == ERROR or any(event.name == "exception" for event in span.events)


def build(trace: Trace) -> Tree:
    """The tree of a trace, whatever the order, with each span id once."""
    spans = _in_order(trace.spans)
    kinds: list[Kind] = []
    tools: dict[int, ToolSpan] = {}
    models: list[int] = []
    silent: list[int] = []
    for index, span in enumerate(spans):
        kind, voters = kind_of(span)
        if kind is Kind.TOOL:
            reading = read_tool_span(span, index, voters)
            if reading is None:
                kind = Kind.STEP
            else:
                tools[index] = reading
        elif kind is Kind.MODEL:
            models.append(index)
        elif kind is Kind.OTHER and says_nothing(span):
            silent.append(index)
        kinds.append(kind)
    if silent:
        for index, reading in find_unwritten(spans, silent, tools).items():
            tools[index], kinds[index] = reading, Kind.TOOL
    by_id = {span.span_id: index for index, span in enumerate(spans)}
    parent = [by_id.get(span.parent_span_id, NONE) if span.parent_span_id else NONE for span in spans]
    depth, order = _depths(parent)
    owner, near = _owners(order, parent, kinds)
    return Tree(spans, kinds, parent, depth, owner, near, tools, models, order)


def _in_order(spans: list[Span]) -> list[Span]:
    """Each span id once (of differing copies the longer one), by start time, then id."""
    unique: dict[str, Span] = {}
    for span in spans:
        known = unique.get(span.span_id)
        if known is None or _completeness(span) > _completeness(known):
            unique[span.span_id] = span
    return sorted(unique.values(), key=lambda span: (span.start_ns, span.span_id))


def _completeness(span: Span) -> tuple[int, int, int, int]:
    return span.end_ns, len(span.attributes), len(span.events), span.status_code


def _depths(parent: list[int]) -> tuple[list[int], list[int]]:
    """Depth of each span, and an order in which parents stand before their children; loops are cut at one span."""
    depth = [NONE] * len(parent)
    order: list[int] = []
    for start in range(len(parent)):
        path: list[int] = []
        at = start
        while at != NONE and depth[at] == NONE:
            depth[at] = NONE - 1  # on the path
            path.append(at)
            at = parent[at]
        if at != NONE and depth[at] == NONE - 1:
            parent[path[-1]] = NONE
            at = NONE
        level = depth[at] + 1 if at != NONE else 0
        for index in reversed(path):
            depth[index] = level
            level += 1
            order.append(index)
    return depth, order


def _owners(order: list[int], parent: list[int], kinds: list[Kind]) -> tuple[list[int], list[int]]:
    owner = [NONE] * len(parent)
    near = [NONE] * len(parent)
    for index in order:
        kind = kinds[index]
        above = parent[index]
        if kind is Kind.TOOL:
            owner[index] = near[index] = index
        elif kind is not Kind.MODEL and above != NONE:
            owner[index] = owner[above]
            near[index] = NONE if kind is Kind.AGENT else near[above]
    return owner, near


def _intervals(order: list[int], parent: list[int]) -> tuple[list[int], list[int]]:
    """Each span's place in a walk that finishes a subtree before the next, and the number of spans in its subtree."""
    size = [1] * len(parent)
    for index in reversed(order):
        if parent[index] != NONE:
            size[parent[index]] += size[index]
    begin = [0] * len(parent)
    free = [0] * len(parent)
    roots = 0
    for index in order:
        above = parent[index]
        if above == NONE:
            begin[index] = roots
            roots += size[index]
        else:
            begin[index] = free[above]
            free[above] += size[index]
        free[index] = begin[index] + 1
    return begin, size
