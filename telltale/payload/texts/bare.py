"""Takes off what a harness puts around a text: a box of lines, the tool's name in brackets, a heading that names it."""

from __future__ import annotations

import re

_CORNERS = "╷┌╭┏╔│┃║"
_BORDER = re.compile(r"^[ \t]*[╷╵│┃║┌┐└┘├┤╭╮╰╯┏┓┗┛╔╗╚╝]+[─━═┄╌]*[┐╮┓╗┘╯┛╝]? ?|[ \t]*[│┃║]$", re.MULTILINE)
_TITLE = re.compile(
    r"[╭┌┏╔][─━═]+ (?P<title>Error|Fatal|Exception|[A-Za-z ]{0,30} (?:error|Error)) [─━═]+[╮┐┓╗]?", re.MULTILINE
)
"""The title in the upper edge of a box, as command-line libraries draw one around what went wrong."""

_HEADING = re.compile(r"[^\n]{0,140}\b(?:[Oo]utput|[Rr]esults?|[Rr]esponse|returned|executed)\b[^\n]{0,140}:\n")
_LABEL = re.compile(r"\s*(?:[-*•] )?\[(?P<named>[\w./:-]{2,100})\]:? ")
_SCAN = 4_000


def bare_text(text: str, tool: str) -> str:
    """The text without its box, the label `[tool]` or the heading `Output of tool:`; the very text where it has none.

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
    heading = _HEADING.match(text[:160]) if tool and "\n" in text[:160] else None
    if heading is not None and tool in heading.group(0):
        return text[heading.end() :].lstrip()
    if tool and "[" in text[:4]:
        label = _LABEL.match(text[:120])
        if label is not None and label.group("named").lower() == tool.lower():
            return text[label.end() :]
    return text
