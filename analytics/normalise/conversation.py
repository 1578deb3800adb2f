"""What the model asked for and what it was told, over one trace: model spans, their events, and log records.

Every model span repeats the conversation so far, so the last one is read first, and an earlier one only where it
follows a call whose answer is still missing: each is read once at most.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

from analytics.conventions.vocabulary import MESSAGES_IN, MESSAGES_OUT, SCOPED
from analytics.normalise.exchange import Exchange, Request, Response, merged
from analytics.normalise.flattened import read_flattened
from analytics.normalise.messages import read_messages
from analytics.normalise.tree import Tree
from analytics.spans import Event, LogRecord, Span
from telltale.payload.wrappers import decode

_EVENT_OUT = frozenset({"gen_ai.choice", "gen_ai.client.inference.operation.details"})
_EVENT_IN = frozenset({"gen_ai.assistant.message", "gen_ai.tool.message", "gen_ai.client.inference.operation.details"})

NEXT_MODELS = 3
"""Model spans after a call in which its answer is looked for; other agents' may come between."""


@dataclass(slots=True)
class Asked:
    """A tool call that the model asked for: in which span (index, -1 where only a log knows it), and when.

    `turn` counts earlier requests under the same call id: some models count their calls from zero in every answer.
    """

    request: Request
    index: int
    span_id: str
    time_ns: int
    source: str
    turn: int = 0


@dataclass(slots=True)
class Answered:
    """The answer to a tool call that a later message shows, and where."""

    response: Response
    span_id: str
    source: str


@dataclass(slots=True)
class Conversation:
    """Requests in order of time, each once; answers by call id, and those without an id by tool name, in order."""

    asked: list[Asked] = field(default_factory=list)
    by_id: dict[str, list[Answered]] = field(default_factory=dict)
    by_tool: dict[str, deque[Answered]] = field(default_factory=lambda: defaultdict(deque))

    def answer(self, call_id: str | None, turn: int = 0) -> Answered | None:
        """The answer under a call id; of several under one id, the one for that turn."""
        answers = self.by_id.get(call_id or "")
        return answers[min(turn, len(answers) - 1)] if answers else None


def read_conversation(tree: Tree, logs: list[LogRecord], wanted: dict[str, int]) -> Conversation:
    """The conversation of a trace.

    Args:
        tree: the trace.
        logs: its log records.
        wanted: call ids of tool spans and their start times: answers to them are looked for.
    """
    found = Conversation()
    _read_outputs(tree, logs, found)
    if not found.asked:
        _requests_from_inputs(tree, found)
    ids = dict(wanted)
    for asked in found.asked:
        if asked.request.call_id:
            ids.setdefault(asked.request.call_id, asked.time_ns)
    _read_log_inputs(logs, found)
    _read_inputs(tree, found, ids)
    found.asked.sort(key=lambda a: (a.time_ns, a.span_id))
    return found


def _read_outputs(tree: Tree, logs: list[LogRecord], found: Conversation) -> None:
    seen: dict[tuple[str, str], tuple[int, int]] = {}
    for index in tree.models:
        span = tree.spans[index]
        exchange, source = outputs_of(span)
        for request in exchange.requests:
            _ask(found, seen, Asked(request, index, span.span_id, span.end_ns, source), span.start_ns)
    for log in sorted(logs, key=lambda log: (log.time_ns, log.span_id)):
        if log.event in _EVENT_OUT:
            exchange = merged([read_messages(log.attributes.get("gen_ai.output.messages")), read_messages(log.body)])
            for request in exchange.requests:
                asked = Asked(request, -1, log.span_id, log.time_ns, f"log {log.event}")
                _ask(found, seen, asked, log.time_ns - _SAME_ANSWER_NS)


