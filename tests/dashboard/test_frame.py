"""What surrounds the pages: only filters that work, a name for addresses without a page, hints at hidden rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard import links, tables

Page = Callable[..., AppTest]


def filters_on(at: AppTest) -> set[str]:
    """The filters that a page offers."""
    keys = [str(each.key) for each in (*at.sidebar.selectbox, *at.sidebar.text_input)]
    return {key.removeprefix("filter.") for key in keys if key.startswith("filter.")}


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("senders", "senders"),
        ("rules", "rules"),
        ("calls", "calls"),
        ("silent", "silent"),
        ("tools_codes", "tools-codes"),
    ],
)
def test_only_filters_that_work(serve: Any, page: Page, name: str, path: str) -> None:
    """A page offers the filters that it asks with, and no other; another in the address is not sent."""
    api = serve().api
    chosen = {"tool": "send_mail", "agent": "booking_agent", "outcome": "failed", "release": "1", "since": "7d"}

    at = page(name, **chosen)

    assert filters_on(at) == set(links.PLACES[path].filters)
    asked = next(url for url in reversed(api.asked) if f"/{path}?" in url)
    for key in chosen:
        assert (f"{key}=" in asked) == (key in links.PLACES[path].filters)


def test_an_unknown_session_offers_a_way_on(serve: Any, page: Page) -> None:
    """It is said to be not found; a box takes another id, and the sessions that failed last are listed."""
    serve()

    at = page("replay", session="no-such-session")

    assert at.warning[0].proto.title == "Not found"
    assert "no-such-session" in [code.value for code in at.code]
    assert at.text_input(key="replay.session")
    assert len(at.dataframe[0].value) == 10


def test_a_span_opens_its_session(serve: Any, page: Page) -> None:
    """The id of a call's span, typed where a session is asked for, opens the session at that call."""
    api = serve().api
    call = next(call for call in api.calls if call["outcome"] != "ok")
    at = page("replay")

    at.text_input(key="replay.session").set_value(call["span_id"])
    at.form_submit_button[0].click().run()

    assert not at.exception
    assert at.query_params["session"] == call["session_id"]
    assert call["span_id"] in "".join(code.value for code in at.code)


def test_hidden_rows_are_announced(serve: Any, page: Page) -> None:
    """A table with more rows than are in sight says how many there are, and that it scrolls."""
    serve(150)

    at = page("calls")

    assert len(at.dataframe[0].value) == 150
    assert any("150 rows, 22 in sight" in caption.value for caption in at.caption)


def test_a_table_that_fits_needs_no_hint() -> None:
    """Its height is that of its rows."""
    assert tables.height_of(22) == "content"
    assert isinstance(tables.height_of(23), int)


def test_shares_have_one_style(serve: Any, page: Page) -> None:
    """In the table of tools a share is written as everywhere, with what it is a share of."""
    api = serve().api

    table = page("tools_codes").dataframe[1].value

    assert isinstance(table, pd.DataFrame)
    assert all(share == "–" or " % of " in share for share in table["share"])
    assert table["failed"].sum() == sum(call["outcome"] != "ok" for call in api.calls)
    assert set(table["compliance"][table["failed"] == 0]) <= {"no failures"}


def test_tools_split_by_release(serve: Any, page: Page) -> None:
    """Each rate stands with its denominator and interval; a click opens the calls of that tool and release."""
    api = serve().api

    at = page("tools_codes", by="release")
    table = at.dataframe[1].value

    assert not at.exception
    assert table["failed"].sum() == sum(call["outcome"] != "ok" for call in api.calls)
    assert set(table["release"]) == {call["release"] for call in api.calls}
    failed = table["compliance"][(table["failed"] > 0) & (table["not measured"] == 0)]
    assert all(re.fullmatch(r"\S+ % of \d+ \(\d+–\d+ %\)", cell) for cell in failed)
    first = at.session_state["tools.releases.targets"][0, "failed"][1]
    assert (first["tool"], first["release"]) == (table["tool"][0], table["release"][0])
