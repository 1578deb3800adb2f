"""Whether the agent did what the envelope asked: not retry, wait, stop and tell the user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analytics.calls import Call
from telltale.vocabulary import Action, Outcome


def disobeyed(call: Call, later: Sequence[Call]) -> Iterator[tuple[str, Call]]:
    """Yields `(rule, the later call that broke it)` for one failed call; only where the envelope gave advice.

    Args:
        call: a failed call.
        later: the calls of the session that started after it ended, in order.
    """
    same_tool = [other for other in later if other.tool == call.tool]
    again = next((other for other in same_tool if other.arguments_hash == call.arguments_hash), None)
    if call.outcome is not Outcome.STRUCTURED_ERROR:
        return
    if call.action == Action.STOP_AND_TELL_USER.value and same_tool:
        yield "agent.went_on_after_stop", same_tool[0]
    elif call.retryable is False and again is not None:
        yield "agent.retried_not_retryable", again
    if call.retry_after_s and again is not None:
        end = call.started_ns + int(call.duration_ms * 1e6)
        if again.started_ns < end + int(call.retry_after_s * 0.9e9):
            yield "agent.ignored_retry_after", again
