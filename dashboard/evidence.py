"""Why a verdict was reached: rules, the sentence each stands for, and the evidence it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.untrusted import plain


def evidence(call: Mapping[str, Any], key: str) -> None:
    """A call's rules with their evidence, as a table of plain text."""
    sentences = {str(row.get("rule")): row.get("sentence") for row in call.get("rules_explained") or []}
    found = [row for row in call.get("evidence") or [] if isinstance(row, Mapping)]
    bare = [{"rule": rule} for rule in call.get("rules") or [] if rule not in {row.get("rule") for row in found}]
    rows = [*found, *bare]
    if not rows:
        st.caption("No rule spoke: the verdict is what the call declared.")
        return
    frame = pd.DataFrame(
        {
            "rule": [plain(row.get("rule"), 60) for row in rows],
            "where": [plain(row.get("key") or row.get("mark") or row.get("span_id"), 120) for row in rows],
            "value": [plain(row.get("value"), 300) for row in rows],
        }
    )
    if sentences:
        frame.insert(1, "means", [plain(sentences.get(str(row.get("rule"))), 200) for row in rows])
    st.dataframe(frame, hide_index=True, key=key, placeholder="–", alt="Rules and the evidence they rest on")
