"""Pages that refresh by themselves while the viewer wants it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard import frame, links, moment, states
from dashboard.view import View

REFRESH_S = 10


def live(view: View, page: str, draw: Callable[[View], None]) -> None:
    """Draw a page now and, where "Live" is on, again every ten seconds without touching its frame.

    Args:
        view: the view as the address names it.
        page: the page's path.
        draw: draws the page below its heading, for a view with a moment.
    """
    moving = bool(st.session_state.get("refresh", True))

    def part() -> None:
        now = moment.of(view, page, moving=moving)
        frame.heading(now, links.PLACES[page])
        draw(now.view)

    st.fragment(run_every=REFRESH_S if moving else None)(lambda: states.guarded(part))()
