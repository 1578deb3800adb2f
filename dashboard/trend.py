"""The chart of the overview: failures over time, by outcome, with an axis that tells its moments apart."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import altair as alt
import pandas as pd
import streamlit as st

from dashboard import words

FAILURES = ("structured_error", "unstructured_error", "silent_failure")
_COLORS = ("#E39A2D", "#EF5B52", "#A07BFF")

_LABELS = 8
"""The most labels under the chart: more would touch each other in a narrow window."""


def trend(answer: Mapping[str, Any]) -> None:
    """Failures over time, by outcome. Only numbers and our own words are drawn.

    Each part of a bar bears the sign of its outcome beside the colour, wherever it is tall enough for one.
    """
    points = pd.DataFrame(answer.get("trend") or [])
    if points.empty or not {"bucket", *FAILURES} <= set(points.columns):
        return
    long = stacked(points)
    width = max(2, min(18, 520 // max(len(points), 1)))
    axis = axis_of([at.to_pydatetime() for at in long["at"].drop_duplicates()])
    values = [
        alt.DateTime(year=at.year, month=at.month, date=at.day, hours=at.hour, minutes=at.minute, utc=True)
        for at in axis.ticks
    ]
    x = alt.X(
        "at:T",
        title=None,
        scale=alt.Scale(type="utc", padding=14),
        axis=alt.Axis(format=axis.form, values=values, labelOverlap=True, labelFlush=False),
    )
    bars = (
        alt.Chart(long)
        .mark_bar(width=width)
        .encode(
            x=x,
            y=alt.Y("from:Q", title="failed calls", axis=alt.Axis(tickMinStep=1)),
            y2="to:Q",
            color=alt.Color(
                "outcome:N",
                title=None,
                scale=alt.Scale(domain=[words.outcome_text(name) for name in FAILURES], range=list(_COLORS)),
                legend=alt.Legend(orient="top", columns=2, labelLimit=0),
            ),
            tooltip=[
                alt.Tooltip("at:T", title="from (UTC)", format="%Y-%m-%d %H:%M", formatType="utc"),
                alt.Tooltip("outcome:N"),
                alt.Tooltip("failed calls:Q"),
            ],
        )
    )
    signs = (
        alt.Chart(long[long["failed calls"] >= long["to"].max() * _TALL_ENOUGH])
        .mark_text(fontSize=max(6, min(12, width)), color="#14181F")
        .encode(x=x, y=alt.Y("middle:Q", title="failed calls"), text="sign:N")
    )
    st.altair_chart(
        (bars + signs).properties(height=250), key="overview.trend", alt="Failed calls over time, by outcome"
    )


_TALL_ENOUGH = 0.06
"""Of the tallest bar: a part that is lower has no room for a sign of its own."""


def stacked(points: pd.DataFrame) -> pd.DataFrame:
    """One row per bucket and outcome that occurs: how many, from where to where in the bar, and the outcome's sign."""
    long = points.melt("bucket", list(FAILURES), var_name="name", value_name="failed calls")
    long["to"] = long.groupby("bucket", sort=False)["failed calls"].cumsum()
    long["from"] = long["to"] - long["failed calls"]
    long["middle"] = (long["from"] + long["to"]) / 2
    long["outcome"] = long["name"].map({name: words.outcome_text(name) for name in FAILURES})
    long["sign"] = long["name"].map({name: words.look(name).glyph for name in FAILURES})
    long["at"] = pd.to_datetime(long["bucket"], utc=True)
    return long


class Axis(NamedTuple):
    """The moments that bear a label, and how the label is written (d3's time format)."""

    ticks: list[datetime]
    form: str


_MINUTES = (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720)
_DAYS = (1, 2, 7, 14)
_MONTHS = (1, 3, 6, 12, 24, 60, 120)


def axis_of(times: list[datetime]) -> Axis:
    """At most `_LABELS` moments, evenly apart, whose labels differ: a label names the day where a day is not enough to
    tell moments apart, and the year where they lie in several.

    Args:
        times: the starts of the buckets, UTC, in order.
    """
    first, last = times[0].astimezone(UTC), times[-1].astimezone(UTC)
    span, day = last - first, timedelta(days=1)
    for minutes in _MINUTES:
        if span <= timedelta(minutes=minutes) * (_LABELS - 1):
            at = _rounded(first, timedelta(minutes=minutes))
            form = "%H:%M" if first.date() == last.date() or span < day else "%d %b %H:%M"
            return Axis(_every(at, last, timedelta(minutes=minutes)), form)
    for days in _DAYS:
        if span <= day * days * (_LABELS - 1):
            at = _rounded(first, day)
            return Axis(_every(at, last, day * days), "%d %b" if first.year == last.year else "%d %b %Y")
    months = next((each for each in _MONTHS if span <= timedelta(days=30.5) * each * (_LABELS - 1)), _MONTHS[-1])
    return Axis(_months(first, last, months), "%b %Y" if months < _YEAR else "%Y")


_YEAR = 12


def _rounded(at: datetime, step: timedelta) -> datetime:
    """The next whole multiple of `step` since midnight."""
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight - (midnight - at) // step * step


def _every(at: datetime, last: datetime, step: timedelta) -> list[datetime]:
    return [at + n * step for n in range(int((last - at) / step) + 1)] if at <= last else []


def _months(first: datetime, last: datetime, step: int) -> list[datetime]:
    """Firsts of months, `step` months apart; of a year or more Januaries."""
    number = first.year * 12 + first.month - 1
    number = -(-number // min(step, _YEAR)) * min(step, _YEAR)
    ticks = []
    while (at := datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC)) <= last:
        ticks.append(at)
        number += step
    return ticks
