"""Who sends what, and whether the service keeps up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from analytics.api.context import Answer, Context
from analytics.api.paging import slice_of
from analytics.api.query import Query
from analytics.normalise.mapping import split_loss
from analytics.questions import rows
from analytics.questions.times import SECOND_NS, rfc3339
from analytics.questions.waiting import RECENT_NS, oldest_waiting


def senders(context: Context, query: Query) -> Answer:
    """The account of each sender: what came, in which words, and what was missing."""
    return slice_of(sender_rows(context, query.filters.project), query)


def sender_rows(context: Context, project: str) -> list[dict[str, Any]]:
    """The accounts of a project's senders, the busiest first."""
    return [_sender(row) for row in rows(context.store, "senders", project=project)]


def _sender(row: dict[str, Any]) -> dict[str, Any]:
    copied = ("service", "scope", "convention", "spans", "calls")
    return {
        **{name: row[name] for name in copied},
        "first_seen": rfc3339(row["first_seen_ns"]),
        "last_seen": rfc3339(row["last_seen_ns"]),
        "lost": [_loss(line, calls) for line, calls in msgspec.json.decode(row["lost"]).items()],
    }


def _lag_s(context: Context, query: Query) -> float:
    """How long the oldest row that no verdict covers has been waiting, in seconds."""
    oldest = oldest_waiting(context.store, query.filters.project, max(0, query.now_ns - RECENT_NS))
    return 0.0 if oldest is None else max(0.0, (query.now_ns - oldest) / SECOND_NS)


def _loss(line: str, calls: int) -> dict[str, Any]:
    what, switch = split_loss(line)
    return {"what": what, "switch": switch, "calls": calls}


MOST_PROJECTS = 200
"""How many projects `status` names."""

_RECORDS = (("span", "spans"), ("log record", "log_records"), ("not kept", "metrics"))
"""How the reasons begin for which a record of an accepted request was not kept; every other is about a request."""


def refused_units(refused: Mapping[str, int]) -> dict[str, int]:
    """What the counts of `refused` are counts of: `requests`, `spans`, `log_records`, `metrics`, those that occur."""
    made: Counter[str] = Counter()
    for reason, count in refused.items():
        made[next((unit for start, unit in _RECORDS if reason.startswith(start)), "requests")] += count
    return dict(made)


def status(context: Context, query: Query) -> Answer:
    """What is stored, what was refused, how far the judge is behind. What was refused bears no project: it counts for
    the whole service.

    The lag is looked up before the counts: where it is 0, they hold everything that came before.
    """
    lag_s = _lag_s(context, query)
    process = context.status() if context.status else {}
    stored = rows(context.store, "stored", project=query.filters.project)[0]
    faults = rows(context.store, "judge_faults", project=query.filters.project)
    return {
        "spans": stored["spans"] or 0,
        "calls": stored["calls"] or 0,
        "last_received_at": rfc3339(stored["last_received_ns"]),
        "last_judged_at": rfc3339(stored["last_judged_ns"]),
        "judged_lag_s": lag_s,
        "refused": {},
        "refused_units": refused_units(process.get("refused") or {}),
        "projects": [row["project"] for row in rows(context.store, "projects", limit=MOST_PROJECTS)],
        "unreadable_traces": [{**row, "at": rfc3339(row.pop("at_ns"))} for row in faults],
        **process,
    }
