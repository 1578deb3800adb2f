"""A real browser on the real pages over the real service: receivers, judge, store and API, on ports of their own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
ROOT = HERE.parents[1]
CHROMIUM = Path("/usr/bin/chromium")
PATIENCE_S = 90.0


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


class RunningService:
    """The whole service on a temporary store."""

    def __init__(self, folder: Path, api_port: int = 0) -> None:
        from collector.config import Config
        from collector.service import Service

        db = folder / "telltale.db"
        self._service = Service(Config(db=db, otlp_grpc_port=0, otlp_http_port=0, api_port=api_port))
        self._service.start()
        self.api = self._service.urls.api
        self.otlp = self._service.urls.otlp_http

    def send(self, requests: list[dict[str, Any]]) -> None:
        """Send export requests and wait until all their tool calls are judged."""
        calls = 0
        with httpx.Client(base_url=self.otlp, timeout=60) as http:
            for request in requests:
                http.post("/v1/traces", json=request).raise_for_status()
                spans = request["resourceSpans"][0]["scopeSpans"][0]["spans"]
                calls += sum(span["name"].startswith("execute_tool") for span in spans)
        wait_until(lambda: self.ask("calls", since="all", limit=1)["total"] >= calls, "the calls are judged")

    def ask(self, path: str, **params: Any) -> dict[str, Any]:
        """Ask the API."""
        answer = httpx.get(f"{self.api}/api/v1/{path}", params=params, timeout=60)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    def stop(self) -> None:
        """Stop it and let go of its files."""
        self._service.stop()


def wait_until(true: Callable[[], bool], what: str) -> None:
    """Wait for something to become true, generously."""
    import time

    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, f"waited {PATIENCE_S:.0f} s until {what}"
        time.sleep(0.1)


@contextlib.contextmanager
def dashboard(api: str) -> Iterator[str]:
    """`telltale dashboard` as its own process, on a port that it chooses; yields its address."""
    command = [sys.executable, "-m", "telltale", "dashboard", "--api", api, "--port", "0"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    try:
        first = process.stdout.readline()
        assert "http://127.0.0.1:" in first, f"the dashboard said {first!r}"
        address = first.split("dashboard: ")[1].split()[0]
        threading.Thread(target=process.stdout.read, daemon=True).start()
        wait_until(lambda: _healthy(address), "the dashboard answers")
        yield address
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=60)


def _healthy(address: str) -> bool:
    try:
        return httpx.get(f"{address}/_stcore/health", timeout=5).text == "ok"
    except httpx.HTTPError:
        return False


def settled(tab: Any, address: str = "") -> Any:
    """Go to an address, where one is given, and wait until the page has finished running."""
    if address:
        tab.goto(address)
    tab.get_by_role("heading", level=1).wait_for()
    tab.wait_for_function(
        "document.querySelector('[data-testid=stApp]')?.getAttribute('data-test-script-state') === 'notRunning'"
    )
    return tab


@pytest.fixture(scope="session")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that has seen a day of traffic, some of it failing."""
    from traffic import Traffic

    service = RunningService(tmp_path_factory.mktemp("busy"))
    service.send(Traffic().day(60))
    yield service
    service.stop()


@pytest.fixture(scope="session")
def pages(busy: RunningService) -> Iterator[str]:
    """The pages over the busy service."""
    with dashboard(busy.api) as address:
        yield address
