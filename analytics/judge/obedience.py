"""Whether the agent did what the envelope asked: not retry, wait, stop and tell the user."""

from __future__ import annotations

from collections.abc import Iterator

from analytics.judge.session_call import SessionCall
from analytics.judge.timeline import Timeline
from telltale.vocabulary import Action, Outcome

_EARLY = 0.9e9
"""Nanoseconds of each second asked for that must pass; a tenth is left for clocks and rounding."""


def disobeyed(call: SessionCall, timeline: Timeline) -> Iterator[tuple[str, SessionCall]]:
    """Yields `(rule, the later call that broke it)` for one failed call; only where an envelope gave advice.

    An agent that calls again because the user asked again did as it was told.
    """
    if call.outcome is not Outcome.STRUCTURED_ERROR:
        return
    again = timeline.next_same(call)
    if call.action == Action.STOP_AND_TELL_USER.value:
        later = timeline.next_of_tool(call)
        if later is not None and _same_turn(call, later):
            yield "agent.went_on_after_stop", later
    elif call.retryable is False and again is not None and _same_turn(call, again):
        yield "agent.retried_not_retryable", again
    if call.retry_after_s and again is not None and again.started_ns < call.ended_ns + int(call.retry_after_s * _EARLY):
        yield "agent.ignored_retry_after", again


def _same_turn(call: SessionCall, later: SessionCall) -> bool:
    """Whether nothing shows that a later call came after a new request of the user."""
    if later.turn is None:
        return False
    return later.turn == 0 or (later.trace_id == call.trace_id and later.turn == call.turn)
