"""What the browser tests run: the whole service, the dashboard as a process, and a page that has settled."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).parents[2]
PATIENCE_S = 90.0
"""How long anything may take before a test gives up waiting for it."""


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
