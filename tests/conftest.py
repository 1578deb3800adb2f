"""What every room's tests share: the browser, and the versions that they ran on."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import distributions
from typing import Any

import pytest


def pytest_report_header() -> str:
    """Name the versions that matter when a test behaves differently elsewhere."""
    wanted = {"duckdb", "streamlit", "opentelemetry-api", "grpcio", "protobuf"}
    found = {d.metadata["Name"]: d.version for d in distributions() if d.metadata["Name"] in wanted}
    return "versions: " + ", ".join(f"{name} {found[name]}" for name in sorted(found))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium from the system's packages. Without it the tests are skipped, but never in CI.

    Closed after each file: while Playwright is open an event loop runs in the thread, and `asyncio.run` cannot.
    """
    from browsing import CHROMIUM, FLAGS, need_chromium
    from playwright.sync_api import sync_playwright

    need_chromium()
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    """A fresh tab, as a new visitor has it."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, color_scheme="dark")
    page = context.new_page()
    page.set_default_timeout(90_000)
    yield page
    context.close()
