"""Tool spans that say nothing but their name.

Many instrumentations write a tool span's attributes once the tool has returned, so that the span of a call that raised
(or was refused before it ran) bears none that tells what it is. It is found by its name: as the GenAI conventions name
every such span, `execute_tool X` (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/), or as the other
tool spans of its scope in the trace are named. What came of the call stands in the model's next input, if anywhere: the
silence itself is no evidence, for a call may be pending, or its tool of a kind that is never written.
"""

from __future__ import annotations

from typing import NamedTuple

from analytics.conventions.convention import Kind
from analytics.conventions.vocabulary import OWN_KEYS, Plan, plan_of, voters_of
from analytics.normalise.reading import ToolSpan, read_unwritten
from analytics.spans import Span

_WORD = "tool"
_PREFIX = "execute_tool "
_VOTERS = voters_of("gen_ai.operation.name", "execute_tool", Kind.TOOL)


class _Shape(NamedTuple):
    """How a scope names its tool spans: what stands before and behind the tool's name."""

    before: str
    behind: str


def says_nothing(span: Span) -> bool:
    """Whether a span's name speaks of a tool, and no attribute tells what the span is."""
    return _WORD in span.name and OWN_KEYS.isdisjoint(span.attributes)


def find_unwritten(spans: list[Span], silent: list[int], tools: dict[int, ToolSpan]) -> dict[int, ToolSpan]:
    """The tool spans among those that say nothing, by index.

    Args:
        spans: the spans of the trace.
        silent: the indices of those for which `says_nothing` holds.
        tools: the tool spans that do say what they are: how a scope names its own is learnt from them.
    """
    scopes = {spans[index].scope_name for index in silent}
    shapes: dict[str, dict[_Shape, Plan]] = {scope: {} for scope in scopes}
    for tool in tools.values():
        known = shapes.get(tool.span.scope_name)
        shape = None if known is None else _shape(tool)
        if known is not None and shape is not None:
            known.setdefault(shape, tool.plan)
    found: dict[int, ToolSpan] = {}
    for index in silent:
        span = spans[index]
        known = {_Shape(_PREFIX, ""): plan_of(_VOTERS, span.scope_name)} | shapes[span.scope_name]
        for shape, plan in known.items():
            name = _named(span.name, shape)
            reading = read_unwritten(span, index, plan, name) if name else None
            if reading is not None:
                found[index] = reading
                break
    return found


def _shape(tool: ToolSpan) -> _Shape | None:
    """What a tool span's name has around the tool's; None where that does not speak of a tool itself."""
    before, own, behind = tool.span.name.rpartition(tool.tool)
    shape = _Shape(before, behind) if own else None
    return shape if shape is not None and _WORD in before + " " + behind else None


def _named(name: str, shape: _Shape) -> str | None:
    """The tool's name in a span's name of a shape: one word."""
    if not name.startswith(shape.before) or not name.endswith(shape.behind):
        return None
    own = name[len(shape.before) : len(name) - len(shape.behind)]
    return own if own and " " not in own else None
