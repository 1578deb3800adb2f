"""The trend of the overview."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard import trend, words


def test_bars_are_stacked_and_signed() -> None:
    """Parts lie one on the other, add up, and each knows its sign, so that colour alone never tells."""
    points = pd.DataFrame(
        [
            {"bucket": "2026-11-30T10:00:00Z", "structured_error": 1, "unstructured_error": 2, "silent_failure": 0},
            {"bucket": "2026-11-30T11:00:00Z", "structured_error": 0, "unstructured_error": 0, "silent_failure": 4},
        ]
    )
    made = trend.stacked(points)

    for _, bar in made.groupby("bucket"):
        assert list(bar["from"])[1:] == list(bar["to"])[:-1]
        assert bar["to"].max() == bar["failed calls"].sum()
        assert list(bar["sign"]) == [words.look(name).glyph for name in trend.FAILURES]
    assert list(made[made["name"] == "silent_failure"]["middle"]) == [3.0, 2.0]


def test_the_chart_draws_the_signs(serve: Any, page: Any) -> None:
    """A second layer of text lies on the bars."""
    serve()

    at: AppTest = page("overview")
    chart = json.loads(at.get("vega_lite_chart")[0].proto.spec)

    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["bar", "text"]
    assert chart["layer"][1]["encoding"]["text"]["field"] == "sign"


UNITS = {"15 min": (15, 1), "1 h": (60, 1), "6 h": (72, 5), "24 h": (96, 15), "7 d": (56, 180), "30 d": (30, 1440)}
UNITS |= {"a year": (52, 7 * 1440), "46 years": (46, 365 * 1440), "one bucket": (1, 60)}


@pytest.mark.parametrize("name", UNITS)
def test_labels_tell_moments_apart(name: str) -> None:
    """Of every range the axis bears labels that differ, few enough to be read, within what is drawn."""
    buckets, minutes = UNITS[name]
    last = datetime(2026, 12, 1, 2, 58, tzinfo=UTC)
    times = [last - timedelta(minutes=minutes) * back for back in reversed(range(buckets))]

    axis = trend.axis_of(times)
    labels = [at.strftime(axis.form) for at in axis.ticks]

    assert len(set(labels)) == len(labels) <= 8
    assert len(labels) >= (3 if buckets > 1 else 0)
    assert all(times[0] <= at <= times[-1] for at in axis.ticks)


def test_years_are_named_where_there_are_several() -> None:
    """Calls of 1970 and of 2016 do not both stand under 01 Jan; a week over the turn of a year names it too."""
    far = trend.axis_of([datetime(1970, 1, 1, tzinfo=UTC), datetime(2016, 5, 1, tzinfo=UTC)])
    turn = trend.axis_of([datetime(2026, 12, 28, tzinfo=UTC), datetime(2027, 1, 4, tzinfo=UTC)])

    assert far.form == "%Y"
    assert turn.form == "%d %b %Y"
    assert trend.axis_of([datetime(2026, 11, 30, 20, tzinfo=UTC), datetime(2026, 12, 1, 4, tzinfo=UTC)]).form == "%H:%M"


def test_the_axis_is_in_the_chart(serve: Any, page: Any) -> None:
    """The chart draws those labels and no others."""
    serve()

    chart = json.loads(page("overview").get("vega_lite_chart")[0].proto.spec)

    axis = chart["layer"][0]["encoding"]["x"]["axis"]
    assert 3 <= len(axis["values"]) <= 8
    assert axis["values"][0]["utc"] is True
