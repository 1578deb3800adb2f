"""Why a verdict was reached: rules, the sentence each stands for, and the evidence it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dashboard.untrusted import plain


def evidence(call: Mapping[str, Any], limit: int = 300) -> None:
    """A call's rules, the sentence each stands for, and the evidence they rest on, in lines of plain text.

    Not a table: text is on the page at once, and can be read aloud.
    """
    named = _sentences(call)
    for row in _rows(call):
        rule = "" if row.get("rule") in named else plain(row.get("rule"), 60)
        parts = (rule, plain(_where(row), 120), plain(row.get("value"), limit))
        if any(parts):
            st.text("  ·  ".join(part for part in parts if part))
    for each in call.get("dismissed") or []:
        accused = plain(each.get("rule") or "a failure below the call", 60)
        st.text(f"{accused}, dismissed: {plain(each.get('because'), 300)}")
    if not _rows(call):
        st.caption(_NONE)


_NONE = "No rule spoke: the verdict is what the call declared."


def _sentences(call: Mapping[str, Any]) -> set[object]:
    """Write the sentence of each rule; return the rules that have one."""
    named = set()
    for row in call.get("rules_explained") or []:
        sentence = row.get("sentence")
        if sentence and sentence != row.get("rule"):
            st.text(f"{plain(row.get('rule'), 60)}: {plain(sentence, 300)}")
            named.add(row.get("rule"))
    return named


def _rows(call: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = [row for row in call.get("evidence") or [] if isinstance(row, Mapping)]
    named = {row.get("rule") for row in found}
    return [*found, *({"rule": rule} for rule in call.get("rules") or [] if rule not in named)]


def _where(row: Mapping[str, Any]) -> object:
    return row.get("key") or row.get("mark") or row.get("span_id")
