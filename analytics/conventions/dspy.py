"""DSPy under OpenInference's instrumentation (scope `openinference.instrumentation.dspy`).

A tool's span is named after the method that ran it, `X.__call__` or `X.acall`, and nothing else holds the tool's name.
`dspy.ReAct` ends its loop with a tool of its own under the name `finish`, for which an app can have none.
"""

from __future__ import annotations

from analytics.conventions.convention import Convention

_METHODS = (".__call__", ".acall")


def _without_method(tool: str) -> str:
    for method in _METHODS:
        if tool.endswith(method):
            return tool[: -len(method)]
    return tool


DSPY = Convention(
    name="dspy",
    named=("openinference.instrumentation.dspy",),
    rename=_without_method,
    skip=frozenset(f"finish{method}" for method in _METHODS),
)
