"""The inner side of a call that its framework records as a step: an execution below the span of the whole call.

The outer span holds names and values, the wait for a person's word counts in it, and only the inner one may say that
the tool failed. It is no tool span, since it names no tool; it is told by the call's own id, or by its name where the
convention lists it.
"""

from __future__ import annotations

from analytics.conventions.convention import Kind
from analytics.conventions.vocabulary import Plan
from analytics.normalise.tree import NONE, Tree
from analytics.spans import Span


def parts_of(tree: Tree) -> dict[int, Span]:
    """Per tool span, the inner span of the same call right below it; of several (attempts) the last decides."""
    found: dict[int, Span] = {}
    for index, span in enumerate(tree.spans):
        above = tree.parent[index]
        if above == NONE or tree.kinds[index] not in (Kind.OTHER, Kind.STEP):
            continue
        tool = tree.tools.get(above)
        if tool is not None and _is_part(span, tool.plan, tool.call_id):
            found[above] = span
    return found


def _is_part(span: Span, plan: Plan, call_id: str | None) -> bool:
    if any(span.name in convention.parts for convention in plan.spoken):
        return True
    return call_id is not None and any(span.attributes.get(key) == call_id for key in plan.call_id)
