"""Sessions, those that hold a failure first, however the agent answered."""

from __future__ import annotations

import streamlit as st

from dashboard import data, links, paging, states, tables
from dashboard.view import View

view: View = st.session_state["view"]

extra = paging.narrowing(("flagged", "unrecovered"))
with st.container(horizontal=True, vertical_alignment="center"):
    links.link("sessions", "All", view.query(), icon=":material/forum:")
    links.link("sessions", "Flagged", view.query(flagged="true"), icon=":material/flag:")
    links.link("sessions", "Not recovered", view.query(unrecovered="true"), icon=":material/healing:")
    st.caption("Click a session to replay it at its first failing step.", width="content")
with states.loading():
    answer = data.ask("sessions", params=view.params(), limit=paging.LIMIT, cursor=paging.cursor(), **extra)
rows = answer["rows"]
if not rows:
    states.nothing(view, "sessions")
    st.stop()
rows.sort(key=lambda row: not row.get("flagged"))
paging.summary(answer, "session", extra)
tables.sessions(rows, view, "sessions")
paging.more(answer, "sessions", view, extra)
