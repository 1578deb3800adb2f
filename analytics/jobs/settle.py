"""Failures of sessions that have gone quiet: nothing can recover them any more, and the row says so."""

from __future__ import annotations

from analytics.jobs.call_rows import call_of, digest
from analytics.jobs.writing import Change, Placed, rewrite_sessions, write_change
from analytics.judge import WINDOW_NS
from analytics.questions.times import HOUR_NS
from analytics.store import Transaction

EVERY_S = 60.0
"""How often the job looks for sessions that went quiet, in seconds."""

LOOK_BACK_NS = 6 * HOUR_NS
"""How long ago a session may have gone quiet: a service that was down for longer leaves the rest to `rejudge`."""

AT_ONCE = 2000

_QUIET = """SELECT call.* FROM call
JOIN (
    SELECT project, session_id FROM session
    WHERE t1_ns < $quiet_ns AND t1_ns >= $since_ns AND unrecovered > 0
) AS quiet ON quiet.project = call.project AND quiet.session_id = call.session_key
WHERE call.started_ns >= $since_ns AND call.started_ns < $quiet_ns
    AND call.outcome <> 'ok' AND call.recovered IS NULL
LIMIT $limit"""


def settle(transaction: Transaction, now_ns: int) -> int:
    """Mark the open failures of quiet sessions as not recovered; returns how many."""
    quiet_ns = now_ns - WINDOW_NS
    place = {"quiet_ns": quiet_ns, "since_ns": quiet_ns - LOOK_BACK_NS, "limit": AT_ONCE}
    change = Change()
    for row in transaction.query(_QUIET, place).to_pylist():
        call = call_of(row)
        call.recovered = False
        change.gone.append(row)
        change.added.append(Placed(call, row["scope"], row["judged_seq"], digest(call)))
    if change.added:
        write_change(transaction, change)
        rewrite_sessions(transaction, change)
    return len(change.added)
