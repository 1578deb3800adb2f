"""Which addresses reach the pages, and which are sent to the one that says that there is none."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
import streamlit as st
from starlette.responses import PlainTextResponse

from dashboard.server import OneName, app


def ask(path: str, accept: str = "text/html", method: str = "GET") -> httpx.Response:
    """Ask as a browser does that opens an address."""

    async def asked() -> httpx.Response:
        inside = httpx.ASGITransport(OneName(PlainTextResponse("the pages")))
        async with httpx.AsyncClient(transport=inside, base_url="http://pages.test") as client:
            return await client.request(method, path, headers={"accept": accept})

    return asyncio.run(asked())


@pytest.mark.parametrize("path", ["/a/b", "/overview/x?tool=y", "/%3Cb%3E", "/a%2Fb", "/tools codes"])
def test_an_address_that_no_page_can_have(path: str) -> None:
    """The browser is sent to the page that says so, on this server, with what was asked for as a value."""
    answer = ask(path)

    assert answer.status_code == 307
    assert answer.headers["location"].startswith("/no-such-page?asked=")
    assert "<" not in answer.headers["location"]


@pytest.mark.parametrize(
    "path", ["/", "/overview", "/no-such-thing", "/static/js/index.js", "/_stcore/health", "/media/x.png"]
)
def test_any_other_address_is_handed_on(path: str) -> None:
    """Pages, what they are made of, and a plain name without a page."""
    assert ask(path).text == "the pages"


@pytest.mark.parametrize(("accept", "method"), [("*/*", "GET"), ("text/html", "POST")])
def test_only_a_browser_that_opens_a_page_is_sent_on(accept: str, method: str) -> None:
    """Scripts and changes get what Streamlit answers."""
    assert ask("/a/b", accept, method).text == "the pages"


def test_below_a_base_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the pages live below a path of a proxy, that path is no part of the name."""
    real = st.get_option
    monkeypatch.setattr(st, "get_option", lambda key: "ops/telltale" if key == "server.baseUrlPath" else real(key))

    assert ask("/ops/telltale/overview").text == "the pages"
    assert ask("/ops/telltale/a/b").headers["location"] == "/ops/telltale/no-such-page?asked=a%2Fb"


def test_the_command_serves_this_application() -> None:
    """The pages' script stands beside it."""
    made: Any = app
    assert made.script_path.name == "app.py"
