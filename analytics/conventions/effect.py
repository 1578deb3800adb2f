"""Effect's AI modules: the span of a call is named `Toolkit.handle` and bears two bare words, `tool` and `parameters`.

What the handler returned is in no span; a failure that it hands to the caller ends the span with an exception.
"""

from __future__ import annotations

from analytics.conventions.convention import ANY, Convention, Kind

EFFECT = Convention(
    name="effect",
    span_names=frozenset({"Toolkit.handle"}),
    kinds={"tool": {ANY: Kind.TOOL}},
    tool=("tool",),
    arguments=("parameters",),
    switches={"result": "Effect records no results: annotate the handler's span with gen_ai.tool.call.result"},
)
