"""The moment that a page is about: fixed once in a run, given to every question of the page, and shown once.

It comes from the service's own clock. A page that refreshes by itself moves it on at every refresh; a list to work
through keeps it until its address changes or somebody asks for newer answers, so that nothing is asked twice. Links
from counts carry it, so the list that opens is as long as the count said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from dashboard import data
from dashboard.view import View

_KEY = "moment"
_WITHIN = frozenset({"step", "span"})
"""Parameters that choose a part of what a page has asked for already."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What a run is about: the view with its `as_of`, what the service says of itself, whether the address fixed it."""

    view: View
    status: dict[str, Any]
    fixed: bool


def of(view: View, page: str, *, moving: bool) -> Moment:
    """The moment for a page.

    Args:
        view: the view as the address names it.
        page: the page's path.
        moving: whether the page refreshes by itself.

    Raises:
        analytics.client.ApiError: the service cannot say how it is.
    """
    if view.as_of:
        return Moment(view, _status(view), fixed=True)
    given = {key: value for key, value in st.query_params.to_dict().items() if key not in _WITHIN}
    about = (data.api_url(), page, tuple(sorted(given.items())))
    kept = st.session_state.get(_KEY)
    if kept and kept[0] == about and not moving:
        return Moment(view.at(kept[1]["as_of"]), kept[1], fixed=False)
    status = data.ask_anew("status", params={"project": view.project})
    st.session_state[_KEY] = (about, status)
    return Moment(view.at(status["as_of"]), status, fixed=False)


def move_on() -> None:
    """Let the next run be about a newer moment."""
    st.session_state.pop(_KEY, None)
    data.forget()


def _status(view: View) -> dict[str, Any]:
    return data.ask("status", params={"project": view.project})
