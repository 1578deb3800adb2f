"""The rules about what is missing: calls that used to come, and notices that do not get out."""

from __future__ import annotations

from collections.abc import Iterable

from analytics.alerts.incident import Finding, Rule, Severity
from analytics.alerts.outbox import Health
from analytics.alerts.reader import SECOND, Reader

FAILING_AFTER = 3
"""Tries in a row after which a destination counts as failing."""


def silent_scopes(reader: Reader, project: str, end_ns: int) -> list[Finding]:
    """A project without calls for 10 minutes, else tools without calls for 30, where there were many a week ago.

    A project that is silent as a whole speaks for its tools.
    """
    rows = reader.no_data(project, end_ns)
    whole = [row for row in rows if not row["scope"]]
    return [
        Finding(
            rule=Rule.NO_DATA,
            project=project,
            tool=row["scope"] or None,
            severity=Severity.TICKET,
            since_ns=row["last_ns"],
            numbers={
                "met": "no_data",
                "calls_a_week_ago": row["calls"],
                "silent_s": (end_ns - row["last_ns"]) // SECOND,
            },
        )
        for row in whole or rows
    ]


def failing_destinations(health: Iterable[Health], now_ns: int) -> list[Finding]:
    """Destinations that refused several times in a row; the notice about one goes to the others."""
    return [
        Finding(
            rule=Rule.NOTIFIER,
            project="default",
            tool=state.destination,
            severity=Severity.TICKET,
            since_ns=now_ns,
            numbers={
                "met": "notifier_failing",
                "waiting": state.waiting,
                "attempts": state.attempts,
                "first_error": state.last_error or "",
            },
        )
        for state in health
        if state.attempts >= FAILING_AFTER
    ]
