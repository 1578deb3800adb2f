"""A real browser on the real pages over the real service: receivers, judge, store and API, on ports of their own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from assistant_traffic import Traffic  # noqa: E402
from pages_running import PATIENCE_S, RunningService, dashboard  # noqa: E402

CHROMIUM = Path("/usr/bin/chromium")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test of this folder needs the browser, and they run one after the other."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))
            item.add_marker(pytest.mark.timeout(300))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium from the system's packages. Without it the tests are skipped, but never in CI."""
    if not CHROMIUM.exists():
        reason = f"browser tests need Chromium at {CHROMIUM} (apt-get install chromium)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=str(CHROMIUM), args=flags)
        yield launched
        launched.close()


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    """A fresh tab, as a new visitor has it."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, color_scheme="dark")
    page = context.new_page()
    page.set_default_timeout(PATIENCE_S * 1000)
    yield page
    context.close()


@pytest.fixture(scope="session")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that has seen a day of traffic, some of it failing."""
    service = RunningService(tmp_path_factory.mktemp("busy"))
    service.send(Traffic().day(60))
    yield service
    service.stop()


@pytest.fixture(scope="session")
def pages(busy: RunningService) -> Iterator[str]:
    """The pages over the busy service."""
    with dashboard(busy.api) as address:
        yield address
