"""The form that says a verdict is wrong. It corrects every call of the tool whose verdict rests on the same grounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from analytics.client import ApiError
from dashboard import data, moment, states, words
from dashboard.view import View


def form(call: Mapping[str, Any], view: View) -> None:
    """Draw the form for one call, closed until it is wanted."""
    if st.session_state.pop("correction.done", False):
        st.success("Corrected. Calls of this tool with the same grounds follow.", icon=":material/done_all:")
    panel = st.expander("This verdict is wrong", icon=":material/edit_note:", on_change="rerun", key="correction.open")
    if not panel.open:
        return
    others = {str(outcome): look.label for outcome, look in words.LOOKS.items() if outcome != call.get("outcome")}
    with panel, st.form("correction", border=False):
        st.caption(
            "It holds for every call of this tool whose verdict rests on the same rule and keys, also later ones."
        )
        right = st.segmented_control(
            "It should be", list(others), format_func=others.__getitem__, key="correction.outcome"
        )
        who = st.text_input("Your name", max_chars=80, key="correction.who", persist_state="session")
        why = st.text_area("Why", max_chars=1000, key="correction.why", placeholder="What the result really means")
        if not st.form_submit_button("Correct", type="primary", icon=":material/done:"):
            return
        if not (right and who.strip() and why.strip()):
            st.warning("An outcome, a name and a reason are needed.", icon=":material/info:")
            return
        _send(call, view, {"outcome": right, "who": who.strip(), "why": why.strip()})


def _send(call: Mapping[str, Any], view: View, said: dict[str, str]) -> None:
    try:
        data.tell("corrections", project=view.project, body={"span_id": str(call.get("span_id")), **said})
    except ApiError as error:
        states.failed(error)
        return
    moment.move_on()
    st.session_state["correction.done"] = True
    st.rerun()
