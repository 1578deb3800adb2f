"""The form that says a verdict is wrong, or takes that back: for every call of the tool whose verdict rests on the same
grounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from analytics.client import ApiError
from dashboard import data, moment, states, words
from dashboard.view import View
from telltale.vocabulary import Code

_CODES = {"": "as it is", **{str(code): str(code) for code in Code}}


def form(call: Mapping[str, Any], view: View) -> None:
    """Draw the form for one call, closed until it is wanted."""
    done = st.session_state.pop("correction.done", None)
    if done == "corrected":
        st.success("Corrected. Calls of this tool with the same grounds follow.", icon=":material/done_all:")
    elif done == "undone":
        st.success("Taken back. Calls of this tool with the same grounds follow.", icon=":material/undo:")
    panel = st.expander("This verdict is wrong", icon=":material/edit_note:", on_change="rerun", key="correction.open")
    if not panel.open:
        return
    others = {str(outcome): look.label for outcome, look in words.LOOKS.items() if outcome != call.get("outcome")}
    corrected = "correction" in (call.get("rules") or [])
    with panel, st.form("correction", border=False):
        st.caption(
            "It holds for every call of this tool whose verdict rests on the same rule and keys, also later ones."
        )
        right = st.segmented_control(
            "It should be", list(others), format_func=others.__getitem__, key="correction.outcome"
        )
        code = st.selectbox("Its code", list(_CODES), format_func=lambda code: _CODES[code], key="correction.code")
        who = st.text_input("Your name", max_chars=80, key="correction.who", persist_state="session")
        why = st.text_area("Why", max_chars=1000, key="correction.why", placeholder="What the result really means")
        with st.container(horizontal=True):
            correct = st.form_submit_button("Correct", type="primary", icon=":material/done:")
            undo = corrected and st.form_submit_button("Take the correction back", icon=":material/undo:")
        said = {"who": who.strip(), "why": why.strip()}
        if undo and all(said.values()):
            _send(view, (str(call.get("span_id")), "undo"), said, "undone")
        elif correct and (right or code) and all(said.values()):
            chosen = {name: value for name, value in (("outcome", right), ("code", code)) if value}
            _send(view, (), {"span_id": str(call.get("span_id")), **chosen, **said}, "corrected")
        elif correct or undo:
            st.warning("An outcome or a code, a name and a reason are needed.", icon=":material/info:")


def _send(view: View, place: tuple[str, ...], body: dict[str, str], done: str) -> None:
    try:
        data.tell("corrections", *place, project=view.project, body=body)
    except ApiError as error:
        states.failed(error)
        return
    moment.move_on()
    st.session_state["correction.done"] = done
    st.rerun()
