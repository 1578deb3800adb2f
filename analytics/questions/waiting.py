"""Since when the oldest row waits that no verdict covers."""

from __future__ import annotations

from analytics.questions import ask
from analytics.questions.times import HOUR_NS
from analytics.store import Scope, Store

RECENT_NS = 48 * HOUR_NS
"""Day tables older than this are not looked into for what waits: the judge is never days behind while it runs."""


def oldest_waiting(store: Store, project: str, recent_ns: int) -> int | None:
    """When the oldest row of a project came that waits for the judge (ns since 1970 UTC); None when all is judged.

    Rows that the journal holds and the database does not are not seen.

    Args:
        store: where to ask.
        project: whose rows.
        recent_ns: rows received on days before this time are not looked at.
    """
    params = {"project": project, "recent_ns": recent_ns}
    found = ask(store, "not_judged", params=params, scope=Scope(project, recent_ns)).to_pylist()
    oldest: int | None = found[0]["oldest_ns"]
    return oldest
