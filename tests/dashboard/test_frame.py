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


@pytest.mark.parametrize("name", ["overview", "calls", "incidents", "senders", "rules"])
def test_an_unknown_project_is_no_new_install(serve: Any, page: Page, name: str) -> None:
    """A mistyped project is said to be none, with those that there are; no snippet invites to fill another."""
    serve()

    at = page(name, project="nope")

    assert "No such project" in [head.value for head in at.subheader]
    assert "No calls yet" not in [head.value for head in at.subheader]
    shown = [text.value for text in at.text]
    assert any("“nope”" in text for text in shown)
    assert "default" in shown
    assert not at.code


@pytest.mark.parametrize(("told", "endpoint"), [("http://10.0.0.7:14318", "10.0.0.7:14318"), (None, "127.0.0.1:4318")])
def test_the_first_lines_name_the_real_port(serve: Any, page: Page, told: str | None, endpoint: str) -> None:
    """Where the service says where it listens, the snippet says it too; else the usual port is called that."""
    serve(0, service={"otlp_http": told} if told else {})

    at = page("overview")

    assert all(endpoint in code.value for code in at.code)
    assert any("usual port" in caption.value for caption in at.caption) is (told is None)


def test_refusals_have_their_units_and_their_place(serve: Any, page: Page) -> None:
    """Requests are not called spans, and a list of one project does not tell of what bears no project."""
    refused = {"malformed": 32, "too_large": 2, "spans rejected for text that is not UTF-8": 2}
    serve(service={"refused": refused, "refused_units": {"requests": 34, "spans": 2}})

    told = ":orange[:material/report:] 34 requests, 2 spans refused since the service started, over all projects."
    for name, tells in (("overview", True), ("senders", True), ("calls", False), ("incidents", False)):
        assert (told in [caption.value for caption in page(name).caption]) is tells
    table = page("senders").dataframe[-1].value
    assert table["what"].iloc[0] == "requests that could not be decoded"
    assert list(table["how many"]) == [32, 2, 2]
