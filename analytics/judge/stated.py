"""How an outside call ended, as its span states it beside its status: a state, a server's reply, a bot's challenge."""

from __future__ import annotations

import re
from typing import Any

from analytics.spans import Span
from telltale.payload.codes.phrases import first_code
from telltale.payload.objects.fields import ERROR_WORDS
from telltale.payload.texts.marks import mark_of
from telltale.vocabulary import Code

_STATES = ("state", "status", "outcome")
_WORDS = re.compile(r"[^\W_]+")
_LONGEST_STATE = 60
_CHALLENGE = "http.response.header.cf-mitigated"
_MAIL = re.compile(r"\b(?:smtp|ftp)\b", re.IGNORECASE)


def stated_failure(span: Span) -> tuple[str, Code | None] | None:
    """What a span states of a failure that neither its status nor its HTTP status shows; None where it states none.

    Returns:
        The evidence, such as `a2a.task.state = TASK_STATE_FAILED`, and the code that it means.
    """
    if is_challenged(span.attributes):
        return f"{_CHALLENGE} = challenge", Code.PERMISSION_DENIED
    found = failing_state(span.attributes)
    for event in span.events:
        if event.name == "exception":
            continue
        reply = _refusing_reply(event.name, event.attributes)
        if reply is not None:
            return reply
        found = found or failing_state(event.attributes)
        if found is not None:
            return found, first_code(text for text in event.attributes.values() if isinstance(text, str))
    return None if found is None else (found, None)


def failing_state(attributes: dict[str, Any]) -> str | None:
    """The first attribute named a state or status whose last word says that it failed (`TASK_STATE_FAILED`)."""
    for key, value in attributes.items():
        if key.lower().endswith(_STATES) and isinstance(value, str) and 0 < len(value) <= _LONGEST_STATE:
            words = _WORDS.findall(value.lower())
            if words and words[-1] in _FAILING:
                return f"{key} = {value}"[:120]
    return None


_FAILING = ERROR_WORDS | {"rejected"}


def is_challenged(attributes: dict[str, Any]) -> bool:
    """Whether the answer was a challenge to prove that no bot asks (a header of Cloudflare's), whatever its status."""
    header = attributes.get(_CHALLENGE)
    return header is not None and "challenge" in (header if isinstance(header, list) else [header])


def _refusing_reply(name: str, attributes: dict[str, Any]) -> tuple[str, Code | None] | None:
    """A reply of a mail or file server of 400 or above (RFC 5321 §4.2, RFC 959 §4.2), as an event holds it."""
    number = attributes.get("code")
    if _MAIL.search(name.replace(".", " ").replace("_", " ")) is None or type(number) is not int or number < _REFUSING:
        return None
    text = next((held for held in attributes.values() if isinstance(held, str)), "")
    mark = mark_of(f"{number} {text}")
    code = (mark.code if mark is not None else None) or first_code([text])
    return f"{name} {number}"[:120], code or (Code.UNAVAILABLE if number < _FOR_GOOD else Code.INVALID_ARGUMENT)


_REFUSING, _FOR_GOOD = 400, 500
