"""Judged calls: the list, one of them in full, and those that lied."""

from __future__ import annotations

import time
from typing import Any

from analytics.api.context import Answer, Context
from analytics.api.dismissals import dismissals, dismissals_below
from analytics.api.paging import page
from analytics.api.query import NotFoundError, Query
from analytics.api.rules import sentence
from analytics.questions import rows
from analytics.questions.call_object import call_object, evidence_of
from analytics.questions.filters import Filters
from analytics.questions.times import DAY_NS
from telltale.vocabulary import Outcome

_BACK_NS = (3 * DAY_NS, 10 * DAY_NS, 30 * DAY_NS)
"""Where the stretches of time begin in which a call is looked for one after the other, counted back from now: an id
prunes nothing, a time does."""

EXCERPT = 2000
"""How much of a result a list shows, in characters; the call itself has all of it."""


def calls(context: Context, query: Query) -> Answer:
    """Call objects, newest first, a page at a time."""
    found, following = page(context, "calls", query.filters, query, "started_ns")
    return {"rows": [call_object(row) for row in found], "total": _total(context, query), "next_cursor": following}


def silent(context: Context, query: Query) -> Answer:
    """Calls that failed although they claimed success or said nothing: declared against derived, and why."""
    filters = query.filters.only(outcomes=(Outcome.SILENT_FAILURE.value,))
    found, following = page(context, "calls", filters, query, "started_ns")
    made = [{**call_object(row), "result": excerpt(row["result"]), "rules_explained": _explained(row)} for row in found]
    total = rows(context.store, "calls_total", filters)[0]["total"]
    return {"rows": made, "total": total, "next_cursor": following}


def call(context: Context, query: Query) -> Answer:
    """One call with its payloads and the sentence behind each of its rules; of one that is `ok`, also what accused it
    and why that was dismissed."""
    row = call_row(context, query.filters.project, query.path["span_id"])
    if row is None:
        raise NotFoundError(
            f"no tool call of project {query.filters.project!r} holds span {query.path['span_id'][:64]!r}"
        )
    made = full_call(row)
    made["dismissed"] += dismissals_below(context, row)
    return made


def full_call(row: dict[str, Any]) -> dict[str, Any]:
    """A call object with everything that is known of it."""
    more = ("arguments", "result", "error_message", "span_ids", "lost")
    explained = {"rules_explained": _explained(row), "dismissed": dismissals(row)}
    return {**call_object(row), **{name: row[name] for name in more}, **explained}


def _explained(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Each rule of a call with the sentence that it stands for and its own evidence."""
    evidence = evidence_of(row)
    return [
        {"rule": rule, "sentence": sentence(rule), "evidence": [each for each in evidence if each.get("rule") == rule]}
        for rule in row["rules"]
    ]


def call_row(context: Context, project: str, named: str) -> dict[str, Any] | None:
    """The row of the call that a span belongs to, or that has this id.

    Newer stretches of time come first, and of an older one the cheap questions before the dear one: who asks has the id
    from a page, an alert or a trace, which are mostly about what happened lately.
    """
    place = _place(context, project, named)
    if place is None:
        return None
    found = rows(context.store, "call", project=project, **place)
    return found[0] if found else None  # judged anew in between


def _place(context: Context, project: str, named: str) -> dict[str, Any] | None:
    """Start and id of that call."""
    by_id = "-" in named  # as in `LogicalCall.id`: the trace's id, a dash, the span's id
    exact = ("call_by_id", "call_by_span") if by_id else ("call_by_span", "call_by_id")
    ends = [time.time_ns() - back for back in _BACK_NS]
    recent, *older = (
        Filters(project=project, since_ns=since, until_ns=until)
        for since, until in zip([*ends, None], [None, *ends], strict=True)
    )
    looks = [(question, recent) for question in (*exact, "call_by_member")]
    looks += [(question, filters) for question in (exact[0], "call_by_member", exact[1]) for filters in older]
    for question, filters in looks:
        found = rows(context.store, question, filters, named=named)
        if found:
            return {"started_ns": found[0]["started_ns"], "id": found[0]["id"]}
    return None


def excerpt(text: str | None) -> str | None:
    """The beginning of a long text, marked as cut."""
    return text if text is None or len(text) <= EXCERPT else text[:EXCERPT] + "…"


def _total(context: Context, query: Query) -> int:
    return int(rows(context.store, "calls_total", query.filters)[0]["total"])
