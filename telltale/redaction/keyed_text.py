"""Key rules in text that is not (whole) JSON: cut payloads, `repr`s, JSON inside JSON, headers, queries, DSNs, XML."""

from __future__ import annotations

import re
from collections.abc import Callable

from telltale.redaction import keyed_values as values
from telltale.redaction.keys import PROSE, WHOLE_LINE
from telltale.redaction.marks import MARK
from telltale.redaction.pairs import names_a_header

MOST_HITS = 500
"""Secrets of one rule that are masked one by one in a text. From the next on, one mark stands for all the rest: a text
of nothing else costs no more than its first five hundred."""

_NAME = r"[A-Za-z0-9_.\- ]{2,64}"
_QUOTE = r"\\{0,7}[\"']"
_KEY = re.compile(
    # {"name": "Authorization", "value": "…"}
    rf"(?P<pair>{_QUOTE})(?:[Nn]ame|[Kk]ey)(?P=pair)\s{{0,8}}:\s{{0,8}}(?P=pair)(?P<named>{_NAME})(?P=pair)\s{{0,8}},\s{{0,8}}"
    rf"(?P=pair)[Vv]alue(?P=pair)\s{{0,8}}:\s{{0,8}}"
    # ("authorization", "…")
    rf"|(?P<item>{_QUOTE})(?P<header>(?i:(?:proxy-)?authorization|(?:set-)?cookie))(?P=item),\s{{0,8}}"
    rf"|(?P<quote>{_QUOTE})(?P<quoted>{_NAME})(?P=quote)\s{{0,64}}(?::|=>?)\s{{0,64}}"
    # <input name="password" value="…">
    rf"|\sname=(?P<field>{_QUOTE})(?P<input>{_NAME})(?P=field)[^<>]{{0,200}}?\svalue="
    r"|(?P<bare>[A-Za-z](?<![A-Za-z0-9_\-.].)[A-Za-z0-9_.\-]{2,63}+)"
    r"(?:(?P<equals>\s?=(?!=)>?\s?|%3[Dd])|(?P<colon>:\s{1,4})|(?P<tight>:(?![\s:/])))"
    r"|<(?:\w{1,32}:)?(?P<element>[A-Za-z][\w.\-]{1,63}+)(?=[\s>])"
)
"""A key and its separator: in quotes (escaped or not), bare before `=`, `%3D`, `: ` or `:`, as the name in a pair of
name and value, or as an element of XML."""

_NAMING = ("bare", "quoted", "element", "named", "header", "input")
_TYPES = frozenset(("str", "string", "bool", "boolean", "int", "integer", "bytes", "any", "none", "null", "object"))


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
        kind = kind_of_key(next(filter(None, match.group(*_NAMING))).strip())
        if kind is None or not _counts(match, kind):
            continue
        start, end = _value(match, kind)
        if end > start and not _masked_before(text, start, end):
            # a bare value of a quoted key is a number of JSON: its mark is quoted, so that what was JSON stays so
            quote = _quote_of(match) if start == match.end() else ""
            if len(pieces) >= 4 * MOST_HITS:
                return "".join([*pieces, text[done:start], quote, mark(kind, text[start:]), quote])
            pieces += [text[done:start], quote, mark(kind, text[start:end]), quote]
            done = end
    return "".join([*pieces, text[done:]]) if pieces else text


def _counts(match: re.Match[str], kind: str) -> bool:
    """Whether a key of this kind counts before this separator: in prose only some do."""
    if match["tight"]:
        return kind == "password" and not match.string.endswith("[REDACTED:", 0, match.start())
    return not match["colon"] or kind in PROSE


def _quote_of(match: re.Match[str]) -> str:
    return match["quote"] or match["pair"] or match["item"] or ""


def _masked_before(text: str, start: int, end: int) -> bool:
    found = MARK.match(text, start) if text.startswith("[REDACTED:", start) else None
    return found is not None and found.end() == end


def _value(match: re.Match[str], kind: str) -> values.Span:
    """Where the value after a key starts and ends."""
    text, at = match.string, match.end()
    if match["element"]:
        return values.content(text, at)
    found = values.quoted(text, at)
    if match["header"]:  # of a list of names the next item is no value
        listed = found is None or names_a_header(text[found[0] : found[1]])
        return (at, at) if found is None or listed else found
    if found is None and text.startswith(("[", "{", "("), at):
        found = _structure(match)
    if found is None and kind in WHOLE_LINE and not match["quote"]:
        return values.line(text, at)
    return found or values.block(text, at) or _bare(match)


def _bare(match: re.Match[str]) -> values.Span:
    start, end = values.bare(match.string, match.end())
    typed = (match["tight"] or match["colon"]) and match.string[start:end].lower() in _TYPES
    return (start, start) if typed else (start, end)


def _structure(match: re.Match[str]) -> values.Span | None:
    """A list or an object under a quoted key, or in the braces of a connection string (`Pwd={a;b}`)."""
    text, at = match.string, match.end()
    masked = MARK.match(text, at)
    if masked is not None:
        return masked.span()
    if _quote_of(match) or (match["equals"] == "=" and text[at] == "{"):
        return values.structure(text, at)
    return None if text[at] == "(" else (at, at)
