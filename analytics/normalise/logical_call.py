"""One logical tool call before it is judged: what normalising hands to the judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from analytics.normalise.messages import shown_in
from analytics.spans import Span
from telltale.payload.wrappers import Unwrapped
from telltale.vocabulary import Payload


class Meaning(StrEnum):
    """What a mark outside the result's own value says of the call."""

    FAILED = "failed"
    CLAIMED_OK = "claimed_ok"
    CONTROL_FLOW = "control_flow"
    REFUSED = "refused"


@dataclass(slots=True)
class Mark:
    """Something that a span, the protocol or a wrapper said of the call, outside the tool's own value.

    `name` says where it stood (`span.status`, `event.exception`, `error.type`, `isError`, `tool_message.status`,
    `haystack.tool.error`, …), `value` what stood there, `span_id` on which span. Span status OK is no claim of success
    and gives no mark; `isError: false` and `is_error: false` do (CLAIMED_OK).
    """

    name: str
    value: Any
    span_id: str
    meaning: Meaning


@dataclass(slots=True)
class LogicalCall:
    """One tool call, whichever and however many spans describe it.

    `span` is the span that carries the result, else the outermost tool span; `members` every span of the call
    (client, server, second instrumentation). `result` is the tool's own value after every known wrapper and encoding
    is taken off (Python objects), meaningful where `payload` is not ABSENT; `result_text` and `arguments_text` are as
    sent. `upstream` are the descendant spans of the members that reach outside (HTTP, RPC, DB clients…), in time
    order. `told` is the text that the model was given for this call, where a message shows it; it rests on `answer`, as
    found in the message (most calls are never asked for it). `turn` is which turn of its trace it
    belongs to, from 1; 0 where the trace shows none. `lost` says what was missing and how to switch it on.
    """

    id: str
    span: Span
    members: list[Span]
    tool: str
    convention: str
    call_id: str | None = None
    arguments: Any = None
    arguments_text: str | None = None
    result: Any = None
    result_text: str | None = None
    payload: Payload = Payload.ABSENT
    marks: list[Mark] = field(default_factory=list)
    upstream: list[Span] = field(default_factory=list)
    answer: str | Unwrapped | None = None
    session_id: str | None = None
    session_source: str = "trace"
    user: str | None = None
    agent: str | None = None
    model: str | None = None
    service: str | None = None
    release: str | None = None
    turn: int = 0
    inferred: bool = False
    run_aborted: bool = False
    wrappers: list[str] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)

    @property
    def told(self) -> str | None:
        """The text that the model was given; written out of an answer's value when it is first asked for."""
        if isinstance(self.answer, Unwrapped):
            self.answer = shown_in(self.answer)
        return self.answer

    @told.setter
    def told(self, text: str | None) -> None:
        self.answer = text
