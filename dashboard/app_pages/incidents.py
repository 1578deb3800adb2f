"""What fired: acknowledge it, name its cause, and see how long that took."""

from __future__ import annotations

import streamlit as st

from dashboard import data, incident_cards, incident_detail, states
from dashboard.view import View

view: View = st.session_state["view"]

with states.loading():
    rows = data.ask("incidents", params=view.params())["rows"]
if not rows:
    states.nothing(view, "incidents")
    st.stop()

chosen = st.query_params.get("incident")
detail = next((row for row in rows if str(row.get("id")) == chosen), None)
if detail is not None:
    incident_detail.detail(detail, view)
open_ones = [row for row in rows if row.get("state") != "resolved" and row is not detail]
over = [row for row in rows if row.get("state") == "resolved" and row is not detail]
if open_ones:
    st.subheader("Open", anchor=False)
for row in open_ones:
    incident_cards.card(row, view)
if over:
    st.subheader("Resolved", anchor=False)
    for row in over:
        incident_cards.card(row, view)
states.guarded(lambda: incident_detail.times(view))
