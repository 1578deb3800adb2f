"""Standard phrases of failing texts and the code that each means; the weakest evidence, and only of what failed.

Reason phrases of RFC 9110, `strerror` texts of POSIX, messages of the common database and HTTP libraries and of schema
validators. Never asked whether a call failed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache

from telltale.payload.codes.infer import ERRNO
from telltale.payload.codes.phrase_tables import ENTRIES
from telltale.vocabulary import Code, code_of_http, code_of_json_rpc

_DEFECTS = re.compile(
    r"object has no attribute|object is not (?:subscriptable|callable|iterable)|division by zero"
    r"|\bindex (?:-?\d+ )?(?:is )?out of (?:range|bounds)"
    r"|cannot read propert(?:y|ies) of|\bis not a function\b|undefined is not|null pointer|nil pointer|nonetype"
    r"|is not json serializable|\bname '\w+' is not defined|unexpected (?:response|server error|end of json)"
    r"|unexpected token '?<|no function clause matching"
    r"|disk image is malformed|^(?:error: )?output validation error"
    r"|pars(?:e|ing) (?:the )?(?:json )?(?:response|reply)\b"
)
"""Messages by which language runtimes report a fault of the program itself: INTERNAL, whatever else they name."""

_DEFECT_ANCHORS = (
    *("object has no attribute", "object is not ", "division by zero", "out of range", "out of bounds"),
    *("cannot read propert", "is not a function", "undefined is not", "null pointer", "nil pointer", "nonetype"),
    *("is not json serializable", "is not defined", "unexpected response", "unexpected server error"),
    *("unexpected end of json", "unexpected token", "no function clause matching"),
    *("disk image is malformed", "output validation error", "parse ", "parsing "),
)
"""One of these stands in every hit of the pattern above."""

_COMPILED = tuple((code, anchor, re.compile(pattern) if pattern else None) for code, anchor, pattern in ENTRIES)
_NUMBER, _DEFECT, _NAME, _RPC = range(len(ENTRIES), len(ENTRIES) + 4)
"""The places of what is looked for beside the entries: a status, a defect, an errno's name, a JSON-RPC number."""

_FIRST = (Code.RATE_LIMITED, Code.PERMISSION_DENIED)
"""Codes whose phrases count wherever they stand; of the others, the one that stands first in the text."""

_STATUS = re.compile(
    r"(?:\b(?:https?|status(?:[ _]code)?|error|code|returned|(?:responded|answered|replied)(?: with)?|response|failed)"
    r"\b[ :=\"'(]{0,3}"
    r"(?:error )?\(?|^|: )([45]\d\d)\b(?!\.\d| (?:ms|s|seconds|items|rows|bytes)\b)"
    r"|(?<![\d.])([45]\d\d)[ :-]{1,3}(?:bad request|unauthori[sz]ed|forbidden|not found|not allowed|conflict|gone"
    r"|unprocessable|too many requests|internal server error|bad gateway|service unavailable|gateway time-?out)\b",
    re.IGNORECASE,
)
_OF_MAIL = frozenset((421, 450, 452, 454, 530, 534, 535, 538, 550, 552, 553, 554, 555))
"""Replies of mail and file servers (RFC 5321 §4.2.3, RFC 4954 §6) of which HTTP knows none, or another in no daily use:
the words beside them say more.
"""

_ERRNO = re.compile(r"\bE[A-Z_]{3,20}\b")
_JSON_RPC = re.compile(r"-32\d{3}\b")
_SCAN = 1000


def code_of_phrase(text: str) -> tuple[Code, str] | None:
    """The code that a failing text's standard phrases mean, with the phrase; only the first 1,000 characters count.

    A status number in the text (`HTTP 409`, `status code: 500`) goes before phrases, a JSON-RPC number after them.
    """
    return _phrase(text[:_SCAN])


def first_code(texts: Iterable[str]) -> Code | None:
    """The code of the first of these texts whose phrases mean one."""
    return next((found[0] for found in map(code_of_phrase, texts) if found is not None), None)


@cache
def _first_look(exact: bool) -> Callable[[str], Sequence[int]]:
    """Which entries a text may hold: one pass, where asking each anchor takes forty times as long.

    Args:
        exact: whether an entry's pattern may stand for its anchor, which spares the more patterns; its classes mean the
            same only in plain ASCII.
    """
    from telltale.redaction.prefilter import prefilter

    views = [(f"(?i:{_shape(anchor, pattern if exact else None)})", (anchor,)) for _, anchor, pattern in ENTRIES]
    others = [
        (r"[45][0-9][0-9]", ()),
        (f"(?i:{'|'.join(map(re.escape, _DEFECT_ANCHORS))})", _DEFECT_ANCHORS),
        (r"E[A-Z_]{3}", ()),
        (r"-32[0-9]", ("-32",)),
    ]
    return prefilter([*views, *others])


def _shape(anchor: str, pattern: str | None) -> str:
    """The pattern where it is plain enough for one automaton of all; else the anchor."""
    plain = pattern is not None and not any(sign in pattern for sign in ("(?!", "(?<", "{", ".", "*", "+", "$", "\\w"))
    return pattern if pattern is not None and plain else re.escape(anchor)


@lru_cache(maxsize=2048)
def _phrase(head: str) -> tuple[Code, str] | None:
    low = head.lower()
    plain = head.isascii()
    held = _first_look(plain)(head if plain else low)
    if _NUMBER in held:
        number = next(
            (hit for hit in _STATUS.finditer(head) if int(hit.group(1) or hit.group(2)) not in _OF_MAIL), None
        )
        code = code_of_http(int(number.group(1) or number.group(2))) if number else None
        if code is Code.PERMISSION_DENIED:  # several services answer 403 to one who asks too often, and say so
            best = _best(low, held)
            if best is not None and best[1] is Code.RATE_LIMITED:
                return best[1], best[2]
        if number and code is not None:
            return code, number.group(0).strip()
    defect = _DEFECTS.search(low) if _DEFECT in held else None
    if defect is not None:
        return Code.INTERNAL, defect.group(0)
    if _NAME in held or not plain:
        errno = next((name for name in _ERRNO.findall(head) if name in ERRNO), None)
        if errno is not None:
            return ERRNO[errno], errno
    best = _best(low, held)
    if best is not None:
        return best[1], best[2]
    numbers = _JSON_RPC.findall(head) if _RPC in held else None
    rpc = code_of_json_rpc(int(numbers[-1])) if numbers else None
    return (rpc, numbers[-1]) if rpc is not None and numbers else None


def _best(low: str, held: Sequence[int]) -> tuple[int, Code, str] | None:
    """The phrase that counts, among the entries that may be held: the first of the strong codes, else the nearest."""
    best: tuple[int, Code, str] | None = None
    for place in sorted(held):
        if place >= len(_COMPILED):
            break
        code, anchor, pattern = _COMPILED[place]
        at = low.find(anchor)
        if at < 0:
            continue
        phrase = anchor
        if pattern is not None:
            hit = pattern.search(low)
            if hit is None:
                continue
            at, phrase = hit.start(), hit.group(0)
        if code in _FIRST:
            return at, code, phrase
        if best is None or at < best[0]:
            best = (at, code, phrase)
    return best
