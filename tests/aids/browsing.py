"""The pages in a real browser: the dashboard as a process of its own, and waiting until a page has finished."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from from_outside import end, telltale, wait_until

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def need_chromium() -> None:
    """Skip, saying so in one line, where the machine has no Chromium; fail where it must have one (CI)."""
    if CHROMIUM.exists():
        return
    reason = f"browser tests need Chromium at {CHROMIUM} (apt-get install chromium)"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@contextlib.contextmanager
def dashboard(api: str) -> Iterator[str]:
    """`telltale dashboard` as its own process, on a port that it chooses; yields its address."""
    process = telltale("dashboard", "--api", api, "--port", "0")
    assert process.stdout is not None
    try:
        first = process.stdout.readline()
        assert "http://127.0.0.1:" in first, f"the dashboard said {first!r}"
        address = first.split("dashboard: ")[1].split()[0]
        threading.Thread(target=process.stdout.read, daemon=True).start()
        wait_until(lambda: _healthy(address), "the dashboard answers")
        yield address
    finally:
        end(process)


def _healthy(address: str) -> bool:
    try:
        return httpx.get(f"{address}/_stcore/health", timeout=5).text == "ok"
    except httpx.HTTPError:
        return False


STILL_MS = 400
"""A page counts as drawn when its script has ended and its content has not changed for this long."""

STILL = """still => {
    const app = document.querySelector('[data-testid=stApp]');
    const main = document.querySelector('[data-testid=stMain]');
    if (app?.getAttribute('data-test-script-state') !== 'notRunning' || !main) { window.__drawn = null; return false; }
    const seen = main.innerHTML.length + main.innerText;
    if (window.__drawn?.seen !== seen) { window.__drawn = {seen, at: performance.now()}; return false; }
    return performance.now() - window.__drawn.at >= still;
}"""


def settled(tab: Any, address: str = "") -> Any:
    """Go to an address, where one is given, and wait until the page is drawn.

    The script's state alone does not tell: it reads "not running" before the first run, and between a run's end and
    the drawing of its last elements. What a test counts or measures on the page after this may still come a moment
    later on a slow machine: use `expect`, which asks again.
    """
    if address:
        tab.goto(address)
    tab.get_by_role("heading", level=1).wait_for()
    tab.wait_for_function(STILL, arg=STILL_MS, polling=100)
    return tab
