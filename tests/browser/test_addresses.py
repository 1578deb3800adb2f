"""The address in the browser says what the page shows, also after a link to the page that it stands on."""

from __future__ import annotations

import re
from typing import Any

from browsing import settled
from from_outside import PATIENCE_S
from playwright.sync_api import expect
from running_service import RunningService

PATIENCE_MS = PATIENCE_S * 1000


def test_a_link_to_the_same_page_is_in_the_address(tab: Any, pages: str, busy: RunningService) -> None:
    """A step of a replay, followed by its link, survives a reload, and going back leads to the step before."""
    call = busy.ask("calls", outcome="failed", limit=1)["rows"][0]
    settled(tab, f"{pages}/replay?session={call['session_id']}&span={call['span_id']}")
    main = tab.get_by_test_id("stMain")
    first = main.get_by_role("heading", name=re.compile(r"^Step \d+$")).inner_text()

    main.get_by_role("link", name="Step back").click()
    expect(tab).to_have_url(re.compile(r"[?&]step=\d+"), timeout=PATIENCE_MS)
    settled(tab)
    shown = main.get_by_role("heading", name=re.compile(r"^Step \d+$")).inner_text()
    assert shown != first

    tab.reload()
    settled(tab)
    expect(main.get_by_role("heading", name=shown, exact=True)).to_be_visible(timeout=PATIENCE_MS)
    tab.go_back()
    expect(main.get_by_role("heading", name=first, exact=True)).to_be_visible(timeout=PATIENCE_MS)


def test_a_narrowing_link_is_in_the_address(tab: Any, pages: str) -> None:
    """What a list was narrowed to by a link above it can be copied from the address."""
    settled(tab, f"{pages}/sessions")

    tab.get_by_test_id("stMain").get_by_role("link", name="Not recovered").click()

    expect(tab).to_have_url(re.compile(r"/sessions\?.*unrecovered=true$"), timeout=PATIENCE_MS)
