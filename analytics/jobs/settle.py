"""Failures of sessions that have gone quiet: nothing can recover them any more, and the row says so."""

from __future__ import annotations

from analytics.jobs.writing import COUNTED, Change, rewrite_sessions, write_change
from analytics.judge import WINDOW_NS
from analytics.questions.times import HOUR_NS
from analytics.store import Transaction

EVERY_S = 60.0
"""How often the job looks for sessions that went quiet, in seconds."""

LOOK_BACK_NS = 6 * HOUR_NS
"""How long ago a session may have gone quiet: a service that was down for longer leaves the rest to `rejudge`."""

AT_ONCE = 2000

_QUIET = f"""SELECT {COUNTED} FROM call
WHERE started_ns >= $since_ns AND started_ns < $quiet_ns AND outcome <> 'ok' AND recovered IS NULL
    AND (project, session_key) IN (
        SELECT (project, session_id) FROM session
        WHERE t1_ns < $quiet_ns AND t1_ns >= $since_ns AND unrecovered > 0
    )
LIMIT $limit"""  # noqa: S608  (column names of ours)


def settle(transaction: Transaction, now_ns: int) -> int:
    """Mark the open failures of quiet sessions as not recovered; returns how many."""
    quiet_ns = now_ns - WINDOW_NS
    place = {"quiet_ns": quiet_ns, "since_ns": quiet_ns - LOOK_BACK_NS, "limit": AT_ONCE}
    change = Change(recovered=[(row, False) for row in transaction.query(_QUIET, place).to_pylist()])
    if change.recovered:
        write_change(transaction, change)
        rewrite_sessions(transaction, change)
    return len(change.recovered)
