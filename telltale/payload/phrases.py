"""Standard phrases of failing texts and the code that each means; the weakest evidence, and only of what failed.

Reason phrases of RFC 9110, `strerror` texts of POSIX, messages of the common database and HTTP libraries and of schema
validators. An entry is a code, the anchor that must stand in the lower-case text, and the pattern around it (None where
the anchor alone will do). Never asked whether a call failed.
"""

from __future__ import annotations

import re
from functools import lru_cache

from telltale.vocabulary import Code, code_of_http, code_of_json_rpc

_INVALID, _MISSING, _CONFLICT = Code.INVALID_ARGUMENT, Code.NOT_FOUND, Code.CONFLICT
_LIMITED, _DOWN, _DENIED = Code.RATE_LIMITED, Code.UNAVAILABLE, Code.PERMISSION_DENIED

_THINGS = "field|argument|parameter|option|property|key|code|value|format|type|column|attribute"
_SECRETS = "api.?key|token|credentials?|password|session|sign-?in|log-?in|login|certificate|licen[cs]e"

_DEFECTS = re.compile(
    r"object has no attribute|object is not (?:subscriptable|callable|iterable)|index out of range|division by zero"
    r"|cannot read propert(?:y|ies) of|\bis not a function\b|undefined is not|null pointer|nil pointer|nonetype"
    r"|is not json serializable|\bname '\w+' is not defined|unexpected (?:response|server error|end of json)"
)
"""Messages by which language runtimes report a fault of the program itself: INTERNAL, whatever else they name."""

