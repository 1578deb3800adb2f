"""What a person does with the pages, in a real browser over the real service."""

from __future__ import annotations

import contextlib
import re
import socket
import time
from typing import Any

import pytest
from assistant_traffic import Traffic
from browsing import settled
from from_outside import PATIENCE_S, wait_until
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError
from playwright.sync_api import expect
from running_service import RunningService

PATIENCE_MS = PATIENCE_S * 1000


def number_in(text: str) -> int:
    """The first whole number of a text, thousands apart or not."""
    found = re.search(r"\d[\d ]*", text)
    assert found, text
    return int(found.group().replace(" ", ""))


def tile(tab: Any, label: str) -> int:
    """The number on a tile."""
    return number_in(tab.locator(f".st-key-tile-{label.replace(' ', '-')}").get_by_role("heading").inner_text())


def number_and_link(tab: Any, label: str) -> tuple[int, str]:
    """The number on a tile and the address of its list, read at once: the page renews both by itself."""
    part = tab.locator(f".st-key-tile-{label.replace(' ', '-')}")
    expect(part.locator("a").first).to_be_visible(timeout=PATIENCE_MS)
    shown, link = part.evaluate("tile => [tile.querySelector('h2').innerText, tile.querySelector('a').href]")
    return number_in(shown), link


def open_tile(tab: Any, label: str) -> None:
    """Open the list behind the number on a tile."""
    tab.locator(f".st-key-tile-{label.replace(' ', '-')}").get_by_role("link").click()


def raw_lines(payload: str) -> str:
    """A text that stands in the raw payload, however it is laid out."""
    return "[]" if payload == "[]" else payload[:12]


def open_cell(tab: Any, key: str, place: tuple[float, int], address: re.Pattern[str]) -> None:
    """Click into a table until the address is as expected: a page that renews itself may move the table, or draw it
    anew, between the look at where it is and the click.

    Args:
        tab: the page.
        key: the table's name on it.
        place: column as a share of the table's width, and row counted from 0 below the head.
        address: what the click opens.
    """
    grid = tab.locator(f".st-key-{key.replace('.', '-')} canvas").first

    def opened() -> bool:
        with contextlib.suppress(PlaywrightTimeoutError):
            if address.search(tab.url):
                return True
            grid.scroll_into_view_if_needed(timeout=CLICK_MS)
            box = grid.bounding_box(timeout=CLICK_MS)
            if box is not None:
                at = box["x"] + box["width"] * place[0], box["y"] + 31 * (place[1] + 1) + 15
                tab.mouse.move(*at)
                tab.mouse.click(*at)
                tab.wait_for_url(address, timeout=CLICK_MS)
        return bool(address.search(tab.url))

    wait_until(opened, f"a click into {key} opens {address.pattern}")


CLICK_MS = 20_000
"""How long one click is waited for before it is tried again."""


def bottom(part: Any) -> float:
    """Where a part of the page ends, in pixels from the top of the screen."""
    part.wait_for()
    box = part.bounding_box()
    return float(box["y"] + box["height"]) if box else float("inf")


def test_the_way_to_the_failing_step(tab: Any, pages: str, busy: RunningService) -> None:
    """From the overview, silent failures lead to a replay that is open at the failing step, raw payload included."""
    settled(tab, pages)
    expect(tab).to_have_url(re.compile(rf"^{re.escape(pages)}/overview"), timeout=PATIENCE_MS)
    wait_until(lambda: tile(tab, "Silent failures") == busy.ask("overview")["silent"], "the tile shows the API's count")

    open_tile(tab, "Silent failures")
    tab.wait_for_url("**/silent**")
    settled(tab)
    tab.get_by_role("link", name="Replay").first.click()
    tab.wait_for_url("**/replay**")
    settled(tab)

    newest = busy.ask("silent", limit=1)["rows"][0]
    main = tab.get_by_test_id("stMain")
    main.get_by_text("silent failure", exact=False).first.wait_for()
    main.get_by_test_id("stText").filter(has_text=newest["tool"]).first.wait_for()
    main.get_by_test_id("stCode").filter(has_text=raw_lines(newest["result"])).first.wait_for()
    main.get_by_test_id("stCode").filter(has_text=newest["span_id"]).first.wait_for()


