"""Calls that failed while success was claimed, or without any mark: declared against derived, with the evidence."""

from __future__ import annotations

import streamlit as st

from dashboard import data, links, paging, states, untrusted, words
from dashboard.evidence import evidence
from dashboard.view import View

view: View = st.session_state["view"]
SHOWN = 15

with states.loading():
    answer = data.ask("silent", params=view.params(links.PLACES["silent"].filters), limit=SHOWN, cursor=paging.cursor())
rows = answer["rows"]
if not rows:
    states.nothing(view, "silent failures")
    st.stop()

paging.summary(answer, "silent failure", {})
st.caption("They said that they worked, or said nothing, and failed. Each with the rule that found it.")
for row in rows:
    with st.container(border=True, gap="xsmall", key=f"silent.{row['span_id']}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.badge("◆ silent failure", color="violet")
            untrusted.name(row.get("tool"))
            st.caption("declared", width="content")
            untrusted.name(row.get("declared"))
            st.caption("derived", width="content")
            untrusted.name(row.get("code"), "failed, code not known")
            untrusted.name(row.get("confidence"))
            st.space("stretch")
            took = words.milliseconds(row.get("duration_ms"))
            st.caption(f"{words.utc_ago(row.get('started_at'))} · {took}", width="content")
            links.link("replay", "Replay", links.call_query(view, row), icon=":material/replay:")
        left, right = st.columns(2)
        with left:
            evidence(row, limit=120)
        with right:
            untrusted.payload(untrusted.excerpt(row.get("result"), 500), "The result was not captured.")
paging.more(answer, "silent", view, {})