_ENTRIES: tuple[tuple[Code, str, str | None], ...] = (
    (_LIMITED, "rate", r"\brate.?limit"),
    (_LIMITED, "too many requests", None),
    (_LIMITED, "quota", r"quota (?:was |is |has been )?(?:exceeded|reached|exhausted)|exceed\w* .{0,20}quota"),
    (_LIMITED, "throttl", None),
    (_LIMITED, "slow down", None),
    (_LIMITED, "ratelimit", None),
    (_LIMITED, " limit", r"\b(?:hit|reached|exceeded|exhausted) (?:(?:the|your|its|our) )?(?:\w+ ){0,2}limit\b"),
    (_LIMITED, "requests per ", r"requests per (?:second|minute|hour|day)"),
    (
        _DENIED,
        "_",
        r"\b(?:invalid_(?:grant|client|token|auth|api_?key|credentials?)|unauthorized_client|access_denied"
        r"|insufficient_scope|not_authed|token_revoked)\b",
    ),  # RFC 6749 §5.2, RFC 6750 §3.1, and what services made of them
    (_DENIED, "accepted", r"(?:username|password|credentials?|token)\W.{0,30}not accepted"),
    (
        _DENIED,
        "permission",
        r"permission denied|permission \S{1,80} (?:was )?denied"
        r"|insufficient permission|not have .{0,20}permission|missing permission",
    ),
    (_DENIED, "access", r"access (?:is |was )?denied|not have access|no access\b"),
    (_DENIED, "not ", r"\bnot (?:allowed to|permitted|authori[sz]ed|authenticated|logged in|signed in)\b"),
    (_DENIED, "n't own", None),
    (_DENIED, "unauthori", r"unauthori[sz]ed"),
    (_DENIED, "unauthenticated", None),
    (_DENIED, "forbidden", None),
    (_DENIED, "authenticat", r"authenticat(?:ion|e) (?:has )?(?:failed|is required|required|error)"),
    (_DENIED, "insufficient ", r"insufficient (?:scope|privilege|right)"),
    (_DENIED, "read-only", None),
    (_DENIED, "outside ", r"outside (?:of )?the (?:workspace|sandbox|allowed|project)"),
    (_DENIED, "please ", r"please (?:log|sign) ?in|please (?:re-?)?authenticate"),
    (
        _DENIED,
        "valid",
        rf"\b(?:{_SECRETS}) (?:is |was |are )?(?:not valid|no longer valid|invalid)\b|invalid (?:{_SECRETS})",
    ),
    (_DENIED, "expired", rf"\b(?:{_SECRETS}) (?:is |was |has |are |have )?expired\b|expired (?:{_SECRETS})"),
    (_DENIED, "missing", rf"missing (?:{_SECRETS})\b|\bauthori[sz]ation (?:\w+ )?(?:is |was )?missing"),
    (_DOWN, "time", r"\btimed?[ -]?out\b|\btimeout\b"),
    (
        _DOWN,
        "connection",
        r"connections? (?:attempts? )?(?:was |is |were )?(?:refused|reset|aborted|closed|error|lost|timed|failed)"
        r"|refused the connection",
    ),
    (_DOWN, "connect", r"(?:could not|cannot|can't|unable to|failed to) connect\b"),
    (_DOWN, "resolve", r"(?:could not|cannot|unable to|failed to) resolve (?:host|address|the name)"),
    (_DOWN, "fetch failed", None),
    (_DOWN, "max retries exceeded", None),
    (
        _DOWN,
        "err_",
        r"\berr_(?:name_not_resolved|connection_\w+|timed_out|internet_disconnected|address_unreachable|network_\w+)\b",
    ),  # Chromium's net_error_list.h
    (_DOWN, "network ", r"network (?:error|is unreachable|failure)"),
    (_DOWN, "available", r"\bunavailable\b|not (?:currently |yet )?available"),
    (_DOWN, "unreachable", None),
    (_DOWN, "not ", r"\bnot (?:connected|running|reachable|responding)\b"),
    (_DOWN, "bad gateway", None),
    (_DOWN, "overloaded", None),
    (_DOWN, " down", r"\b(?:is|are|was) (?:currently )?down\b|: \w+ down\b"),
    (_DOWN, "maintenance", r"(?:for|under|in) maintenance"),
    (_DOWN, "respond", r"(?:did(?: not|n't)|not|never|none of .{1,60}) respond"),
    (_DOWN, "answer", r"(?:did(?: not|n't)) answer|none of .{1,60} answered|no answer from"),
    (_DOWN, "no response", r"no response(?! (?:entity|body|content))"),
    (_DOWN, "offline", None),
    (_DOWN, "reach ", r"(?:could not|cannot|can't|unable to|failed to) reach\b"),
    (_DOWN, "econn", r"\becon\w+"),
    (_DOWN, "enotfound", r"\benotfound\b"),
    (_DOWN, "host not found", None),
    (_DOWN, "circuit", r"circuit.?(?:breaker|open|is open)"),
    (_DOWN, "try again ", r"try again (?:later|shortly|in a)"),
    (_CONFLICT, "already ", r"already (?:exists?|taken|been|in use|running|has|\w{3,20}ed)\b"),
    (_CONFLICT, "duplicate", None),
    (_CONFLICT, "conflict", None),
    (_CONFLICT, "concurrent ", r"concurrent (?:update|modification|write)"),
    (_CONFLICT, "unique constraint", None),
    (_CONFLICT, "deadlock", None),
    (_INVALID, "validation", r"validation (?:error|failed)|\d+ validation"),
    (
        _INVALID,
        "required",
        r"\b(?:is|are) required\b|required (?:\w+ ){0,2}(?:is|are|was) (?:missing|not)|missing required",
    ),
    (_INVALID, "mandatory ", r"mandatory (?:\w+ ){0,2}(?:parameter|argument|field|input)"),
    (_INVALID, "require", rf"requires? (?:an? |the )?\W?[\w ]{{1,40}}\W? ?(?:{_THINGS})"),
    (_INVALID, "missing ", rf"missing (?:\W?\w+\W? ){{0,3}}(?:required )?(?:{_THINGS})|missing \d+ required"),
    (_INVALID, "must ", r"must (?:be|have|not|match|contain|start|end)\b"),
    (_INVALID, " be ", r"(?:cannot|can't|can not) be (?:empty|blank|null|none|negative|parsed|zero)"),
    (_INVALID, "invalid", r"\binvalid\b"),
    (_INVALID, "malformed", None),
    (_INVALID, "syntax error", None),
    (_INVALID, "unsupported", None),
    (_INVALID, "not supported", None),
    (_INVALID, "unknown ", rf"unknown (?:\w+ ){{0,3}}(?:{_THINGS})\b"),
    (_INVALID, "unexpected ", rf"unexpected (?:\w+ ){{0,2}}(?:{_THINGS}|token|character)\b"),
    (_INVALID, "unrecogni", rf"unrecogni[sz]ed (?:\w+ ){{0,2}}(?:{_THINGS})s?\b"),
    (_INVALID, "valid ", r"\bnot a valid\b"),
    (_INVALID, "not allowed in", None),
    (_INVALID, "exceed", r"exceeds? (?:the )?(?:max|limit|allowed)"),
    (_INVALID, "too ", r"\btoo (?:long|large|many|short|big|small|few)\b"),
    (_INVALID, "out of ", r"out of (?:range|bounds)"),
    (_INVALID, "bad request", None),
    (_INVALID, "parse ", r"(?:cannot|could not|failed to|unable to) parse"),
    (
        _INVALID,
        "expected ",
        r"expected (?:an? )?(?:string|number|int|integer|array|object|list|bool|boolean|float|dict)\b",
    ),
    (_MISSING, "not found", None),
    (_MISSING, "no such", None),
    (_MISSING, " exist", r"\bdo(?:es)?(?: not|n't) exist"),
    (_MISSING, "missing", r"\b(?:is|are) missing\b"),
    (_MISSING, "has no ", None),
    (_MISSING, "not registered", None),
    (_MISSING, "no match", None),
    (
        _MISSING,
        "no ",
        r"\bno (?:\w+ ){1,3}(?:found|named|called|matching|with (?:that|the|given|this|id|name))\b"
        r"|\bno (?:pending|matching|existing) \w+",
    ),
    (_MISSING, "find", r"(?:could not|cannot|couldn't|unable to) find\b"),
    (
        _MISSING,
        "unknown ",
        r"unknown (?:\w+ )?(?:id|name|tool|user|file|host|table|resource|index|collection|database|document"
        r"|record|project|repository|account|customer|order|item|entity|dataset|bucket|queue|topic|channel)\b",
    ),
)
_COMPILED = tuple((code, anchor, re.compile(pattern) if pattern else None) for code, anchor, pattern in _ENTRIES)
_FIRST = (_LIMITED, _DENIED)
"""Codes whose phrases count wherever they stand; of the others, the one that stands first in the text."""

_STATUS = re.compile(
    r"(?:\b(?:https?|status(?:[ _]code)?|error|code|returned|responded with|response|failed)\b[ :=\"'(]{0,3}"
    r"(?:error )?\(?|^|: )([45]\d\d)\b(?!\.\d| (?:ms|s|seconds|items|rows|bytes)\b)"
    r"|(?<![\d.])([45]\d\d)[ :-]{1,3}(?:bad request|unauthori[sz]ed|forbidden|not found|not allowed|conflict|gone"
    r"|unprocessable|too many requests|internal server error|bad gateway|service unavailable|gateway time-?out)\b",
    re.IGNORECASE,
)
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
