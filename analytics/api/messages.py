"""What a model span shows of the conversation, in whichever convention it was written.

Only for showing: no verdict rests on this.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from analytics.spans import Span


@dataclass(slots=True)
class Said:
    """What one model span says: the user's texts, the model's answer, and the tool results it was given by call id."""

    model: str | None = None
    user: list[str] = field(default_factory=list)
    answer: str | None = None
    tool_results: dict[str, str] = field(default_factory=dict)


_OPERATIONS = ("chat", "generate_content", "text_completion", "completion")


def said_in(span: Span) -> Said | None:
    """What a model span says; None for spans that are no model's."""
    kind = str(span.attributes.get("openinference.span.kind", "")).upper()
    if span.attributes.get("gen_ai.operation.name") not in _OPERATIONS and kind != "LLM":
        return None
    model = span.attributes.get("gen_ai.request.model") or span.attributes.get("llm.model_name")
    return Said(model=str(model) if model else None)
