"""Who sends what, and whether the service keeps up."""

from __future__ import annotations

from typing import Any

import msgspec

from analytics.api.context import Answer, Context
from analytics.api.query import Query
from analytics.questions import rows
from analytics.questions.times import rfc3339


def senders(context: Context, query: Query) -> Answer:
    """The account of each sender: what came, in which words, and what was missing."""
    found = [_sender(row) for row in rows(context.store, "senders", project=query.filters.project)]
    return {"rows": found[: query.limit], "total": len(found)}


def _sender(row: dict[str, Any]) -> dict[str, Any]:
    copied = ("service", "scope", "convention", "spans", "calls")
    return {
        **{name: row[name] for name in copied},
        "first_seen": rfc3339(row["first_seen_ns"]),
        "last_seen": rfc3339(row["last_seen_ns"]),
        "lost": [_loss(line, calls) for line, calls in msgspec.json.decode(row["lost"]).items()],
    }


def _loss(line: str, calls: int) -> dict[str, Any]:
    """`what: switch` as normalising notes it (`analytics.normalise.losses`)."""
    what, _, switch = line.partition(": ")
    return {"what": what, "switch": switch or None, "calls": calls}


def status(context: Context, query: Query) -> Answer:
    """What is stored, what was refused, how far the judge is behind."""
    stored = rows(context.store, "stored", project=query.filters.project)[0]
    faults = rows(context.store, "judge_faults", project=query.filters.project)
    return {
        "spans": stored["spans"] or 0,
        "calls": stored["calls"] or 0,
        "last_received_at": rfc3339(stored["last_received_ns"]),
        "last_judged_at": rfc3339(stored["last_judged_ns"]),
        "judged_lag_s": None,
        "refused": {},
        "unreadable_traces": [{**row, "at": rfc3339(row.pop("at_ns"))} for row in faults],
        **(context.status() if context.status else {}),
    }
