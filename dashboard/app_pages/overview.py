"""Is anything wrong now, which tool and code, since when, for how many, and is it getting worse."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard import data, incident_cards, links, states, tables, tiles, tool_tables, trend, words
from dashboard.live import live
from dashboard.view import View

KINDS = 10
TOOLS = 6


def draw(view: View) -> None:
    """What is failing now first, then how much, then the details."""
    overview = data.soon("overview", params=view.params())
    kinds = data.soon("groups", params=view.params(), limit=KINDS)
    with states.loading():
        answer = overview()
    if not answer.get("calls") and not answer.get("open_incidents"):
        states.nothing(view, "calls")
        return
    verdict(answer)
    incident_cards.open_incidents(answer.get("open_incidents") or [], view)
    if answer.get("failures"):
        failing_now(answer, view)
    tiles.tiles(answer, view)
    if not answer.get("failures"):
        return
    st.subheader("What is failing", anchor=False)
    states.guarded(lambda: kinds_of_failure(kinds(), view))
    # Grids, not columns: those keep side by side in a window of 800 pixels what needs its whole width there.
    parts = st.grid(3, min_column_width=260, gap="medium")
    with parts.cell(column_span=2):
        st.subheader("Failures over time (UTC)", anchor=False)
        trend.trend(answer)
    with parts.cell():
        st.subheader("By code", anchor=False)
        tiles.by_code(answer.get("codes") or [], view)


def failing_now(answer: dict[str, Any], view: View) -> None:
    """The worst tools beside the sessions that failed last."""
    halves = st.grid(2, min_column_width=360, gap="small")
    with halves.cell():
        heading("Worst tools", "tools-codes", "All tools", view.query())
        tool_tables.worst_tools((answer.get("worst_tools") or [])[:TOOLS], view, "overview.tools")
    with halves.cell():
        heading("Sessions that failed last", "sessions", "All sessions", view.query(flagged="true"))
        tables.failing_sessions((answer.get("failing_sessions") or [])[:TOOLS], view, "overview.sessions")


def heading(title: str, page: str, label: str, query: dict[str, str]) -> None:
    """A small heading with the way to the whole list."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(title, anchor=False, width="content")
        st.space("stretch")
        links.link(page, label, query, icon=":material/arrow_forward:")


def kinds_of_failure(answer: dict[str, Any], view: View) -> None:
    """The most frequent kinds, and how many there are."""
    rows, total = answer["rows"], answer.get("total") or 0
    tables.groups(rows, view, "overview.groups")
    if total > len(rows):
        st.caption(f"The {words.count(len(rows))} most frequent of {words.plural(total, 'kind')} of failure.")


def verdict(answer: dict[str, Any]) -> None:
    """One glance, on one line: is anything wrong."""
    incidents = len(answer.get("open_incidents") or [])
    failures, unrecovered = answer.get("failures") or 0, answer.get("sessions_unrecovered") or 0
    reach = f"{words.plural(failures, 'failed call')}, {words.count(answer.get('silent'))} of them silent; "
    reach += f"{words.plural(unrecovered, 'session')} not recovered"
    if incidents:
        st.error(f"**{words.plural(incidents, 'incident')} open** · {reach}", icon=":material/e911_emergency:")
    elif failures:
        st.warning(f"**No incident is open** · {reach}", icon=":material/notifications_off:")
    else:
        calls = words.plural(answer.get("calls"), "call")
        st.success(f"**Nothing is wrong in this window** · {calls}, none failed", icon=":material/check_circle:")


live(st.session_state["view"], "overview", draw)
