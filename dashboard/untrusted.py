"""The only way that text from spans reaches a page.

Tool names, session ids, agents, codes as declared, messages and payloads are written by whoever sends spans, and may
hold HTML, Markdown images (a beacon that tells the sender who looks) or scripts. Streamlit's text, code, JSON and
dataframe elements show such text as it is; every element with a Markdown label or body does not. So: these functions,
or a plain text column, and nothing else; `tests/dashboard/test_untrusted.py` holds the room to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import streamlit as st

_CAP = 256 * 1024
_JSON_CAP = 64 * 1024
# C0 and C1 controls but tab and newline, the bidirectional overrides and the invisible marks: they can make one name
# look like another (Unicode UAX #9 §2, UTR #36 §2).
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def plain(value: object, limit: int = 200) -> str:
    """One line of a foreign value for a text cell: control and direction marks made visible, cut at `limit`."""
    text = "" if value is None else str(value)
    line = _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text[: limit + 1].replace("\n", " ⏎ ").replace("\t", " "))
    return line if len(line) <= limit else line[:limit] + "…"


def name(value: object, absent: str = "not known") -> None:
    """Show one foreign name as text."""
    st.text(plain(value) or absent)


_EMPTY = {
    "[]": "an empty list",
    "{}": "an empty object",
    '""': "an empty text",
    "": "an empty text",
    "null": "null, nothing at all",
}


def emptiness(value: object) -> str:
    """What a payload or message without content is, in words; "" for one that has content, or was not captured."""
    return _EMPTY.get(value.strip(), "") if isinstance(value, str) else ""


def message(value: object, limit: int = 120) -> str:
    """A foreign message as one line; one without content says in words what it is."""
    empty = emptiness(value)
    return f"{plain(value, 8)} ({empty})" if empty and value else empty or plain(value, limit)


def pairs(rows: Sequence[tuple[str, object]]) -> None:
    """Show named facts, some of them foreign, as lines of plain text."""
    st.text("\n".join(f"{plain(label)}: {plain(value, 400) or '–'}" for label, value in rows))


def block(value: object, absent: str, height: int | None = None) -> None:
    """Show a foreign text in full, monospaced and wrapped, or say what is missing.

    Args:
        value: the text as captured.
        absent: our own sentence for a text that was not captured.
        height: pixels before the block scrolls; None fits short texts and caps long ones at 420.
    """
    if value is None or value == "":
        st.caption(absent)
        return
    text = _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", str(value)[:_CAP])
    tall = text.count("\n") > 16 or len(text) > 1600
    st.code(text, language=None, wrap_lines=True, height=height or (420 if tall else "content"))
    if len(str(value)) > _CAP:
        st.caption(f"Cut at {_CAP // 1024} KiB of {len(str(value)) // 1024} KiB.")


def payload(value: object, absent: str) -> None:
    """Show a captured payload: as it was sent, indented where it is JSON; one without content also in words."""
    empty = emptiness(value)
    if empty and value:
        st.caption(f"Captured, and {empty}:")
    block(indented(value), f"Captured, and {empty}." if empty else absent)


def indented(value: object) -> Any:
    """JSON text laid out over lines; anything else unchanged. Deeply nested text is left alone."""
    if not isinstance(value, str) or value[:1] not in "{[" or len(value) > _JSON_CAP:
        return value
    try:
        return json.dumps(json.loads(value), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return value


def excerpt(value: object, limit: int = 1200) -> str | None:
    """The beginning of a payload, for a list of many."""
    if value is None or value == "":
        return None
    text = str(indented(value))
    return text if len(text) <= limit else f"{text[:limit]}… (open the step for the rest)"
