"""Where the value of a key ends in text: quoted or bare, a line, a block, a list or an object, an element's content."""

from __future__ import annotations

import re

from telltale.redaction.marks import MARK

Span = tuple[int, int]
"""Start and end in the text; empty where there is nothing to mask."""

_OPENING = re.compile(r"[bru]?(\\{0,7}(?:\"\"\"(?!\")|'''(?!')|[\"']))")
_BARE = re.compile(r"[^\s&;,\"'<>)\]}\\]{1,4096}")
_LINE = re.compile(r"[^\r\n\"'\\]{1,4096}")
_BLOCK = re.compile(r"[|>][+\-]?[ \t]{0,8}\r?\n(?P<body>(?:[ \t]+[^\n]*+\n?)+)")
_CONTENT = re.compile(
    r"(?:\s[^<>]{0,200})?>(?:<!\[CDATA\[)?\s{0,64}(?P<value>[^<\]]{1,4096})(?:(?P<closed></|\]\]>)|(?P<cut>\Z))"
)
_BRACKETS = re.compile(r"\\{0,7}[\"']|[\[\]{}()]")
_NOTHING = frozenset(("null", "None", "true", "false", "True", "False", "nil"))


def quoted(text: str, at: int) -> Span | None:
    """A text in quotes, escaped or not, to its end or to where it was cut; None where no quote opens one."""
    opening = _OPENING.match(text, at)
    if opening is None:
        return None
    start = opening.end()
    end = _closing(text, start, opening[1])
    return start, len(text) if end < 0 else end


def bare(text: str, at: int) -> Span:
    """A value without quotes, to the next space or separator."""
    found = _BARE.match(text, at)
    return (at, at) if found is None or found[0] in _NOTHING else found.span()


def line(text: str, at: int) -> Span:
    """The rest of a line."""
    found = _LINE.match(text, at)
    return found.span() if found else (at, at)


def block(text: str, at: int) -> Span | None:
    """The indented lines after YAML's `|` or `>`; None where none begin here."""
    found = _BLOCK.match(text, at)
    return found.span("body") if found else None


def content(text: str, at: int) -> Span:
    """What stands between the tags of an element whose name ends here.

    After `<PASSWORD>` in prose, which nothing closes, there is nothing.
    """
    found = _CONTENT.match(text, at)
    if found is None or not found["value"].strip():
        return at, at
    spaced = any(map(str.isspace, found["value"]))
    return found.span("value") if found["closed"] or not spaced else (at, at)


def structure(text: str, at: int) -> Span:
    """What a bracket opens, to where it is closed, texts in quotes passed over, or to where it was cut."""
    end = _balanced(text, at)
    return (at, end) if text[at + 1 : end - 1].strip() else (at, at)


def _balanced(text: str, at: int) -> int:
    depth, quote = 0, ""
    for found in _BRACKETS.finditer(text, at):
        piece = found[0]
        if quote:
            if piece == quote or (len(quote) == 1 and piece[-1] == quote and len(piece) % 2 == 1):
                quote = ""
        elif piece[-1] in "\"'":
            quote = piece
        else:
            depth += 1 if piece in "[{(" else -1
            if depth == 0:
                return found.end()
    return len(text)


def _closing(text: str, start: int, quote: str) -> int:
    """Index of the quote that closes a string opened by `quote`; -1 where the text was cut before it."""
    masked = MARK.match(text, start) if text.startswith("[REDACTED:", start) else None
    at = text.find(quote, masked.end() if masked is not None else start)
    while at >= 0:
        slashes = 0
        while at - 1 - slashes >= start and text[at - 1 - slashes] == "\\":
            slashes += 1
        if slashes % 2 == 0:
            return at
        at = text.find(quote, at + 1)
    return -1
