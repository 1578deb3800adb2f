"""Standard phrases of failing texts and the code that each means; the weakest evidence, and only of what failed.

Reason phrases of RFC 9110, `strerror` texts of POSIX, messages of the common database and HTTP libraries and of schema
validators. Never asked whether a call failed.
"""

from __future__ import annotations

import re
from functools import lru_cache

from telltale.payload.codes import ERRNO
from telltale.payload.phrase_table import ENTRIES
from telltale.vocabulary import Code, code_of_http, code_of_json_rpc

_DEFECTS = re.compile(
    r"object has no attribute|object is not (?:subscriptable|callable|iterable)|division by zero"
    r"|\bindex (?:-?\d+ )?(?:is )?out of (?:range|bounds)"
    r"|cannot read propert(?:y|ies) of|\bis not a function\b|undefined is not|null pointer|nil pointer|nonetype"
    r"|is not json serializable|\bname '\w+' is not defined|unexpected (?:response|server error|end of json)"
    r"|unexpected token '?<"
)
"""Messages by which language runtimes report a fault of the program itself: INTERNAL, whatever else they name."""

_COMPILED = tuple((code, anchor, re.compile(pattern) if pattern else None) for code, anchor, pattern in ENTRIES)
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
_ERRNO = re.compile(r"\bE[A-Z_]{3,20}\b")
_JSON_RPC = re.compile(r"-32\d{3}\b")
_SCAN = 1000


def code_of_phrase(text: str) -> tuple[Code, str] | None:
    """The code that a failing text's standard phrases mean, with the phrase; only the first 1,000 characters count.

    A status number in the text (`HTTP 409`, `status code: 500`) goes before phrases, a JSON-RPC number after them.
    """
    return _phrase(text[:_SCAN])


@lru_cache(maxsize=2048)
def _phrase(head: str) -> tuple[Code, str] | None:
    number = _STATUS.search(head)
    if number:
        code = code_of_http(int(number.group(1) or number.group(2)))
        if code is Code.PERMISSION_DENIED:  # several services answer 403 to one who asks too often, and say so
            best = _best(head.lower())
            if best is not None and best[1] is Code.RATE_LIMITED:
                return best[1], best[2]
        if code is not None:
            return code, number.group(0).strip()
    low = head.lower()
    defect = _DEFECTS.search(low)
    if defect is not None:
        return Code.INTERNAL, defect.group(0)
    errno = next((name for name in _ERRNO.findall(head) if name in ERRNO), None)
    if errno is not None:
        return ERRNO[errno], errno
    best = _best(low)
    if best is not None:
        return best[1], best[2]
    numbers = _JSON_RPC.findall(head)
    rpc = code_of_json_rpc(int(numbers[-1])) if numbers else None
    return (rpc, numbers[-1]) if rpc is not None else None


def _best(low: str) -> tuple[int, Code, str] | None:
    best: tuple[int, Code, str] | None = None
    for code, anchor, pattern in _COMPILED:
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
