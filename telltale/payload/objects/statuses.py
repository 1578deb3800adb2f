"""The payload rules over statuses: a word that says how it went, a number of HTTP; the tool's own, or a record's."""

from __future__ import annotations

import re
from typing import Any

from telltale.payload.asked.asking import asks_for_state
from telltale.payload.asked.verbs import (
    Verb,
    names_a_code,
    names_a_removal,
    names_a_state,
    names_a_wait,
    names_errors,
    stops,
    verb_of,
)
from telltale.payload.codes.infer import code_of, code_of_http
from telltale.payload.objects.evidence import code_inside
from telltale.payload.objects.examined import gives_a_verdict
from telltale.payload.objects.fields import ERROR_WORDS, GOOD_WORDS, Fields, Role, role_of
from telltale.payload.objects.records import is_looked_up, is_reported
from telltale.payload.reading import Asked, Finding, Says
from telltale.vocabulary import Code

_STATUS_WORDS = {
    "request_denied": Code.PERMISSION_DENIED,
    "over_query_limit": Code.RATE_LIMITED,
    "over_daily_limit": Code.RATE_LIMITED,
    "quota_exceeded": Code.RATE_LIMITED,
    "expired_token": Code.PERMISSION_DENIED,
    "token_expired": Code.PERMISSION_DENIED,
    "servfail": Code.UNAVAILABLE,  # RFC 1035 §4.1.1
}
_OPEN_CODES = frozenset({Code.PERMISSION_DENIED, Code.RATE_LIMITED, Code.UNAVAILABLE, Code.NOT_FOUND, Code.INTERNAL})


