"""Semantic Kernel: GenAI names, the tool called `<plugin>-<function>`; results as Python reprs."""

from __future__ import annotations

from analytics.conventions.convention import Convention

_ON = "SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE=true"


def _function(name: str) -> str:
    return name.rpartition("-")[2] or name


SEMANTIC_KERNEL = Convention(
    name="semantic_kernel",
    named=("semantic_kernel", "Microsoft.SemanticKernel"),
    rename=_function,
    switches={
        "arguments": _ON,
        "result": _ON,
        "session": "Semantic Kernel records none: set session.id with a span processor",
    },
)
