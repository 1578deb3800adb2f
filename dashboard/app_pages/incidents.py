"""What fired: acknowledge it, name its cause, and see how long that took."""

from __future__ import annotations

import streamlit as st

from dashboard import data, incident_cards, incident_detail, incident_openers, links, states, words
from dashboard.view import View

view: View = st.session_state["view"]
params = view.params(links.PLACES["incidents"].filters)

# The open ones whenever they began: the overview counts them so.
asked = [data.soon("incidents", params=params, state=wanted) for wanted in ("open", "resolved")]
with states.loading():
    open_ones, over = (answer()["rows"] for answer in asked)

chosen = st.query_params.get("incident")
detail = next((row for row in (*open_ones, *over) if str(row.get("id")) == chosen), None)
if chosen and detail is None:
    older = data.ask("incidents", params={"project": view.project}, since="all", limit=1000)["rows"]
    detail = next((row for row in older if str(row.get("id")) == chosen), None)
    if detail is None:
        st.warning("The incident of the address is not stored, or no more.", icon=":material/search_off:")
if not open_ones and not over and detail is None:
    if states.nothing(view, "incidents"):
        st.caption("None is open, and none fired and was resolved in this time range.")
        incident_openers.openers(shown=True)
    st.stop()

if detail is not None:
    incident_detail.detail(detail, view)
for state, rows in (("open", incident_cards.gravest_first(open_ones)), ("resolved", over)):
    others = [row for row in rows if row is not detail]
    title = f"Other {state}" if len(others) < len(rows) else state.capitalize()
    if others:
        st.subheader(f"{title}: {words.count(len(others))}", anchor=False)
    for row in others:
        incident_cards.card(row, view)
incident_openers.openers(shown=False)
states.guarded(lambda: incident_detail.times(view))
