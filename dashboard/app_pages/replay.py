"""One session, step by step, opened at the failing step: what upstream said, what the tool returned, what the model
was told and did next."""

from __future__ import annotations

from typing import Any

import streamlit as st

from analytics.client import ApiError
from dashboard import data, links, replay_detail, replay_steps, states, tables, untrusted, words
from dashboard.view import View

view: View = st.session_state["view"]


RECENT = 10


def ask_for_session() -> None:
    """A box for an id, and the sessions that failed last."""
    with st.form("replay.open", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = st.text_input("Session or span id", max_chars=1024, key="replay.session")
        if st.form_submit_button("Open", type="primary") and wanted.strip():
            links.visit("replay", links.replay_query(view, wanted.strip()))
    recent = data.ask("sessions", params=view.params(("project",)), since="7d", flagged="true", limit=RECENT)["rows"]
    st.subheader("Sessions that failed last", anchor=False)
    if recent:
        tables.failing_sessions(recent, view, "replay.recent")
    else:
        st.caption("No session of the last 7 days holds a failure.")


def replay() -> dict[str, Any] | None:
    """The session of the address; one that is the id of a call's span opens there. None where neither is stored."""
    try:
        return _part_asked_for(data.ask("sessions", view.session, "replay", params=view.params(("project",))))
    except ApiError as error:
        if error.status != 404:
            raise
    try:
        call = data.ask("calls", view.session, params=view.params(("project",)))
    except ApiError as error:
        if error.status != 404:
            raise
        return None
    links.visit("replay", links.call_query(view, call))
    return None


def _part_asked_for(answer: dict[str, Any]) -> dict[str, Any]:
    """Of a session too long for one answer, the part that holds the step or span of the address."""
    wanted = replay_steps.wanted()
    if wanted is None or len(answer["steps"]) == answer["total"] or replay_steps.holds(answer["steps"], wanted):
        return answer
    return data.ask("sessions", view.session, "replay", params=view.params(("project",)), around=wanted)


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
    st.info("Open a session from Sessions, Calls or Silent failures, or name one here.", icon=":material/replay:")
    ask_for_session()
    st.stop()

with states.loading():
    answer = replay()
if answer is None:
    st.warning(
        "No session and no call of this project has that id, or it is no longer stored.",
        title="Not found",
        icon=":material/search_off:",
    )
    untrusted.block(view.session, "")
    ask_for_session()
    st.stop()
steps = answer["steps"]
header(answer.get("session") or {})
if not steps:
    states.nothing(view, "steps")
    st.stop()
at = replay_steps.chosen(steps, answer.get("first_failing_step"), view.tool)
replay_steps.controls(steps, at, answer, view)
# The step comes first: in a narrow window the outline goes below it, and pushes nothing out of sight.
parts = st.grid(4, min_column_width=200, gap="medium")
with parts.cell(column_span=3):
    replay_detail.step(steps, at, view)
with parts.cell():
    replay_steps.outline(steps, at, view)
