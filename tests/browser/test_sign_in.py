"""Where the API wants a token, so do the pages: nothing is shown, and nothing done, for a visitor without one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from assistant_traffic import Traffic
from browsing import dashboard, settled
from from_outside import wait_until
from running_service import RunningService

from collector.access.tokens import Role, TokenFile, token_path


@pytest.fixture
def guarded(tmp_path: Path) -> Any:
    """A service with traffic whose API then gets a token for viewers: its secret and the token's id."""
    service = RunningService(tmp_path)
    service.send(Traffic().day(5))
    secret, row = TokenFile(token_path(tmp_path / "telltale.db")).create(Role.VIEWER, "*")
    wait_until(lambda: httpx.get(f"{service.api}/api/v1/status").status_code == 401, "the API wants a token")
    yield service, secret, row.id, TokenFile(token_path(tmp_path / "telltale.db"))
    service.stop()


def test_a_visitor_signs_in_with_a_token_of_the_api(tab: Any, guarded: Any) -> None:
    """A wrong token is refused, a right one leads to the page that was asked for, and reaches no script; a revoked one
    is out again.
    """
    service, secret, token_id, tokens = guarded
    with dashboard(service.api) as address:
        tab.goto(f"{address}/calls?since=7d")
        tab.get_by_label("API token").fill("tt_wrong")
        tab.get_by_role("button", name="Sign in").click()
        tab.get_by_role("alert").wait_for()
        assert "calls" not in tab.inner_text("main, body").lower()

        tab.get_by_label("API token").fill(secret)
        tab.get_by_role("button", name="Sign in").click()
        settled(tab)
        assert tab.url.startswith(f"{address}/calls?since=7d")
        tab.get_by_text("book_meeting").first.wait_for(state="attached")
        assert secret not in tab.content()
        assert tab.evaluate("document.cookie").find("telltale") < 0

        tokens.revoke(token_id)
        wait_until(lambda: _is_asked(tab, address), "a revoked token is asked for anew")


def _is_asked(tab: Any, address: str) -> bool:
    tab.goto(f"{address}/calls")
    return "/sign-in" in tab.url


def test_nothing_is_served_to_a_visitor_without_a_token(guarded: Any) -> None:
    """Pages lead to the form, which leads nowhere but to these pages; the channel of a page is closed."""
    service, secret, *_ = guarded
    with dashboard(service.api) as address, httpx.Client(base_url=address) as http:
        for path in ("/", "/overview", "/replay?session=x", "/_stcore/host-config"):
            answer = http.get(path)
            assert (answer.status_code, answer.headers["location"].partition("?")[0]) == (303, "/sign-in")
        upgrade = {"connection": "upgrade", "upgrade": "websocket", "sec-websocket-version": "13"}
        channel = http.get("/_stcore/stream", headers={**upgrade, "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA=="})
        assert channel.status_code == 403
        for away in ("//evil.example", "https://evil.example", "/\\evil.example"):
            entered = http.post("/sign-in", params={"next": away}, data={"token": secret})
            assert (entered.status_code, entered.headers["location"]) == (303, "/")
        foreign = http.post("/sign-in", data={"token": secret}, headers={"origin": "https://evil.example"})
        assert foreign.status_code == 403
        http.cookies.clear()
        for body in (b"token=" + b"x" * 100_000, b"\xff\xfe", b"token=%00", b""):
            assert http.post("/sign-in", content=body).status_code == 401
