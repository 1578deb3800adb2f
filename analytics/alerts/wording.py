"""How notices and log lines show text that came from spans: as text, on one line, capped, with no live link in it."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime

NAME_CAP = 80
MESSAGE_CAP = 200
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories without a visible sign of their own: controls, direction marks, surrogates, separators."""

_LIVE = str.maketrans({"<": "‹", ">": "›", "@": "(at)", "`": "'", "[": "(", "]": ")", "*": "∗", "|": "¦"})
"""Signs that chat clients and mail readers give a meaning: tags, mentions, code, links, emphasis."""


_ADDRESS = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://|www\.)\S*")
"""What readers make a link of, and some fetch unasked."""


def plain(text: object, cap: int = NAME_CAP) -> str:
    """One line of visible characters, at most `cap` of them; a cut is marked by an ellipsis."""
    head = str(text)[: cap * 4]
    shown = "".join(" " if c.isspace() or unicodedata.category(c) in _HIDDEN else c for c in head)
    folded = " ".join(shown.split())
    return folded if len(folded) <= cap else f"{folded[: cap - 1]}…"


def quoted(text: object, cap: int = MESSAGE_CAP) -> str:
    """Like `plain`, with everything that a chat client would act on made inert: tags, mentions, markup, addresses."""
    inert = plain(text, cap).translate(_LIVE)
    return _ADDRESS.sub(lambda found: found[0].replace("://", "(:)//").replace(".", "(.)"), inert)


_EMPTY = {"[]": "an empty list", "{}": "an empty object", '""': "an empty text", "null": "null, nothing at all"}


def answer(text: str) -> str:
    """What a failing call answered, `quoted`; an answer without content is named, its brackets would say nothing."""
    return _EMPTY.get(text.strip()) or quoted(text)


def percent(share: float) -> str:
    """A share to two digits, as the pages write it: `43 %`, `1.1 %`, `0.03 %`."""
    return f"{share * 100:.0f} %" if share >= 0.1 else f"{share * 100:.2g} %"


def moment(ns: int | None) -> str:
    """A time as RFC 3339 UTC, to the second; "unknown" for None."""
    return "unknown" if ns is None else datetime.fromtimestamp(ns // 1_000_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def duration(seconds: float) -> str:
    """5 min, 1 h, 3 d: the way people say it."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def odds(probability: float) -> str:
    """1 in 10^12, in whole powers of ten."""
    power = len(f"{1 / max(probability, 1e-300):.0f}") - 1
    return f"1 in 10^{power}"


def count(number: int, noun: str) -> str:
    """1 session, 3 sessions."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
