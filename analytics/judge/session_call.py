"""What the session's rules read of a call: small enough to keep for every recent session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from analytics.calls import Call
from telltale.vocabulary import Outcome, Payload

OWN_RULES = ("session.", "agent.")
"""How the rules begin that only a session can tell."""

SHORT_RESULT = 2000
"""Only a result of at most this many characters may report that a job is still running."""

_MESSAGE_CHARS = 4000
_WAITING = ("running", "pending", "queued", "progress", "processing", "waiting", "started", "scheduled", "dispatched")


@dataclass(slots=True)
class SessionCall:
    """A judged call without its payloads.

    `ended_ns` is when it ended, in nanoseconds since 1970 UTC; `repeats_as` is equal for two calls whose results are
    the same, None where a repetition says nothing; `arguments` are kept, since a corrected argument shows a recovery.
    `turn` is which turn of its trace it belongs to, from 1; 0 where its trace shows no turns, None where that
    is not known (a row of an older release: then nothing new is told of its obedience).
    The other fields are those of `Call`; `flags`, `rules`, `evidence` and `recovered` are what the pass changes.
    """

    id: str
    trace_id: str
    span_id: str
    tool: str
    started_ns: int
    ended_ns: int
    outcome: Outcome
    code: str | None
    action: str | None
    retryable: bool | None
    retry_after_s: float | None
    arguments: str | None
    arguments_hash: str | None
    error_message: str | None
    repeats_as: str | None
    flags: list[str]
    rules: list[str]
    evidence: list[dict[str, Any]]
    recovered: bool | None
    turn: int | None

    @classmethod
    def of(cls, call: Call) -> Self:
        """The part of a call that its session looks at."""
        return cls(
            call.id,
            call.trace_id,
            call.span_id,
            call.tool,
            call.started_ns,
            end_of(call.started_ns, call.duration_ms),
            call.outcome,
            call.code,
            call.action,
            call.retryable,
            call.retry_after_s,
            call.arguments,
            call.arguments_hash,
            call.error_message[:_MESSAGE_CHARS] if call.error_message else None,
            repeats_as(call.outcome, call.fingerprint, call.payload, call.result_hash, call.result),
            call.flags,
            call.rules,
            call.evidence,
            call.recovered,
            call.turn,
        )

    @property
    def marked(self) -> bool:
        """Whether an earlier pass has written into it: each of its flags comes with a rule."""
        return any(rule.startswith(OWN_RULES) for rule in self.rules)


def end_of(started_ns: int, duration_ms: float) -> int:
    """When a call ended, in nanoseconds since 1970 UTC."""
    return started_ns + int(duration_ms * 1e6)


def repeats_as(
    outcome: Outcome, fingerprint: str | None, payload: Payload, result_hash: str | None, result: str | None
) -> str | None:
    """What makes two results the same; None for calls whose repetition says nothing.

    Of failures the kind counts, whatever counter or time their message holds.
    """
    if outcome is not Outcome.OK:
        return f"failed {fingerprint}"
    if payload is Payload.ABSENT or result_hash is None or _is_waiting(result):
        return None
    return f"ok {result_hash}"


def _is_waiting(result: str | None) -> bool:
    """Whether a short result's status says that a job is still under way."""
    if result is None or len(result) > SHORT_RESULT or ("status" not in result and "state" not in result):
        return False
    low = result.lower()
    return any(word in low for word in _WAITING)
