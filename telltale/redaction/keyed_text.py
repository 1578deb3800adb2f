"""Key rules in text that is not (whole) JSON: cut payloads, `repr`s, JSON inside JSON, headers, query strings, DSNs."""

from __future__ import annotations

import re
from collections.abc import Callable

from telltale.redaction.keys import PROSE, WHOLE_LINE

MOST_HITS = 500
"""Secrets of one rule that are masked one by one in a text. From the next on, one mark stands for all the rest: a text
of nothing else costs no more than its first five hundred."""

_KEY = re.compile(
    r"(?P<quote>\\{0,7}[\"'])(?P<quoted>[A-Za-z0-9_.\- ]{2,64})(?P=quote)\s{0,8}(?::|=>?)\s{0,8}"
    r"|(?P<bare>[A-Za-z](?<![A-Za-z0-9_\-.].)[A-Za-z0-9_.\-]{2,63}+)(?:(?P<equals>\s?=(?!=)\s?|%3[Dd])|(?P<colon>:\s{1,4}))"
)
"""A key and its separator: in quotes (escaped or not), or bare before `=`, `%3D` or `: `."""

_OPENING = re.compile(r"[bru]?(\\{0,7}[\"'])")
_BARE_VALUE = re.compile(r"[^\s&;,\"'<>)\]}\\]{1,4096}")
_LINE = re.compile(r"[^\r\n\"'\\]{1,4096}")


def mask_keyed(text: str, kind_of_key: Callable[[str], str | None], mark: Callable[[str, str], str]) -> str:
    """`text` with the value after every secret's key masked; beyond `MOST_HITS`, all of the rest.

    Args:
        text: any text; it is read once, from left to right.
        kind_of_key: the kind of secret that a key names, or None.
        mark: the replacement for a kind and a secret.
    """
    pieces: list[str] = []
    done = 0
    for match in _KEY.finditer(text):
        if match.start() < done:
            continue
        key = match["quoted"] or match["bare"]
        kind = kind_of_key(key.strip())
        if kind is None or (match["colon"] and kind not in PROSE):
            continue
        start, end = _value(text, match.end(), kind, quoted_key=match["quote"] is not None)
        if end > start and not text.startswith("[REDACTED:", start):
            # a bare value of a quoted key is a number of JSON: its mark is quoted, so that what was JSON stays so
            quote = match["quote"] if match["quote"] and start == match.end() else ""
            if len(pieces) >= 4 * MOST_HITS:
                return "".join([*pieces, text[done:start], quote, mark(kind, text[start:]), quote])
            pieces += [text[done:start], quote, mark(kind, text[start:end]), quote]
            done = end
    return "".join([*pieces, text[done:]]) if pieces else text


def _value(text: str, at: int, kind: str, *, quoted_key: bool) -> tuple[int, int]:
    """Where the value at `at` starts and ends; an empty range where there is none to mask."""
    opening = _OPENING.match(text, at)
    if opening:
        start = opening.end()
        if text.startswith("[REDACTED:", start):  # masked before: not worth the way to its end
            return start, start
        end = _closing(text, start, opening[1])
        return start, len(text) if end < 0 else end
    if kind in WHOLE_LINE and not quoted_key:
        line = _LINE.match(text, at)
        return (at, line.end()) if line else (at, at)
    bare = _BARE_VALUE.match(text, at)
    if bare is None or bare[0] in ("null", "None", "true", "false", "True", "False") or bare[0][0] in "{[":
        return at, at
    return at, bare.end()


def _closing(text: str, start: int, quote: str) -> int:
    """Index of the quote that closes a string opened by `quote`; -1 where the text was cut before it."""
    at = text.find(quote, start)
    while at >= 0:
        slashes = 0
        while at - 1 - slashes >= start and text[at - 1 - slashes] == "\\":
            slashes += 1
        if slashes % 2 == 0:
            return at
        at = text.find(quote, at + 1)
    return -1