def test_a_count_opens_its_list(tab: Any, pages: str) -> None:
    """The number on a tile is the length of the list that its link opens."""
    settled(tab, pages)
    failed, link = number_and_link(tab, "Failed calls")

    settled(tab, link)

    badge = tab.get_by_test_id("stMain").get_by_text(re.compile(r"^[\d ]+ calls?$"))
    wait_until(lambda: number_in(badge.inner_text()) == failed, "the list is as long as the tile says")


def test_a_count_keeps_its_list(tab: Any, pages: str, busy: RunningService) -> None:
    """What arrives between the look at a number and the click on it is not in the list: it is of the same moment."""
    settled(tab, pages)
    failed, link = number_and_link(tab, "Failed calls")
    sent_ns = time.time_ns()
    busy.send([Traffic(seed=98).session("chat-between", sent_ns, [("find_customer", "denied")])])

    wait_until(lambda: busy.ask("calls", session="chat-between")["total"], "the new failure is judged")
    wait_until(lambda: time.time_ns() > sent_ns + 3 * 10**9, "its call, a second after the sending, has begun")

    settled(tab, link)

    badge = tab.get_by_test_id("stMain").get_by_text(re.compile(r"^[\d ]+ calls?$"))
    expect(badge).to_have_text(re.compile(rf"^{failed} calls?$"), timeout=PATIENCE_MS)
    tab.get_by_role("link", name="Show now").click()
    expect(badge).to_have_text(re.compile(rf"^{failed + 1} calls?$"), timeout=PATIENCE_MS)


def test_the_first_screen(tab: Any, pages: str, busy: RunningService) -> None:
    """At 1280 by 800 the worst tools and the sessions that failed last are in sight without scrolling, and the numbers;
    at 390 nothing is wider than the screen."""
    tab.set_viewport_size({"width": 1280, "height": 800})
    settled(tab, pages)
    for key in ("overview-tools", "overview-sessions", "tile-Failed-calls"):
        part = tab.locator(f".st-key-{key}").first
        wait_until(lambda part=part: bottom(part) <= 800, f"{key} ends above the fold")

    tab.set_viewport_size({"width": 390, "height": 844})
    for page in ("overview", "calls", "tools-codes", "replay", "rules"):
        settled(tab, f"{pages}/{page}")
        wide = "(main => main.scrollWidth - main.clientWidth)(document.querySelector('[data-testid=stMain]'))"
        wait_until(lambda wide=wide: tab.evaluate(wide) <= 0, f"{page} is no wider than the screen")


@pytest.mark.parametrize(
    ("address", "named"), [("no-such-thing", "no-such-thing"), ("a/b/c", "a/b/c"), ("%3Cb%3Ex%20y", "<b>x y")]
)
def test_an_address_without_a_page(tab: Any, pages: str, address: str, named: str) -> None:
    """It is said that there is no such page, with the pages that there are; the overview does not stand in for it, and
    no notice of Streamlit's own lies over it."""
    settled(tab, f"{pages}/{address}")

    main = tab.get_by_test_id("stMain")
    main.get_by_role("heading", name="No such page").wait_for()
    expect(main.get_by_text(f"“{named}”")).to_be_visible(timeout=PATIENCE_MS)
    expect(main.get_by_role("link")).to_have_count(9, timeout=PATIENCE_MS)
    expect(tab.get_by_test_id("stException")).to_have_count(0)
    expect(tab.get_by_role("dialog")).to_have_count(0)


def test_a_cell_opens_its_calls(tab: Any, pages: str) -> None:
    """A click into the table of tools opens the failed calls of that tool."""
    settled(tab, f"{pages}/tools-codes")

    open_cell(tab, "tools", (0.05, 0), re.compile(r"/calls\?.*tool="))


