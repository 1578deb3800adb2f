"""A judged tool call: the row that every question, page and alert counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from telltale.vocabulary import Confidence, Declared, Outcome, Payload

RULES_VERSION = 47
"""Raised when a rule changes its verdicts; stored rows keep the version that judged them."""


@dataclass(slots=True)
class Call:
    """One logical tool call and its verdict (DESIGN: outcome of a tool call).

    `id` is stable under re-judging and any order of arrival; `span_ids` are all members, and any of them resolves to
    this row. `span_id` is the span that the verdict stands on. Times are nanoseconds since 1970 UTC, durations
    milliseconds. `evidence` is a list of `{"rule", "key" | "mark" | "span_id", "value"}`. `recovered` is None until
    known. `arguments` and `result` are the captured texts as sent (capped), `error_message` what the model was told.
    `received_ns` is when the span that the verdict stands on arrived (its `Span.received_ns`; 0 where unknown): alert
    windows leave out what arrived long after it happened. `turn` is which turn of the conversation it belongs to in its
    trace, from 1; 0 where its trace shows no turns, None where nobody looked (rows of before shape 2).
    """

    id: str
    project: str
    trace_id: str
    span_id: str
    span_ids: list[str]
    tool: str
    started_ns: int
    duration_ms: float
    outcome: Outcome
    declared: Declared
    confidence: Confidence
    payload: Payload
    session_id: str | None = None
    session_source: str = "trace"
    agent: str | None = None
    user: str | None = None
    model: str | None = None
    service: str | None = None
    release: str | None = None
    call_id: str | None = None
    convention: str = ""
    code: str | None = None
    declared_code: str | None = None
    code_source: str | None = None
    flags: list[str] = field(default_factory=list)
    contract_fields: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    evidence: list[dict[str, Any]] = field(default_factory=list)
    action: str | None = None
    retryable: bool | None = None
    retry_after_s: float | None = None
    error_message: str | None = None
    upstream: str | None = None
    fingerprint: str | None = None
    recovered: bool | None = None
    inferred: bool = False
    run_aborted: bool = False
    muted: bool = False
    arguments: str | None = None
    result: str | None = None
    arguments_hash: str | None = None
    result_hash: str | None = None
    lost: list[str] = field(default_factory=list)
    received_ns: int = 0
    rules_version: int = RULES_VERSION
    turn: int | None = None
