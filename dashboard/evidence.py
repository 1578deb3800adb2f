"""Why a verdict was reached: rules, the sentence each stands for, and the evidence it rests on, named."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.untrusted import plain
from telltale.payload import PAYLOAD_RULES

_NONE = "No rule spoke: the verdict is what the call declared."


def evidence(call: Mapping[str, Any], limit: int = 300) -> None:
    """A call's rules, and below each what it rests on: where that stood, and what stood there.

    Not a table: text is on the page at once, and can be read aloud.
    """
    for block in lines_of(call, limit):
        st.text("\n".join(block))
    for each in call.get("dismissed") or []:
        accused = plain(each.get("rule") or "a failure below the call", 60)
        st.text(f"{accused}, dismissed: {plain(each.get('because'), 300)}")
    if not (call.get("evidence") or call.get("rules")):
        st.caption(_NONE)


def lines_of(call: Mapping[str, Any], limit: int = 300) -> list[list[str]]:
    """One block of lines per rule: its name with its sentence, where that is known, then its evidence."""
    found = [row for row in call.get("evidence") or [] if isinstance(row, Mapping)]
    sentences = {row.get("rule"): row.get("sentence") for row in call.get("rules_explained") or []}
    rules = dict.fromkeys([*(call.get("rules") or []), *(row.get("rule") for row in found)])
    blocks = []
    for rule in rules:
        said = sentences.get(rule)
        head = plain(rule, 60) + (f": {plain(said, 300)}" if said and said != rule else "")
        blocks.append([head, *(f"  – {_piece(row, limit)}" for row in found if row.get("rule") == rule)])
    return blocks


def _piece(row: Mapping[str, Any], limit: int) -> str:
    """Where one piece of evidence stood, and what stood there."""
    value = _value(row.get("value"), limit)
    if row.get("mark"):
        where = plain(row["mark"], 120)
        return f"{where}: {value}" if where.startswith("raised from") else f"mark {where}: {value or 'set, no message'}"
    if row.get("span_id"):
        return f"span {plain(row['span_id'], 40)}: {value or 'failed'}"
    if row.get("key"):
        return f"key {plain(row['key'], 120)}: {value or 'empty'}"
    known = PAYLOAD_RULES.get(str(row.get("rule")))
    return f"{known.evidence if known else 'found'}: {value}"


def _value(value: object, limit: int) -> str:
    """A value in one line: an exception as `type: message`, other objects as JSON."""
    if isinstance(value, Mapping):
        if set(value) <= {"type", "message", "code"} and value.get("type"):
            said = [str(value.get(name)) for name in ("type", "message") if value.get(name) not in (None, "", "None")]
            return plain(": ".join(said), limit)
        return plain(json.dumps(value, ensure_ascii=False, default=str), limit)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return plain(json.dumps(value, ensure_ascii=False, default=str), limit)
    return plain({True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else value, limit)