def _ask(found: Conversation, seen: dict[tuple[str, str], tuple[int, int]], asked: Asked, began_ns: int) -> None:
    """Keep a request unless another span or record of the same model call, running at that time, gave it already."""
    request = asked.request
    if request.call_id is not None:
        key = (request.call_id, request.tool)
        ended_ns, turn = seen.get(key, (None, -1))
        if ended_ns is not None and began_ns <= ended_ns:
            return
        asked.turn = turn + 1
        seen[key] = (asked.time_ns, asked.turn)
    found.asked.append(asked)


_SAME_ANSWER_NS = 50_000_000
"""A log record of a model's answer is written this soon after it."""


@dataclass(frozen=True, slots=True)
class _Side:
    """Where one side of a model call stands: attribute prefixes, attributes, events, and the events' attributes."""

    name: str
    flat: tuple[str, ...]
    keys: tuple[str, ...]
    events: frozenset[str]
    event_keys: tuple[str, ...]


_OUT = _Side(
    "output", ("llm.output_messages", "gen_ai.completion"), MESSAGES_OUT, _EVENT_OUT, ("message", "tool_calls")
)
_IN = _Side("input", ("llm.input_messages", "gen_ai.prompt"), MESSAGES_IN, _EVENT_IN, ("content", "tool_calls"))


_FLAT_HINTS = (
    frozenset(
        {
            *("openinference.span.kind", "llm.model_name", "llm.provider", "llm.invocation_parameters"),
            *("llm.output_messages.0.message.role", "llm.output_messages.0.message.tool_calls.0.tool_call.id"),
        }
    ),
    frozenset({"gen_ai.prompt.0.role", "gen_ai.completion.0.role", "gen_ai.completion.0.finish_reason"}),
)
"""Any of these says that messages may be spread over attributes: OpenInference's way, OpenLLMetry's older way."""

_SPEAKING = frozenset(
    {*MESSAGES_IN, *MESSAGES_OUT, *(key for c in SCOPED for key in (*c.messages_in, *c.messages_out))}
).union(*_FLAT_HINTS)
"""A model span with none of these, and without events, shows no messages."""


def outputs_of(span: Span) -> tuple[Exchange, str]:
    """What a model span says that the model answered, and the attribute or event that said it."""
    return _of(span, _OUT)


def inputs_of(span: Span) -> tuple[Exchange, str]:
    """What a model span says that the model was given, and the attribute or event that said it."""
    return _of(span, _IN)


def _of(span: Span, side: _Side) -> tuple[Exchange, str]:
    attributes = span.attributes
    if not span.events and _SPEAKING.isdisjoint(attributes):
        return Exchange(), ""
    nameless: tuple[Exchange, str] | None = None
    for hints, prefix in zip(_FLAT_HINTS, side.flat, strict=True):
        if not hints.isdisjoint(attributes):
            exchange = read_flattened(attributes, prefix)
            if _has_ids(exchange):
                return exchange, prefix
            if exchange.requests:
                nameless = exchange, prefix
    for key in _keys(span, side):
        if key in attributes:
            exchange = _listed(attributes[key], side) if key == "events" else read_messages(attributes[key])
            if _has_ids(exchange) or (nameless is None and (exchange.requests or exchange.responses)):
                return exchange, key
    if nameless is not None:
        return nameless
    parts = [_of_event(event, side) for event in span.events if event.name in side.events]
    return merged(parts), "events"


def _has_ids(exchange: Exchange) -> bool:
    """Whether call ids were recorded: OpenInference's JavaScript leaves them out of its flattened messages alone."""
    asked = any(request.call_id is not None for request in exchange.requests)
    return asked or any(response.call_id is not None for response in exchange.responses)


def _listed(sent: Any, side: _Side) -> Exchange:
    """One side of a list of GenAI events, each with its `event.name`."""
    events = decode(sent) if isinstance(sent, str) else sent
    parts = []
    for event in events if isinstance(events, list) else ():
        name = event.get("event.name") if isinstance(event, dict) else None
        if isinstance(name, str) and name in side.events:
            bare = _bare(event) if name == "gen_ai.tool.message" else []
            parts.append(Exchange([], bare) if bare else read_messages(event))
    return merged(parts)


