"""A page of a list: of one that runs from new to old without a look at all of it, of a short one by its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from analytics.api.context import Context
from analytics.api.query import Cursor, Query
from analytics.questions import rows
from analytics.questions.filters import Filters
from analytics.questions.times import DAY_NS, HOUR_NS

_STEPS_NS = (HOUR_NS, 8 * HOUR_NS, 3 * DAY_NS, 20 * DAY_NS)
"""Stretches of time, counted back from where the page begins, in which enough rows are looked for first: rows lie in
order of time, so a short stretch is a small part of the table, and the newest page of ten million calls costs as much
as that of ten thousand."""

Row = dict[str, Any]


def page(
    context: Context, question: str, filters: Filters, query: Query, time: str, **more: Any
) -> tuple[list[Row], str | None]:
    """The rows of one page, and the cursor of the next (None on the last).

    Args:
        context: where to ask.
        question: the list; takes $before_ns, $before_id and $limit, and orders by time and id, newest first.
        filters: what to list.
        query: limit, cursor, and the present.
        time: the column by which it is ordered (the id is in `id` or `session_id`).
        more: further parameters of the question.
    """
    limit = query.limit or 2**62
    begin = query.cursor.in_time()
    place = {"before_ns": begin.ns, "before_id": begin.id, "limit": limit + 1, **more}
    found: list[Row] = []
    for narrowed in _stretches(filters, query):
        found = rows(context.store, question, narrowed, **place)
        if len(found) > limit and found[limit][time] >= (narrowed.since_ns or 0):
            break  # whatever the stretch leaves out is older than this page
    if len(found) <= limit:
        return found, None
    last = found[limit - 1]
    return found[:limit], Cursor(last[time], last.get("id") or last["session_id"]).text()


def slice_of(found: Sequence[Row], query: Query) -> dict[str, Any]:
    """A page of rows that are all at hand, as an answer: `rows`, `total` and `next_cursor` (None on the last)."""
    begin = query.cursor.row
    end = len(found) if query.limit is None else begin + query.limit
    return {"rows": list(found[begin:end]), "total": len(found), "next_cursor": row_cursor(end, len(found))}


def row_cursor(end: int, total: int) -> str | None:
    """The cursor of what comes from row `end` on; None where nothing does."""
    return Cursor(end, "").text() if end < total else None


def _stretches(filters: Filters, query: Query) -> Iterator[Filters]:
    """The same filters over longer and longer stretches of time, at last over all of it."""
    begin = min(query.cursor.ns, filters.until_ns or query.cursor.ns, query.now_ns)
    for step in _STEPS_NS:
        if query.limit is not None and (filters.since_ns is None or begin - step > filters.since_ns):
            yield filters.only(since_ns=begin - step)
    yield filters
