"""Is anything wrong now, which tool and code, since when, for how many, and is it getting worse."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard import data, incident_cards, states, tables, tiles, words
from dashboard.live import live
from dashboard.view import View

view: View = st.session_state["view"]


def draw() -> None:
    with states.loading():
        answer = data.ask("overview", params=view.params())
    if not answer.get("calls") and not answer.get("open_incidents"):
        states.nothing(view, "calls")
        return
    verdict(answer)
    incident_cards.open_incidents(answer.get("open_incidents") or [], view)
    tiles.tiles(answer, view)
    if not answer.get("failures"):
        return
    st.subheader("What is failing", anchor=False)
    states.guarded(kinds_of_failure)
    left, right = st.columns([2, 1], gap="medium")
    with left:
        st.subheader("Failures over time (UTC)", anchor=False)
        tiles.trend(answer)
    with right:
        st.subheader("By code", anchor=False)
        states.guarded(codes)
    st.subheader("Worst tools", anchor=False)
    tables.tools(answer.get("worst_tools") or [], view, "overview.tools")


def kinds_of_failure() -> None:
    tables.groups(data.ask("groups", params=view.params(), limit=10)["rows"], view, "overview.groups")


def codes() -> None:
    tiles.by_code(data.ask("tools-codes", params=view.params(), limit=data.ALL)["rows"], view)


def verdict(answer: dict[str, Any]) -> None:
    """One glance: is anything wrong."""
    incidents = len(answer.get("open_incidents") or [])
    failures, unrecovered = answer.get("failures") or 0, answer.get("sessions_unrecovered") or 0
    if incidents:
        st.error(
            f"{words.plural(failures, 'failed call')} in this window; "
            f"{words.plural(unrecovered, 'session')} not recovered.",
            title=f"{words.plural(incidents, 'incident')} open",
            icon=":material/e911_emergency:",
        )
    elif failures:
        st.warning(
            f"{words.plural(failures, 'failed call')}, {words.count(answer.get('silent'))} of them silent; "
            f"{words.plural(unrecovered, 'session')} not recovered.",
            title="No incident is open",
            icon=":material/notifications_off:",
        )
    else:
        st.success(
            f"{words.plural(answer.get('calls'), 'call')}, none failed.",
            title="Nothing is wrong in this window",
            icon=":material/check_circle:",
        )


live(draw)
