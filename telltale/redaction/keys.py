"""Which keys name a secret: `password`, `X-Api-Key`, `clientSecret`… in payloads, headers and bodies.

A key is read by the last segment of its path (`http.request.header.authorization` → `authorization`), case and
separators folded. It must match a name whole, or end in a name that has no innocent use (`DB_PASSWORD`). Keys of the
telemetry conventions (`session.id`, `gen_ai.usage.input_tokens`) are never secrets.
"""

from __future__ import annotations

import re
from functools import lru_cache

from telltale.redaction.escapes import ESCAPED

_ENDINGS = {
    "password": "password",
    "passwd": "password",
    "pwd": "password",
    "passphrase": "password",
    "passcode": "password",
    "apikey": "api_key",
    "secret": "secret",
    "secretkey": "secret",
    "clientsecret": "secret",
    "privatekey": "private_key",
    "accesskey": "secret",
    "accountkey": "secret",
    "sharedaccesskey": "secret",
    "connectionstring": "connection_string",
    "accesstoken": "token",
    "refreshtoken": "token",
    "authtoken": "token",
    "bearertoken": "token",
    "sessiontoken": "token",
    "securitytoken": "token",
    "apitoken": "token",
    "bottoken": "token",
    "idtoken": "token",
    "csrftoken": "token",
    "authorization": "authorization",
}
"""Endings of a folded key -> the kind that is counted."""

_WHOLE = {
    **_ENDINGS,
    "token": "token",
    "passwords": "password",
    "apikeys": "api_key",
    "secrets": "secret",
    "accesstokens": "token",
    "cookie": "cookie",
    "cookies": "cookie",
    "setcookie": "cookie",
    "xamzsignature": "secret",
    "credentials": "secret",
    "connstr": "connection_string",
    "card": "card",
    "cardnumber": "card",
    "creditcard": "card",
    "creditcardnumber": "card",
    "cvv": "card",
    "cvc": "card",
    "cvv2": "card",
    "ssn": "ssn",
    "socialsecuritynumber": "ssn",
}

CONVENTIONS = ("gen_ai.", "telltale.", "session.", "openinference.", "llm.", "mcp.", "ai.", "otel.", "service.")
"""Attribute names under these belong to a convention: their names are never rules, their values still are."""

PROSE = frozenset({"password", "api_key", "secret", "private_key", "connection_string", "authorization", "cookie"})
"""Kinds that also count in `key: value` without quotes; a `token:` in prose is usually a parser's word."""

WHOLE_LINE = frozenset({"authorization", "cookie"})
"""Header fields whose value runs to the end of the line."""

_SEPARATORS = re.compile(r"[^a-z0-9]+")
_LONGEST_KEY = 128

_LAST_THREE = frozenset(name[-3:] for name in _WHOLE)
"""How the names end: nearly every other key is known by this look alone."""

_ANY_ENDING = tuple(_ENDINGS)

KEY_SHAPE = (
    r"(?i:(?:pass(?:words?|wd|phrase|code)|pwd|secrets?|secret[_ -]?key|tokens?|authorization|cookies?|credentials"
    r"|connstr|(?:api|access|account|private)[_ -]?keys?|connection[_ -]?string|card|card[_ -]?number|credit[_ -]?card"
    r"|cvv2?|cvc|ssn|social[_ -]?security[_ -]?number|amz-signature)\\*[\"']?\s*(?:[:=,>]|%3[AaDd]|value=))"
    rf"|{ESCAPED}"
)
"""A necessary condition for a key rule to apply in a text, in RE2's syntax."""

KEY_LITERALS = (
    *("pass", "pwd", "secret", "token", "key", "authorization", "cookie", "credentials", "connection", "connstr"),
    *("card", "cvv", "cvc", "ssn", "social", "amz-sig", "\\u00"),
)
"""One of these stands in the lower-cased text wherever a key rule applies."""


def kind_of_key(key: str) -> str | None:
    """The kind of secret that a key names, or None.

    Args:
        key: a key of a payload, a header name, or an attribute name with dots.
    """
    end = key[-3:]
    if end.isalnum() and end.isascii() and end.lower() not in _LAST_THREE:
        return None  # costs less than to look it up
    return _kind_of_key(key) if len(key) <= _LONGEST_KEY else None


@lru_cache(maxsize=4096)
def _kind_of_key(key: str) -> str | None:
    folded = _SEPARATORS.sub("", re.split(r"[./]", key.lower())[-1])
    if folded[-3:] not in _LAST_THREE:
        return None
    if folded in _WHOLE:
        return _WHOLE[folded]
    if not folded.endswith(_ANY_ENDING):
        return None
    return next(kind for ending, kind in _ENDINGS.items() if folded.endswith(ending))


@lru_cache(maxsize=4096)
def kind_of_attribute(name: str) -> str | None:
    """As `kind_of_key`, for the name of an attribute: names of conventions are never secrets."""
    return None if name.startswith(CONVENTIONS) else kind_of_key(name)
