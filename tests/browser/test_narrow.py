"""A window of 800 pixels, half of a laptop's screen: what a person reads there keeps the width that it needs."""

from __future__ import annotations

from typing import Any

from browsing import settled
from from_outside import wait_until
from running_service import RunningService


def width(part: Any) -> float:
    """How wide a part of the page is, in pixels; 0 while it is not there."""
    box = part.bounding_box()
    return float(box["width"]) if box else 0.0


def test_the_panes_of_a_replay_are_wide_enough_for_words(tab: Any, pages: str, busy: RunningService) -> None:
    """Payloads stand in panes that hold some twenty signs a line, the outline below shows names; nothing overflows."""
    call = busy.ask("calls", outcome="failed", payload="captured", limit=1)["rows"][0]
    tab.set_viewport_size({"width": 800, "height": 900})
    settled(tab, f"{pages}/replay?session={call['session_id']}&span={call['span_id']}")

    main = tab.get_by_test_id("stMain")
    for sign in ("①", "②", "③"):
        pane = main.get_by_text(sign, exact=False).first
        wait_until(lambda pane=pane: width(pane) >= 170, f"pane {sign} is wide enough")
    outline = main.locator(".st-key-replay-outline").first
    wait_until(lambda: width(outline) >= 200, "the outline is wide enough for names")
    wide = "(main => main.scrollWidth - main.clientWidth)(document.querySelector('[data-testid=stMain]'))"
    wait_until(lambda: tab.evaluate(wide) <= 0, "the replay is no wider than the window")


def test_the_overview_gives_tables_and_chart_their_width(tab: Any, pages: str) -> None:
    """The numbers by code, the chart with its legend and the worst tools have the whole width of the window."""
    tab.set_viewport_size({"width": 800, "height": 900})
    settled(tab, f"{pages}/overview")

    main = tab.get_by_test_id("stMain")
    parts = {key: main.locator(f".st-key-overview-{key}").first for key in ("tools", "sessions", "codes")}
    for name, part in (*parts.items(), ("chart", main.get_by_test_id("stVegaLiteChart").first)):
        wait_until(lambda part=part: width(part) >= 480, f"{name} has the whole width")
