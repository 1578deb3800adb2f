"""What a model span shows of the conversation: the user's words and the model's, in whichever convention.

The replay shows them; whether a user was told of a failure rests on the model's last words. Nothing here raises, and
nothing here decides which spans are tool calls (`analytics.normalise`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from analytics.conventions.convention import Kind
from analytics.conventions.vocabulary import kind_of
from analytics.judge import Answer
from analytics.spans import Event, Span
from telltale.payload.wrappers import decode

MAX_NODES = 20_000
"""Most lists and objects looked at in the messages of one span."""

MAX_TEXT = 20_000
"""Most characters kept of one message."""

USER, MODEL = "user", "model"

_ROLES = {
    "user": USER,
    "human": USER,
    "assistant": MODEL,
    "ai": MODEL,
    "model": MODEL,
    "HumanMessage": USER,
    "AIMessage": MODEL,
    "AIMessageChunk": MODEL,
}
_IN_KEYS = (
    "gen_ai.input.messages",
    "gcp.vertex.agent.llm_request",
    "ai.prompt.messages",
    "ai.prompt",
    "gen_ai.prompt",
    "langfuse.observation.input",
    "haystack.agent.step.llm.input",
    "request_data",
    "input",
    "input.value",
    "traceloop.entity.input",
)
_OUT_KEYS = (
    "gen_ai.output.messages",
    "gcp.vertex.agent.llm_response",
    "ai.response.text",
    "gen_ai.completion",
    "langfuse.observation.output",
    "haystack.agent.step.llm.output",
    "output",
    "output.value",
    "traceloop.entity.output",
)
_FLAT_IN = ("llm.input_messages", "gen_ai.prompt")
_FLAT_OUT = ("llm.output_messages", "gen_ai.completion")
_EVENTS = {"gen_ai.user.message": USER, "gen_ai.assistant.message": MODEL, "gen_ai.choice": MODEL}
_INSIDE = (
    "messages",
    "contents",
    "content",
    "parts",
    "message",
    "choices",
    "candidates",
    "kwargs",
    "generations",
    "output",
)
_MODEL_KEYS = ("gen_ai.request.model", "gen_ai.response.model", "llm.model_name", "ai.model.id")


@dataclass(slots=True)
class Said:
    """What one model span says: the user's texts so far, and the model's answer (None where it only called tools)."""

    model: str | None = None
    user: list[str] = field(default_factory=list)
    answer: str | None = None


@dataclass(slots=True, frozen=True)
class Message:
    """One message with a text."""

    role: str
    text: str


def is_model(span: Span) -> bool:
    """Whether a span is a call of a model."""
    return kind_of(span)[0] is Kind.MODEL


def said_in(span: Span) -> Said:
    """What a model span says."""
    model = next((span.attributes[key] for key in _MODEL_KEYS if span.attributes.get(key)), None)
    given = _messages(span, _IN_KEYS, _FLAT_IN, USER)
    answers = [message.text for message in _messages(span, _OUT_KEYS, _FLAT_OUT, MODEL) if message.role == MODEL]
    for event in span.events:
        message = _event(event)
        if message is not None and message.role == USER:
            given.append(message)
        elif message is not None and event.name == "gen_ai.choice":
            answers.append(message.text)
    return Said(
        model=str(model) if model else None,
        user=[message.text for message in given if message.role == USER],
        answer=answers[-1] if answers else None,
    )


def answers_in(spans: Iterable[Span]) -> list[Answer]:
    """What the agent said in a trace: the model's own words, where it did not only call tools."""
    found = []
    for span in spans:
        if is_model(span):
            text = said_in(span).answer
            if text:
                found.append(Answer(span.end_ns, text))
    return found


def _messages(span: Span, keys: tuple[str, ...], flat: tuple[str, ...], role: str) -> list[Message]:
    for prefix in flat:
        found = _flattened(span.attributes, prefix, role)
        if found:
            return found
    for key in keys:
        if key in span.attributes:
            found = list(messages_in(_decoded(span.attributes[key]), role))
            if found:
                return found
    return []


def _flattened(attributes: dict[str, Any], prefix: str, role: str) -> list[Message]:
    """`<prefix>.N.[message.]role|content` (OpenInference, and OpenLLMetry's older names)."""
    if not any(key.startswith(prefix + ".0") for key in attributes):
        return []
    rows: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        if not key.startswith(prefix + "."):
            continue
        number, _, rest = key[len(prefix) + 1 :].partition(".")
        rest = rest.removeprefix("message.")
        if number.isdigit() and (rest in ("role", "content") or rest.endswith("message_content.text")):
            rows.setdefault(int(number), {})[rest.rpartition(".")[2]] = value
    found = []
    for _, row in sorted(rows.items()):
        text = row.get("content", row.get("text"))
        if isinstance(text, str) and text.strip():
            known = _ROLES.get(str(row.get("role", "")))
            if known or "role" not in row:
                found.append(Message(known or role, text[:MAX_TEXT]))
    return found


def messages_in(value: Any, role: str) -> Iterator[Message]:
    """The messages of a decoded message list in their order; texts without a role of their own are `role`'s."""
    stack: list[tuple[Any, str | None]] = [(value, role)]
    seen = 0
    while stack and seen < MAX_NODES:
        node, speaker = stack.pop()
        seen += 1
        if isinstance(node, str):
            if speaker is not None and node.strip():
                yield Message(speaker, node[:MAX_TEXT])
        elif isinstance(node, list):
            stack.extend((each, speaker) for each in reversed(node))
        elif isinstance(node, dict):
            stack.extend(reversed(_inside(node, _speaker(node, speaker))))


def _speaker(node: dict[str, Any], inherited: str | None) -> str | None:
    """Who speaks in a message object; None for system and tool messages, whose texts are not shown as anybody's."""
    named = node.get("role")
    if isinstance(named, str):
        return _ROLES.get(named)
    kind = node.get("type")
    if isinstance(kind, str) and kind in ("human", "ai", "system", "tool"):
        return _ROLES.get(kind)
    if node.get("lc") and isinstance(node.get("id"), list) and node["id"]:
        return _ROLES.get(str(node["id"][-1]), inherited)
    return inherited


_TEXTLESS = frozenset(
    {
        *("tool_call", "tool_call_response", "tool_use", "tool_result", "function_call", "function_call_output"),
        *("tool-call", "tool-result", "thinking", "reasoning", "redacted_thinking", "image", "image_url"),
    }
)


def _inside(node: dict[str, Any], speaker: str | None) -> list[tuple[Any, str | None]]:
    if node.get("type") in _TEXTLESS or "functionCall" in node or "function_call" in node:
        return []
    if "toolUse" in node or "toolResult" in node or "function_response" in node or "functionResponse" in node:
        return []
    text = node.get("text")
    found: list[tuple[Any, str | None]] = [(text, speaker)] if isinstance(text, str) else []
    return found + [(node[key], speaker) for key in _INSIDE if isinstance(node.get(key), dict | list | str)]


def _event(event: Event) -> Message | None:
    role = _EVENTS.get(event.name)
    if role is None:
        return None
    for key in ("content", "message"):
        if key in event.attributes:
            texts = [each.text for each in messages_in(_decoded(event.attributes[key]), role)]
            if texts:
                return Message(role, "\n".join(texts))
    return None


def _decoded(sent: Any) -> Any:
    if isinstance(sent, str) and sent[:1] in ("[", "{", '"'):
        return decode(sent)
    return sent
