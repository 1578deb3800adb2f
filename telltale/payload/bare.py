"""Takes off what a harness draws around a text: a box of lines, or the tool's own name in brackets before it."""

from __future__ import annotations

import re

_CORNERS = "╷┌╭┏╔│┃║"
_BORDER = re.compile(r"^[ \t]*[╷╵│┃║┌┐└┘├┤╭╮╰╯┏┓┗┛╔╗╚╝]+[─━═┄╌]*[┐╮┓╗┘╯┛╝]? ?|[ \t]*[│┃║]$", re.MULTILINE)
_TITLE = re.compile(
    r"[╭┌┏╔][─━═]+ (?P<title>Error|Fatal|Exception|[A-Za-z ]{0,30} (?:error|Error)) [─━═]+[╮┐┓╗]?", re.MULTILINE
)
"""The title in the upper edge of a box, as command-line libraries draw one around what went wrong."""

_LABEL = re.compile(r"\s*(?:[-*•] )?\[(?P<named>[\w./:-]{2,100})\]:? ")
_SCAN = 4_000


def bare_text(text: str, tool: str) -> str:
    """The text without its box, or without the label `[tool]`; the very text where it has neither.

    Args:
        text: the whole result; of a boxed one the first 4,000 characters are given back.
        tool: the called tool's name: another word in brackets is no label of the call's.
    """
    first = text[:1]
    if first in _CORNERS and first:
        title = _TITLE.match(text[:400])
        if title is not None:
            return f"{title.group('title')}: " + _BORDER.sub("", text[title.end() : _SCAN]).strip()
        return _BORDER.sub("", text[:_SCAN]).strip()
    if tool and "[" in text[:4]:
        label = _LABEL.match(text[:120])
        if label is not None and label.group("named").lower() == tool.lower():
            return text[label.end() :]
    return text
