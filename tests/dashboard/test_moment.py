"""One moment for all of a page: every question names it, a list keeps it, a count's link carries it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard import data

Page = Callable[..., AppTest]
MOMENT = "2026-11-30T10:00:00.000000Z"
TIMELESS = {"status", "senders"}
"""What is asked of the present whatever the moment: the service itself, and accounts that have no range."""

QUESTIONS = {
    "overview": ["groups", "overview", "status"],
    "tools_codes": ["status", "tools", "tools-codes"],
    "sessions": ["sessions", "sessions", "status"],
    "calls": ["calls", "status"],
    "silent": ["silent", "status"],
    "incidents": ["incidents", "incidents", "report", "status"],
    "rules": ["corrections", "rules", "status"],
    "senders": ["senders", "status"],
    "replay": ["sessions", "status"],
}
"""What one run of each page asks, and no more."""


@pytest.fixture(autouse=True)
def _kept_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """The present is kept for an hour: how long a run takes on a slow machine must not decide what it asks twice."""
    keep = st.cache_data(ttl=3600, max_entries=64, show_spinner=False)
    monkeypatch.setattr(data, "_ask_now", keep(data._ask_now.__wrapped__))


def asked_by(api: Any, run: Callable[[], AppTest]) -> list[tuple[str, str]]:
    """The questions of a run: endpoint and moment."""
    before = len(api.asked)
    run()
    urls = [urlsplit(url) for url in api.asked[before:]]
    return sorted((url.path.split("/")[3], "".join(parse_qs(url.query).get("as_of", []))) for url in urls)


def alone(page: Page, name: str) -> Callable[[], AppTest]:
    """A run of one page on a session that is there already, with nothing kept."""
    at = page(name) if name == "overview" else page("overview")
    if name != "overview":
        at.switch_page(f"app_pages/{name}.py")
    data.forget()
    return at.run


@pytest.mark.parametrize("name", QUESTIONS)
def test_one_moment_and_few_questions(serve: Any, page: Page, name: str) -> None:
    """A run asks each question once, all of them about the same moment."""
    api = serve().api

    asked = asked_by(api, alone(page, name))

    assert [place for place, _ in asked] == QUESTIONS[name]
    assert len({moment for place, moment in asked if place not in TIMELESS}) <= 1
    assert all(moment for place, moment in asked if place not in TIMELESS)


@pytest.mark.parametrize("name", ["calls", "sessions", "incidents", "rules", "replay"])
def test_nothing_is_asked_again(serve: Any, page: Page, name: str) -> None:
    """A list that is run again, its address unchanged, asks nothing: it stays as of the moment that it shows."""
    api = serve().api
    at = page(name)
    data._ask_now.clear()  # as if the present had moved on

    assert asked_by(api, at.run) == []


def test_another_step_asks_nothing(serve: Any, page: Page) -> None:
    """Steps of a session that is open are shown from the answer that is there."""
    api = serve().api
    call = next(call for call in api.calls if call["outcome"] != "ok")
    at = page("replay", session=call["session_id"])
    data._ask_now.clear()
    at.query_params["step"] = "1"

    assert asked_by(api, at.run) == []
    assert "Step 1" in [each.value for each in at.subheader]


def test_refresh_moves_the_moment_on(serve: Any, page: Page) -> None:
    """Who asks for newer answers gets them, about a later moment."""
    api = serve().api
    at = page("calls")
    before = at.session_state["moment"][1]["as_of"]

    asked = asked_by(api, lambda: at.button(key="refresh.now").click().run())

    assert [place for place, _ in asked] == ["calls", "status"]
    assert at.session_state["moment"][1]["as_of"] > before


def test_a_count_carries_its_moment(serve: Any, page: Page) -> None:
    """Every link from a tile of the overview names the moment of the count; the navigation leads to the present."""
    serve()

    at = page()

    moment = at.session_state["moment"][1]["as_of"]
    links = {link.proto.label: parse_qs(link.proto.query_string) for link in at.main.get("page_link")}
    tiles = [query for label, query in links.items() if " % of " in label]
    assert len(tiles) >= 4
    assert all(query["as_of"] == [moment] for query in tiles)
    assert not any("as_of" in link.proto.query_string for link in at.sidebar.get("page_link"))


@pytest.mark.parametrize("name", ["overview", "calls", "tools_codes"])
def test_a_moment_in_the_address(serve: Any, page: Page, name: str) -> None:
    """It is what is asked about and what is shown, once, with the way back to the present; nothing refreshes."""
    api = serve().api

    at = page(name, as_of=MOMENT)

    moments = {parse_qs(urlsplit(url).query).get("as_of", [""])[0] for url in api.asked[-2:]} - {""}
    assert MOMENT in moments
    captions = [caption.value for caption in at.caption if "as of" in caption.value]
    assert captions == ["as of 2026-11-30 10:00:00 UTC, as in the link: later calls are left out"]
    assert "Show now" in [link.proto.label for link in at.main.get("page_link")]
    assert not [toggle for toggle in at.toggle if toggle.key == "live"]
