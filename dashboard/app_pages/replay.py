"""One session, step by step, opened at the failing step: what upstream said, what the tool returned, what the model
was told and did next."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard import data, links, replay_detail, replay_steps, states, untrusted, words
from dashboard.view import View

view: View = st.session_state["view"]


def ask_for_session() -> None:
    st.info("Open a session from Sessions, Calls or Silent failures, or name one here.", icon=":material/replay:")
    with st.form("replay.open", border=False):
        wanted = st.text_input("Session or trace id", max_chars=1024, key="replay.session")
        if st.form_submit_button("Open", type="primary") and wanted.strip():
            links.visit("replay", links.replay_query(view, wanted.strip()))


def header(session: dict[str, Any]) -> None:
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            if session.get("flagged"):
                st.badge("flagged", icon=":material/flag:", color="red")
            else:
                st.badge("no failure", icon=":material/check:", color="green")
            if session.get("session_source") == "trace":
                st.badge("no session id: one trace", color="gray")
            st.text(untrusted.plain(session.get("session_id")))
            st.space("stretch")
            st.caption(words.utc_ago(session.get("started_at")), width="content")
        facts = [
            words.plural(session.get("calls"), "call"),
            f"{words.count(session.get('failures'))} failed",
            f"{words.count(session.get('silent'))} silent",
            f"{words.count(session.get('unrecovered'))} not recovered",
        ]
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(" · ".join(facts), width="content")
            for label, key in (("agent", "agent"), ("user", "user")):
                st.caption(label, width="content")
                st.text(untrusted.plain(session.get(key)) or "not known")


if not view.session:
    ask_for_session()
    st.stop()

with states.loading():
    answer = data.ask("sessions", view.session, "replay", params={"project": view.project})
steps = answer["steps"]
header(answer.get("session") or {})
if not steps:
    states.nothing(view, "steps")
    st.stop()
at = replay_steps.chosen(steps, answer.get("first_failing_step"))
replay_steps.controls(steps, at, view)
left, right = st.columns([2, 6], gap="medium")
with left:
    replay_steps.outline(steps, at, view)
with right:
    replay_detail.step(steps, at, view)
