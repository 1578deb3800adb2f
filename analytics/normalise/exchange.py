"""What one set of a model's messages shows: the tool calls it asked for and the answers it was given."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Request:
    """A tool call that the model asked for."""

    call_id: str | None
    tool: str
    arguments: Any


@dataclass(slots=True)
class Response:
    """What the model was given as the answer to a tool call: the message or part as it stands.

    `content` is `MISSING` where the part is there without its content (content capture off). `after` is how many
    requests stand before it in its set of messages.
    """

    call_id: str | None
    tool: str | None
    content: Any
    after: int = 0


@dataclass(slots=True)
class Exchange:
    """The tool calls and answers found in one set of messages, in their order."""

    requests: list[Request] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)


def merged(exchanges: Iterable[Exchange]) -> Exchange:
    """Several exchanges as one, in their order."""
    whole = Exchange()
    for exchange in exchanges:
        whole.requests += exchange.requests
        whole.responses += exchange.responses
    return whole


def with_ids(found: Exchange) -> Exchange:
    """Gives answers without a call id that of the request they answer, and returns the exchange.

    Google's Gen AI SDK leaves the id out of what it answers to a call that has one. Such an answer belongs to the first
    call of its tool, among those asked for since the answers before it, that has no other answer.
    """
    loose = any(response.call_id is None and response.tool is not None for response in found.responses)
    if not loose or not any(request.call_id is not None for request in found.requests):
        return found
    answered = {response.call_id for response in found.responses}
    waiting: dict[str, deque[Request]] = {}
    end = 0
    for response in sorted(found.responses, key=lambda response: response.after):
        if response.after > end:
            waiting = {}
            for request in found.requests[end : response.after]:
                if request.call_id is not None and request.call_id not in answered:
                    waiting.setdefault(request.tool, deque()).append(request)
            end = response.after
        if response.call_id is None and response.tool is not None and waiting.get(response.tool):
            response.call_id = waiting[response.tool].popleft().call_id
    return found