def _keys(span: Span, side: _Side) -> tuple[str, ...]:
    own: tuple[str, ...] = ()
    for convention in SCOPED:
        if span.scope_name.startswith(convention.scopes):
            own += convention.messages_out if side is _OUT else convention.messages_in
    return own + side.keys


def _of_event(event: Event, side: _Side) -> Exchange:
    details = event.attributes.get(f"gen_ai.{side.name}.messages")
    if details is not None:
        return read_messages(details)
    exchange = merged(read_messages(event.attributes[key]) for key in side.event_keys if key in event.attributes)
    if event.name == "gen_ai.tool.message" and not exchange.responses:
        return Exchange([], _bare(event.attributes))
    return exchange


def _bare(body: Any) -> list[Response]:
    """`gen_ai.tool.message`: the call's id and the content stand beside each other."""
    if not isinstance(body, dict) or not isinstance(body.get("id"), str) or "content" not in body:
        return []
    return [Response(body["id"], None, body["content"])]


def _read_log_inputs(logs: list[LogRecord], found: Conversation) -> None:
    for log in sorted(logs, key=lambda log: (log.time_ns, log.span_id), reverse=True):
        if log.event not in _EVENT_IN:
            continue
        exchange = read_messages(log.attributes.get("gen_ai.input.messages"))
        if log.event == "gen_ai.tool.message":
            body = decode(log.body) if isinstance(log.body, str) else log.body
            exchange.responses += _bare(body) or read_messages(body).responses
        _answer(found, exchange, log.span_id, f"log {log.event}")


def _read_inputs(tree: Tree, found: Conversation, ids: dict[str, int]) -> None:
    """Look for the answers to calls: in the last model span first, then, for each call still without one, latest
    first, in the model spans that came right after it.
    """
    if not tree.models:
        return
    read: set[int] = set()
    if ids or any(asked.request.call_id is None for asked in found.asked):
        _read_input(tree, found, len(tree.models) - 1, read)
    starts = [tree.spans[index].start_ns for index in tree.models]
    for time, call_id in sorted(((time, call_id) for call_id, time in ids.items()), reverse=True):
        if call_id in found.by_id:
            continue
        first = bisect_left(starts, time)
        for place in range(first, min(first + NEXT_MODELS, len(starts))):
            _read_input(tree, found, place, read)
            if call_id in found.by_id:
                break


def _read_input(tree: Tree, found: Conversation, place: int, read: set[int]) -> None:
    if place not in read:
        read.add(place)
        span = tree.spans[tree.models[place]]
        exchange, source = inputs_of(span)
        _answer(found, exchange, span.span_id, source)


def _answer(found: Conversation, exchange: Exchange, span_id: str, source: str) -> None:
    """Keep the answers of one set of messages, for ids and tools that had none; several under one id in their order."""
    nameless = not any(found.by_tool.values())
    new: dict[str, list[Answered]] = {}
    for response in exchange.responses:
        answered = Answered(response, span_id, source)
        if response.call_id is not None:
            if response.call_id not in found.by_id:
                new.setdefault(response.call_id, []).append(answered)
        elif response.tool is not None and nameless:
            found.by_tool[response.tool].append(answered)
    found.by_id.update(new)


def _requests_from_inputs(tree: Tree, found: Conversation) -> None:
    """Where no output is recorded: what the last model span's history has beyond the first one's."""
    if len(tree.models) < 2:
        return
    first, last = tree.spans[tree.models[0]], tree.spans[tree.models[-1]]
    before = {request.call_id for request in inputs_of(first)[0].requests}
    exchange, source = inputs_of(last)
    for request in exchange.requests:
        if request.call_id is not None and request.call_id not in before:
            found.asked.append(Asked(request, tree.models[0], first.span_id, first.end_ns, source))
