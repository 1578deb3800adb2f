"""The list behind every count."""

from __future__ import annotations

import streamlit as st

from dashboard import data, paging, states, tables
from dashboard.view import View

view: View = st.session_state["view"]

extra = paging.narrowing(("flag", "payload", "inferred", "recovered", "fingerprint"))
with states.loading():
    answer = data.ask("calls", params=view.params(), limit=paging.LIMIT, cursor=paging.cursor(), **extra)
rows = answer["rows"]
if not rows:
    states.nothing(view, "calls")
    st.stop()
paging.summary(answer, "call", extra)
tables.calls(rows, view, "calls")
paging.more(answer, "calls", view, extra)
