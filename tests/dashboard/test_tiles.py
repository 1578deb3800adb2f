"""The trend of the overview."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest

from dashboard import tiles, words


def test_bars_are_stacked_and_signed() -> None:
    """Parts lie one on the other, add up, and each knows its sign, so that colour alone never tells."""
    points = pd.DataFrame(
        [
            {"bucket": "2026-11-30T10:00:00Z", "structured_error": 1, "unstructured_error": 2, "silent_failure": 0},
            {"bucket": "2026-11-30T11:00:00Z", "structured_error": 0, "unstructured_error": 0, "silent_failure": 4},
        ]
    )
    made = tiles.stacked(points)

    for _, bar in made.groupby("bucket"):
        assert list(bar["from"])[1:] == list(bar["to"])[:-1]
        assert bar["to"].max() == bar["failed calls"].sum()
        assert list(bar["sign"]) == [words.look(name).glyph for name in tiles.FAILURES]
    assert list(made[made["name"] == "silent_failure"]["middle"]) == [3.0, 2.0]


def test_the_chart_draws_the_signs(serve: Any, page: Any) -> None:
    """A second layer of text lies on the bars."""
    serve()

    at: AppTest = page("overview")
    chart = json.loads(at.get("vega_lite_chart")[0].proto.spec)

    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["bar", "text"]
    assert chart["layer"][1]["encoding"]["text"]["field"] == "sign"
