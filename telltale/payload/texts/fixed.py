"""Fixed messages with which services refuse a request: whole texts, told by services of every kind in these very forms.

The reason phrases of HTTP, the default messages of widespread frameworks and gateways, and three forms that they share:
a key or token called invalid, missing or expired; a thing "not found"; a limit "exceeded". A longer sentence around
such words is none of them.
"""

from __future__ import annotations

import re

from telltale.payload.codes.infer import REASON_PHRASES
from telltale.vocabulary import Code, code_of_http

_WHOLE = {
    **REASON_PHRASES,
    "not authenticated": 401,
    "unauthenticated": 401,
    "missing authentication token": 401,
    "internal server error": 500,
    "access denied": 403,
    "endpoint request timed out": 504,
    "you do not have permission to perform this action": 403,
    "authentication credentials were not provided": 401,
    "full authentication is required to access this resource": 401,
    "user is not authorized to access this resource": 403,
    "the caller does not have permission": 403,
}
_KEY = (
    r"(?:api[ -]?key|(?:access |auth |bearer |refresh |session |jwt )?token|jwt|credentials?|signature|authorization)"
)
_FORMS = re.compile(
    rf"(?P<denied>(?:the |your )?(?:(?:invalid|missing|expired|incorrect|revoked|unknown)(?: or \w+)? {_KEY}"
    rf"|{_KEY} (?:is |has |was )?(?:been )?(?:invalid|expired|revoked|missing|incorrect))(?: (?:provided|specified))?"
    r"|user: \S{1,200} is not authorized to perform: .{1,300})"  # AWS IAM
    r"|(?P<missing>(?:[45]\d\d )?(?:[\w.'\"`-]{1,40} ){1,5}not found(?:: \S{1,80})?|no such \w{2,30}(?:: \S{1,80})?)"
    r"|(?P<limited>(?:api |request |daily |monthly )?(?:rate limit|quota)s? (?:has been |was )?(?:exceeded|reached))",
    re.IGNORECASE,
)
_FORM_CODES = {"denied": Code.PERMISSION_DENIED, "missing": Code.NOT_FOUND, "limited": Code.RATE_LIMITED}
_LONGEST, _LONGEST_FORM = 80, 600


def phrase_of_http(text: str) -> Code | None:
    """The code of a text that is a reason phrase of HTTP or a framework's default message; None for all others."""
    status = _WHOLE.get(text.strip(" .!").lower()) if len(text) <= _LONGEST else None
    return code_of_http(status) if status is not None else None


def refusing_form(text: str) -> Code | None:
    """The code of a text that is one of the shared forms, from end to end; None for all others."""
    form = _FORMS.fullmatch(text.strip(" .!\n")) if len(text) <= _LONGEST_FORM else None
    return _FORM_CODES[form.lastgroup or "denied"] if form is not None else None