def status_error(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    for key, inner in fields.get(Role.STATUS):
        if inner is False or (isinstance(inner, str) and _is_an_error(inner)):
            plain = inner in ("error", "Error", "ERROR")
            known = verb_of(asked.tool) is not Verb.UNKNOWN
            about = (
                (is_looked_up(fields, asked) and (known or not plain))
                or is_reported(fields, asked)
                or gives_a_verdict(value, asked)
            )
            about = about or (isinstance(inner, str) and asks_for_state(asked, inner))
            about = about or (not plain and names_errors(asked.tool) and verb_of(asked.tool) is not Verb.READ)
            about = about or (inner in _OF_PARCELS and bool(fields.substance) and verb_of(asked.tool) is Verb.READ)
            asked_for = about or (names_a_state(asked.tool) and not plain)
            says = Says.ANSWER if asked_for else Says.FAILED
            return Finding("payload.status_error", says, key, inner, code_inside(None, fields))
    makes = not (names_a_removal(asked.tool) or stops(asked.tool) or asked.tool.lower().startswith("un"))
    undone = _undone_state(fields, makes) if verb_of(asked.tool) is Verb.CHANGE else None
    if undone is not None and not asks_for_state(asked, undone[1]):
        return Finding("payload.status_error", Says.HIDDEN, *undone, code_inside(None, fields))
    outcome = value.get("result")
    if isinstance(outcome, str) and outcome.lower() in ERROR_WORDS and fields.keys == ["result"]:
        return Finding("payload.status_error", Says.FAILED, "result", outcome, code_inside(None, fields))
    for key, inner in fields.get(Role.TYPE):
        word = inner.lower() if isinstance(inner, str) else ""
        thrown = word.endswith(("_error", "-error")) or (
            bool(word) and _CLASS.fullmatch(inner) is not None and all(map(role_of, value))
        )
        named = word in ("error", "exception") or (thrown and fields.has(Role.MESSAGE))
        told = not fields.substance or key.lower().startswith(_OF_ANSWERS) or _is_only_told(value, fields)
        if named and told:
            return Finding("payload.status_error", Says.FAILED, key, inner, code_inside(None, fields))
    return None


_CLASS = re.compile(r"[A-Z][a-z]\w{1,60}(?:Error|Exception)")
"""The class of an exception, as the kind of what is told."""

_OF_ANSWERS = ("finish", "stop", "response", "result")
"""How the keys begin that tell the kind of an answer, and not of a thing which it holds."""


def _is_an_error(status: str) -> bool:
    """Whether a status is a word for a failure, alone or behind its kind: `failed`, `OUTCOME_FAILED`."""
    low = status.lower()
    return low in ERROR_WORDS or ("_" in low and status.isupper() and low.rpartition("_")[2] in ERROR_WORDS)


def _is_only_told(value: dict[str, Any], fields: Fields) -> bool:
    """Whether all that an object of a kind holds is one text: `{"kind": "error", "text": "…"}`."""
    return fields.substance == 1 and fields.keys[0] in _TEXTS and isinstance(value[fields.keys[0]], str)


_TEXTS = frozenset(("text", "content", "value", "data", "output"))


_OF_PARCELS = ("exception", "Exception", "EXCEPTION")
"""A parcel that waits somewhere is an exception to its carrier."""


def _undone_state(fields: Fields, makes: bool) -> tuple[str, str] | None:
    """A status that says of a deed that it came to nothing: `undelivered`, `not_sent`."""
    for key, inner in fields.get(Role.STATUS):
        low = inner.lower() if isinstance(inner, str) else ""
        denied = makes and low.startswith(("not_", "not ")) and low.endswith(("ed", "sent", "paid", "done"))
        if denied or low in _CAME_TO_NOTHING:
            return key, inner
    return None


_CAME_TO_NOTHING = frozenset(("undelivered", "undeliverable", "bounced", "reverted", "unsuccessful", "invalid_request"))


def status_word(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"status": "unauthorized"}`: the status names one of the failures that a caller cannot ask for."""
    for key, inner in fields.get(Role.STATUS):
        if not isinstance(inner, str) or len(inner) > 40 or inner.lower() in GOOD_WORDS:
            continue
        code = code_of(inner) or _STATUS_WORDS.get(inner.lower())
        if code not in _OPEN_CODES or inner.lstrip("-").isdigit():
            continue
        verb = verb_of(asked.tool)
        about_it = is_looked_up(fields, asked) or is_reported(fields, asked)
        examines = verb is Verb.EXAMINE or names_a_state(asked.tool)
        about_it = about_it or (names_a_wait(asked.tool) and "time" in inner.lower()) or asks_for_state(asked, inner)
        about_it = about_it or (inner.lower() in _CALLED_OFF and bool(fields.substance) and verb is Verb.READ)
        answer = about_it or (examines and code in (Code.NOT_FOUND, Code.UNAVAILABLE, Code.INTERNAL))
        if answer or (fields.substance and verb is not Verb.CHANGE and code is Code.NOT_FOUND):
            return Finding("payload.status_word", Says.ANSWER, key, inner)
        return Finding("payload.status_word", Says.HIDDEN, key, inner, code)
    return None


_CALLED_OFF = ("cancelled", "canceled")


def http_status(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    for role in (Role.HTTP, Role.STATUS, Role.CODE):
        for key, inner in fields.get(role):
            status = _http_number(inner)
            if status is None:
                continue
            if role is not Role.HTTP and fields.substance and not _is_response(value):
                continue
            if role is Role.CODE and not fields.has(Role.MESSAGE):
                continue
            answers = role is Role.CODE and names_a_code(asked.tool)
            answers = answers or mentions(asked.arguments, status) or (_is_response(value) and status in (404, 410))
            answers = answers or (role is Role.HTTP and (is_reported(fields, asked) or _is_asked_of(fields, asked)))
            if answers:
                return Finding("payload.http_status", Says.ANSWER, key, inner)
            return Finding("payload.http_status", Says.HIDDEN, key, inner, code_of_http(status))
    return None


def _is_asked_of(fields: Fields, asked: Asked) -> bool:
    """Whether the status of an address was asked for, and nothing is told beside it."""
    given = asked.arguments.values() if isinstance(asked.arguments, dict) else ()
    addressed = any(isinstance(each, str) and "://" in each[:12] for each in given)
    return addressed and names_a_state(asked.tool) and not fields.has(Role.MESSAGE | Role.ERROR)


def _is_response(value: dict[str, Any]) -> bool:
    """Whether the object is an HTTP response as an HTTP client hands it out, whose status is part of the answer."""
    if str(value.get("name")).endswith(("Error", "Exception")):
        return False  # an exception that bears its response
    return "headers" in value and isinstance(value["headers"], dict | list)


def _http_number(value: Any) -> int | None:
    if isinstance(value, str) and len(value) == 3 and value.isdigit():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600 else None


def mentions(arguments: Any, status: int) -> bool:
    """Whether the caller itself had named the number: a look-up of what 404 means is no failure."""
    if isinstance(arguments, dict):
        return any(inner in (status, str(status)) for inner in arguments.values() if isinstance(inner, int | str))
    return arguments in (status, str(status)) if isinstance(arguments, int | str) else False
