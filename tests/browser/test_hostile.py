"""Payload text that wants to be more than text: it fetches nothing, runs nothing, and can be read."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from assistant_traffic import Traffic
from browsing import dashboard, settled
from from_outside import wait_until
from running_service import RunningService


class Beacon:
    """A server that notes who calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        beacon = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                beacon.calls.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="module")
def beacon() -> Iterator[Beacon]:
    """The server that must stay silent."""
    started = Beacon()
    yield started
    started.stop()


DRAWN = "[data-testid=stText], [data-testid=stDataFrame] canvas, [data-testid=stAlert]"
"""What is on a page once it shows something of its answer."""


def hostile(url: str) -> str:
    """Text that fetches, runs or links wherever it is taken for HTML or Markdown."""
    return (
        f'<img src="{url}/html.png" onerror="window.__pwn=1"><script>window.__pwn=1</script>'
        f"<iframe src='{url}/frame'></iframe> ![m]({url}/markdown.png) [c](javascript:window.__pwn=1)"
        f" $$\\href{{{url}/katex}}{{x}}$$ :red[x] :material/bug_report:"
    )


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory, beacon: Beacon) -> Iterator[RunningService]:
    """A service whose every name, id and payload is hostile."""
    service = RunningService(tmp_path_factory.mktemp("hostile"))
    traffic = Traffic(hostile=hostile(beacon.url))
    service.send(traffic.day(25))
    calm, denied = [("send_mail", "ok")] * 10, [("send_mail", "denied")]
    now = time.time_ns() - 20 * 10**9
    service.send([traffic.session(f"calm-{n}", now - n * 10**9, calm) for n in range(10)])
    service.send([traffic.session(f"denied-{n}", now + n * 10**9, denied) for n in range(6)])
    wait_until(lambda: service.ask("incidents")["total"] > 0, "the denied sessions have fired an alert")
    yield service
    service.stop()


@pytest.fixture(scope="module")
def attacked_pages(attacked: RunningService) -> Iterator[str]:
    """The pages over that service."""
    with dashboard(attacked.api) as address:
        yield address


def places(service: RunningService) -> dict[str, str]:
    """Every page, in the state that shows most foreign text."""
    call = service.ask("calls", outcome="failed", limit=1)["rows"][0]
    replay = urlencode({"session": call["session_id"], "span": call["span_id"]})
    narrowed = urlencode({"tool": call["tool"], "agent": call["agent"], "session": call["session_id"]})
    return {
        "overview": "overview",
        "silent": "silent",
        "tools-codes": "tools-codes",
        "sessions": "sessions",
        "calls": "calls?outcome=failed",
        "calls, narrowed": f"calls?{narrowed}",
        "replay": f"replay?{replay}",
        "senders": "senders",
        "incidents": "incidents",
        "an incident": f"incidents?{urlencode({'incident': service.ask('incidents')['rows'][0]['id']})}",
        "rules": "rules",
        "nothing found": f"calls?{urlencode({'tool': '![x](' + call['tool'] + ')'})}",
    }


def test_payloads_are_text_on_every_page(
    tab: Any, attacked: RunningService, attacked_pages: str, beacon: Beacon
) -> None:
    """With hostile text in every field, no page calls the beacon or runs a script."""
    for name, place in places(attacked).items():
        settled(tab, f"{attacked_pages}/{place}")
        tab.get_by_test_id("stMain").locator(DRAWN).first.wait_for()
        tab.wait_for_load_state("networkidle")
        assert tab.evaluate("window.__pwn") is None, name
        assert tab.locator(f"[src^='{beacon.url}'], [href^='{beacon.url}'], [href^='javascript']").count() == 0, name

    assert beacon.calls == []


def test_hostile_text_can_be_read(tab: Any, attacked: RunningService, attacked_pages: str) -> None:
    """On the replay the hostile name is on the page, letter for letter."""
    settled(tab, f"{attacked_pages}/{places(attacked)['replay']}")

    main = tab.get_by_test_id("stMain")
    main.get_by_test_id("stText").filter(has_text="<script>window.__pwn=1</script>").first.wait_for()
    main.get_by_test_id("stCode").filter(has_text="<iframe src=").first.wait_for()


def test_opening_a_cell_fetches_nothing(
    tab: Any, attacked: RunningService, attacked_pages: str, beacon: Beacon, tmp_path: Path
) -> None:
    """Resting on a table's cell and opening it whole shows text as well."""
    settled(tab, f"{attacked_pages}/senders")
    grid = tab.locator("[data-testid=stDataFrame] canvas").first
    grid.wait_for()
    box = grid.bounding_box()
    tab.mouse.move(box["x"] + 60, box["y"] + 46)
    tab.mouse.dblclick(box["x"] + 60, box["y"] + 46)
    tab.wait_for_load_state("networkidle")

    assert tab.evaluate("window.__pwn") is None
    assert beacon.calls == []


def test_the_beacon_works(tab: Any, beacon: Beacon) -> None:
    """A page that does show Markdown's image as an image calls the beacon: its silence above means something."""
    tab.set_content(f"<img src='{beacon.url}/control.png'>")

    wait_until(lambda: "/control.png" in beacon.calls, "the control image is fetched")
    beacon.calls.clear()
