"""Parts of a page that refresh by themselves while the viewer wants it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard import states

REFRESH_S = 10


def live(draw: Callable[[], None]) -> None:
    """Draw a part now and, where "Live" is on, again every ten seconds without touching the rest of the page."""
    every = REFRESH_S if st.session_state.get("refresh", True) else None
    st.fragment(run_every=every)(lambda: states.guarded(draw))()
