"""Sessions, those that hold a failure first, however the agent answered."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard import data, links, paging, states, tables, words
from dashboard.view import View

view: View = st.session_state["view"]

params = view.params(links.PLACES["sessions"].filters)
extra = paging.narrowing(("flagged", "unrecovered", "order"))


def flagged_first() -> dict[str, Any]:
    """The flagged sessions, then the newest of the others."""
    asked = [data.soon("sessions", params=params, limit=paging.LIMIT, flagged=flag) for flag in ("true", "")]
    flagged, newest = (answer() for answer in asked)
    others = [row for row in newest["rows"] if not row.get("flagged")]
    return {**newest, "rows": [*flagged["rows"], *others], "flagged": flagged.get("total"), "next_cursor": None}


def newest_first() -> dict[str, Any]:
    """One page of the sessions that the address asks for."""
    asked = {key: value for key, value in extra.items() if key != "order"}
    return data.ask("sessions", params=params, limit=paging.LIMIT, cursor=paging.cursor(), **asked)


with st.container(horizontal=True, vertical_alignment="center"):
    links.link("sessions", "Flagged first", view.query(), icon=":material/forum:")
    links.link("sessions", "Flagged", view.query(flagged="true"), icon=":material/flag:")
    links.link("sessions", "Not recovered", view.query(unrecovered="true"), icon=":material/healing:")
    links.link("sessions", "All, newest first", view.query(order="time"), icon=":material/schedule:")
    st.caption("Click a session to replay it at its first failing step.", width="content")
with states.loading():
    answer = newest_first() if extra else flagged_first()
if not answer["rows"]:
    states.nothing(view, "sessions")
    st.stop()
paging.summary(answer, "session", extra)
if not extra:
    st.caption(f"{words.count(answer['flagged'])} of them hold a failure and come first.")
tables.sessions(answer["rows"], view, "sessions")
paging.more(answer, "sessions", view, extra)
