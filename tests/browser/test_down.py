"""When the service goes away while somebody looks, and comes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assistant_traffic import Traffic
from browsing import dashboard, settled
from playwright.sync_api import expect
from running_service import RunningService


def test_down_and_up_again(tab: Any, tmp_path: Path) -> None:
    """The open page says that it has no answer, shows no number, and finds back by itself."""
    service = RunningService(tmp_path)
    service.send(Traffic().day(5))
    with dashboard(service.api) as address:
        settled(tab, address)
        tab.locator("[class*=st-key-tile]").first.wait_for()

        service.stop()
        tab.get_by_text("The API does not answer", exact=True).wait_for()
        tab.locator("[class*=st-key-tile]").first.wait_for(state="detached")

        again = RunningService(tmp_path, api_port=int(service.api.rsplit(":", 1)[1]))
        tab.locator("[class*=st-key-tile]").first.wait_for()
        tab.get_by_text("The API does not answer", exact=True).wait_for(state="detached")
        again.stop()


def test_empty_store(tab: Any, tmp_path: Path) -> None:
    """Over an empty store the page says how to get the first call, and shows it when it comes."""
    service = RunningService(tmp_path)
    with dashboard(service.api) as address:
        settled(tab, address)
        tab.get_by_text("No calls yet", exact=True).wait_for()
        expect(tab.locator("[class*=st-key-tile]")).to_have_count(0)

        service.send(Traffic().day(3))
        tab.locator("[class*=st-key-tile]").first.wait_for()
        service.stop()
