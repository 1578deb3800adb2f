"""The view lives in the URL: read from it, written to it, carried by links."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest

from dashboard.view import View

Page = Callable[..., AppTest]


def test_defaults_are_not_written() -> None:
    """A view at its defaults needs no parameter; a changed one names what changed."""
    assert View().query() == {}
    assert View(since="7d").query(tool="a b") == {"since": "7d", "tool": "a b"}


def test_filters_can_be_taken_away() -> None:
    """A link can clear a filter that the view has."""
    assert View(tool="x", code="INTERNAL").query(tool="") == {"code": "INTERNAL"}


def test_extra_parameters_travel() -> None:
    """Parameters of one page travel beside the filters; empty ones do not."""
    assert View().query(step=3, span=None) == {"step": "3"}


def test_api_parameters() -> None:
    """The API is asked with everything that is set, defaults included."""
    assert View(tool="x").params() == {"project": "default", "since": "24h", "tool": "x"}


def test_a_moment_travels_with_the_view() -> None:
    """A link from a count carries its moment; the API is asked with it, also where filters are left out."""
    view = View(tool="x").at("2026-11-30T10:00:00Z")

    assert view.query(outcome="failed")["as_of"] == "2026-11-30T10:00:00Z"
    assert "as_of" not in view.query(as_of="")
    assert view.params(("project",)) == {"project": "default", "as_of": "2026-11-30T10:00:00Z"}
    assert view.narrowed_by() == {"tool": "x"}


def test_url_sets_the_filters(serve: Any, page: Page) -> None:
    """Opening a link shows its filters in the widgets and asks the API with them."""
    api = serve().api

    at = page("calls", tool="send_mail", since="7d", outcome="failed", session="s 1")

    assert at.text_input(key="filter.tool").value == "send_mail"
    assert at.selectbox(key="filter.since").value == "7d"
    assert at.text_input(key="filter.session").value == "s 1"
    asked = [url for url in api.asked if "/calls?" in url][-1]
    assert "tool=send_mail" in asked
    assert "outcome=failed" in asked


def test_widgets_set_the_url(serve: Any, page: Page) -> None:
    """Choosing a filter puts it into the URL; the default takes it out again."""
    serve()
    at = page("calls")

    at.selectbox(key="filter.code").select("INTERNAL").run()
    assert at.query_params["code"] == "INTERNAL"

    at.selectbox(key="filter.code").select("").run()
    assert "code" not in at.query_params


def test_a_range_only_a_link_can_carry(serve: Any, page: Page) -> None:
    """A time that is not among the ranges offered is kept, and named as the link's."""
    serve()

    at = page("calls", since="2026-01-01T00:00:00Z")

    assert not at.exception
    assert at.selectbox(key="filter.since").value == "2026-01-01T00:00:00Z"
    assert "as in the link" in at.selectbox(key="filter.since").options


def test_clear(serve: Any, page: Page) -> None:
    """Clearing keeps project and time range and drops the rest."""
    serve()
    at = page("calls", tool="send_mail", since="7d")

    at.button(key="filters.clear").click().run()

    assert "tool" not in at.query_params
    assert at.query_params["since"] == "7d"
