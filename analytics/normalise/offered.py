"""Which tools a model was offered, where its span lists them: a request for any other is for an unknown tool."""

from __future__ import annotations

from typing import Any

from analytics.spans import Span
from telltale.payload.wrappers import decode

_LISTS = ("gen_ai.tool.definitions", "ai.prompt.tools", "gen_ai.request.tools")
_FLAT = ("llm.tools.", ".tool.json_schema")
_OLD = ("llm.request.functions.", ".name")
MAX_TOOLS = 2_000
"""Most definitions looked at on one span."""


def offered(span: Span) -> frozenset[str]:
    """Names of the tools that a model span lists; empty where it lists none, or where some may have been dropped."""
    if span.dropped_attributes or any(key in span.cut for key in _LISTS):
        return frozenset()
    names: set[str] = set()
    for key in _LISTS:
        if key in span.attributes:
            _collect(span.attributes[key], names)
    if not names:
        for key, value in span.attributes.items():
            if key.startswith(_FLAT[0]) and key.endswith(_FLAT[1]):
                _collect([value], names)
            elif key.startswith(_OLD[0]) and key.endswith(_OLD[1]) and isinstance(value, str):
                names.add(value)
    return frozenset(names)


def _collect(sent: Any, names: set[str]) -> None:
    definitions = decode(sent) if isinstance(sent, str) else sent
    for entry in definitions[:MAX_TOOLS] if isinstance(definitions, list) else ():
        definition = decode(entry) if isinstance(entry, str) else entry
        if not isinstance(definition, dict):
            continue
        inner = definition.get("function")
        name = (inner if isinstance(inner, dict) else definition).get("name")
        if isinstance(name, str):
            names.add(name)
