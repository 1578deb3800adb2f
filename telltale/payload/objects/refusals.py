"""Objects that hold nothing but a message, and the message is a fixed form of refusing or one word for a failure."""

from __future__ import annotations

import re
from typing import Any

from telltale.payload.asked.verbs import (
    Verb,
    asks_whether,
    names_a_code,
    names_a_state,
    names_errors,
    names_speech,
    verb_of,
)
from telltale.payload.codes.infer import code_of_class
from telltale.payload.codes.phrases import code_of_phrase, first_code
from telltale.payload.objects.evidence import short, told_texts
from telltale.payload.objects.fields import Fields, Role
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.texts.fixed import phrase_of_http, refusing_form
from telltale.vocabulary import Code

_CLASS_NAME = re.compile(r"[A-Z]\w{2,60}(?:Error|Exception)")
_LONGEST = 600
_PLAIN_KEYS = frozenset(("message", "msg", "Message", "detail", "error_description"))
_NOT_OK = frozenset(("notok", "not ok", "not_ok", "nok", "error", "failed", "failure", "fail"))


def reason_phrase(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"message": "Forbidden"}`: nothing but a phrase of HTTP or a fixed form of one, as gateways answer."""
    if len(value) > 4 or not all(value[key] is True for key in fields.keys) or _is_about_errors(asked):
        return None
    for key, inner in fields.get(Role.MESSAGE):
        if not isinstance(inner, str) or not 0 < len(inner) <= _LONGEST:
            continue
        code = phrase_of_http(inner)
        if code is not None:
            return Finding("payload.reason_phrase", Says.HIDDEN, key, inner, code)
        if _CLASS_NAME.fullmatch(inner) is not None:
            return Finding("payload.reason_phrase", Says.HIDDEN, key, inner, code_of_class(inner))
        if key == "reason" and len(value) == 1 and verb_of(asked.tool) is Verb.CHANGE:
            said = code_of_phrase(inner)
            return Finding("payload.reason_phrase", Says.HIDDEN, key, short(inner), said[0] if said else None)
        if key in _PLAIN_KEYS and not fields.substance and not names_speech(asked.tool):
            form = _refusing(key, inner, value, asked)
            if form is not None:
                return Finding("payload.reason_phrase", Says.HIDDEN, key, short(inner), form)
    return None


def noted(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"Note": "Thank you for using our API! …"}`: a data service's note in the place of the data."""
    if len(value) != 1 or verb_of(asked.tool) in (Verb.CHANGE, Verb.EXAMINE):
        return None
    key, told = next(iter(value.items()))
    if key not in _NOTES or not isinstance(told, str) or told.count(" ") < _FEWEST_BLANKS:
        return None
    return Finding("payload.reason_phrase", Says.HIDDEN, key, short(told), first_code([told]))


_NOTES = ("Note", "Information")
_FEWEST_BLANKS = 4


def _is_about_errors(asked: Asked) -> bool:
    """Whether a tool was asked what an error or a code means, so that the answer looks like one."""
    return (names_errors(asked.tool) or names_a_code(asked.tool)) and verb_of(asked.tool) is Verb.READ


def _refusing(key: str, told: str, value: dict[str, Any], asked: Asked) -> Code | None:
    """The code of a message that is a fixed form; of FastAPI's and Django's `{"detail": "…"}` also a phrase in it."""
    form = refusing_form(told)
    verb = verb_of(asked.tool)
    if form is Code.NOT_FOUND and (asks_whether(asked.tool) or verb is Verb.EXAMINE):
        return None
    if form is Code.NOT_FOUND and verb is Verb.READ and None in value.values():  # the thing is named, and is not there
        return None
    if form is None and key == "detail" and len(value) == 1 and "detail" not in asked.tool.lower():
        said = code_of_phrase(told)
        return said[0] if said is not None else None
    return form


def told_not_ok(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"status": "0", "message": "NOTOK"}`: the message is one word for a failure."""
    told = value.get("message")
    if not isinstance(told, str) or told.lower() not in _NOT_OK or names_speech(asked.tool):
        return None
    if verb_of(asked.tool) is Verb.EXAMINE or names_a_state(asked.tool) or names_errors(asked.tool) or fields.identity:
        return None
    return Finding("payload.status_error", Says.FAILED, "message", told, first_code(told_texts(value)))
