"""How far verdicts can be trusted: each rule, how often it spoke, how often it was right, what was corrected."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dashboard import data, links, states, tables, words
from dashboard.untrusted import plain
from dashboard.view import View

view: View = st.session_state["view"]
params = view.params(links.PLACES["rules"].filters)

whose = view.params(("project", "tool"))  # a correction has no range: it stands until it is taken back
asked = [data.soon("rules", params=params, limit=1000), data.soon("corrections", params=whose, limit=200)]
with states.loading():
    rules, corrections = (answer()["rows"] for answer in asked)


def taken_back(row: dict[str, Any]) -> str:
    """By whom and why a correction is in force no more; "" while it is."""
    return f"by {plain(row.get('undone_by'), 80)}: {plain(row.get('undone_why'), 300)}" if row.get("undone_at") else ""


spoke = [row for row in rules if row.get("calls")]
silent = [row for row in rules if not row.get("calls")]
st.caption(
    f"{words.plural(len(rules), 'rule')}; {words.count(len(spoke))} spoke in this window, "
    f"{words.count(len(silent))} did not. Precision: of the verdicts that a rule decided and people checked, "
    "whenever they did, how many stood."
)
shown = sorted(rules, key=lambda row: -int(row.get("calls") or 0))
tables.reading(
    pd.DataFrame(
        {
            "rule": [plain(row.get("rule"), 80) for row in shown],
            "calls": [row.get("calls") for row in shown],
            "muted": [row.get("muted") for row in shown],
            "precision": [words.checked(row.get("precision")) for row in shown],
            "last": [words.ago(row.get("last_seen")) for row in shown],
            "confidence": [plain(row.get("confidence"), 20) for row in shown],
            "says": [plain(row.get("sentence"), 300) for row in shown],
        }
    ),
    "rules",
    "Rules, most frequent first",
)
st.subheader("Corrections", anchor=False)
if corrections:
    tables.reading(
        pd.DataFrame(
            {
                "when (UTC)": [words.utc(row.get("created_at")) for row in corrections],
                "tool": [plain(row.get("tool")) for row in corrections],
                "rule": [plain(row.get("rule"), 80) for row in corrections],
                "judged": [words.outcome_text(row.get("judged")) for row in corrections],
                "corrected to": [words.outcome_text(row.get("outcome")) for row in corrections],
                "code": [plain(row.get("code"), 40) for row in corrections],
                "who": [plain(row.get("who"), 80) for row in corrections],
                "why": [plain(row.get("why"), 300) for row in corrections],
                "taken back": [taken_back(row) for row in corrections],
            }
        ),
        "corrections",
        "Corrections, latest first",
    )
elif view.tool:
    st.caption("Nobody has corrected a verdict on this tool yet. A replay's step has the form.")
else:
    st.caption("Nobody has corrected a verdict yet. A replay's step has the form.")