def test_filters_live_in_the_url(tab: Any, browser: Any, pages: str, busy: RunningService) -> None:
    """Typing a filter puts it into the address; the address opens the same view for somebody else."""
    settled(tab, f"{pages}/calls")
    tab.get_by_label("Tool", exact=True).fill("book_meeting")
    tab.get_by_label("Tool", exact=True).press("Enter")
    tab.wait_for_url("**/calls?**tool=book_meeting**")
    settled(tab)
    mine = str(busy.ask("calls", tool="book_meeting", limit=1)["total"]) + " calls"
    badge = tab.get_by_test_id("stMain").get_by_text(re.compile(r"^[\d ]+ calls?$"))
    expect(badge).to_have_text(mine, timeout=PATIENCE_MS)

    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    other = settled(context.new_page(), tab.url)

    expect(other.get_by_label("Tool", exact=True)).to_have_value("book_meeting", timeout=PATIENCE_MS)
    theirs = other.get_by_test_id("stMain").get_by_text(re.compile(r"^[\d ]+ calls?$"))
    expect(theirs).to_have_text(mine, timeout=PATIENCE_MS)
    context.close()


def test_going_back(tab: Any, pages: str) -> None:
    """Going back in the browser goes back in the view, and the page shows what the address says."""
    settled(tab, f"{pages}/calls?tool=book_meeting")
    tab.get_by_test_id("stSidebar").get_by_role("link", name="Sessions").click()
    tab.wait_for_url("**/sessions?**tool=book_meeting**")
    settled(tab)

    tab.go_back()

    tab.wait_for_url("**/calls?**tool=book_meeting**")
    tab.get_by_role("heading", level=1, name="Calls").wait_for()
    expect(tab.get_by_label("Tool", exact=True)).to_have_value("book_meeting", timeout=PATIENCE_MS)


def test_next_failure_and_permalink(tab: Any, pages: str, busy: RunningService) -> None:
    """The permalink that a replay offers opens the same step."""
    call = busy.ask("calls", outcome="failed", limit=1)["rows"][0]
    settled(tab, f"{pages}/replay?session={call['session_id']}&span={call['span_id']}")
    code = tab.get_by_test_id("stCode").filter(has_text="/replay?")
    expect(code).to_contain_text(call["span_id"], timeout=PATIENCE_MS)

    settled(tab, "".join(code.inner_text().split()))

    main = tab.get_by_test_id("stMain")
    main.get_by_test_id("stText").filter(has_text=call["tool"]).first.wait_for()
    main.get_by_test_id("stCode").filter(has_text=f"{call['trace_id']}  {call['span_id']}").wait_for()


def test_nothing_is_fetched_from_outside(tab: Any, pages: str) -> None:
    """No page asks any other machine for anything."""
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))

    for page in ("overview", "tools-codes", "sessions", "silent", "senders", "incidents"):
        settled(tab, f"{pages}/{page}")

    outside = [url for url in asked if not url.startswith((pages, pages.replace("http", "ws"), "data:", "blob:"))]
    assert asked
    assert outside == []


def test_new_calls_show_by_themselves(tab: Any, pages: str, busy: RunningService) -> None:
    """With "Live" on, a failure that arrives while the page is open is on it without a touch."""
    settled(tab, pages)
    known = busy.ask("overview")["failures"]
    wait_until(lambda: tile(tab, "Failed calls") == known, "the page shows what is known")

    script = [("find_customer", "denied")]
    busy.send([Traffic(seed=99).session("chat-live", time.time_ns() - 3 * 10**9, script)])

    wait_until(lambda: tile(tab, "Failed calls") > known, "the new failure is on the page")


def test_a_foreign_name_is_refused(pages: str) -> None:
    """A browser that was led here by a foreign name (DNS rebinding) gets no connection; one by our own name does."""
    host, port = pages.removeprefix("http://").split(":")

    def answer_to(name: str) -> str:
        with socket.create_connection((host, int(port)), timeout=60) as connection:
            lines = (
                "GET /_stcore/stream HTTP/1.1",
                f"Host: {name}",
                f"Origin: http://{name}",
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            )
            connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
            return connection.recv(64).decode().split()[1]

    assert answer_to(f"{host}:{port}") == "101"
    assert answer_to("rebound.example") == "403"
