"""Who sends spans, under which convention, and what their spans leave out."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dashboard import data, states, tables, words
from dashboard.untrusted import plain
from dashboard.view import View

view: View = st.session_state["view"]


def lost_of(row: dict[str, Any]) -> list[tuple[str, str]]:
    """What a sender leaves out, with the switch that keeps it."""
    lost = row.get("lost") or []
    if isinstance(lost, dict):
        lost = [dict(zip(("what", "switch"), str(key).partition(": ")[::2], strict=True)) for key in lost]
    return [(str(each.get("what")), str(each.get("switch"))) for each in lost]


with states.loading():
    rows = data.ask("senders", params={"project": view.project})["rows"]
    status = data.ask("status", params={"project": view.project})
if not rows:
    states.no_calls_yet(status, view.project)
    st.stop()

losses = [(row, what, switch) for row in rows for what, switch in lost_of(row)]
st.caption(
    f"{words.plural(len(rows), 'sender')}; {words.count(status.get('spans'))} spans stored, "
    f"{words.count(status.get('calls'))} tool calls found in them."
)
frame = pd.DataFrame(
    {
        "service": [plain(row.get("service")) for row in rows],
        "instrumentation": [plain(row.get("scope")) for row in rows],
        "convention": [plain(row.get("convention") or "no tool calls") for row in rows],
        "spans": [row.get("spans") for row in rows],
        "calls": [row.get("calls") for row in rows],
        "lost": [len(lost_of(row)) for row in rows],
        "first span": [words.utc(row.get("first_seen")) for row in rows],
        "last span": [words.ago(row.get("last_seen")) for row in rows],
    }
)
targets = {
    n: ("calls", View(project=view.project).query(service=row.get("service"), since="all"))
    for n, row in enumerate(rows)
}
tables.opening(frame, "senders", targets, alt="Senders")
st.subheader("What is lost, and the switch that keeps it", anchor=False)
if losses:
    tables.reading(
        pd.DataFrame(
            {
                "service": [plain(row.get("service")) for row, _, _ in losses],
                "instrumentation": [plain(row.get("scope")) for row, _, _ in losses],
                "lost": [plain(what, 300) for _, what, _ in losses],
                "switch": [plain(switch, 300) for _, _, switch in losses],
            }
        ),
        "senders.lost",
        "What each sender leaves out",
    )
else:
    st.caption("Nothing that the judge needs is missing.")
refused = status.get("refused") or {}
if any(refused.values()):
    st.subheader("Refused since the service started, over all projects", anchor=False)
    tables.reading(
        pd.DataFrame(
            {
                "what": [plain(words.REFUSED.get(key, key)) for key in refused],
                "how many": list(refused.values()),
                "reason": [plain(key) for key in refused],
            }
        ),
        "senders.refused",
        "What was refused, by reason",
    )
