"""What a result of several things says was not done: items handed back, and errors below with nothing beside them."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from telltale.payload.asked.verbs import Verb, verb_of
from telltale.payload.codes.phrases import first_code
from telltale.payload.objects.empty import is_empty, is_frame
from telltale.payload.objects.evidence import code_inside, short, told_texts
from telltale.payload.objects.fields import ERROR_WORDS, Fields, Role, fields_of, is_truthy_error, role_of
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.words import words
from telltale.vocabulary import Code

_HANDED_BACK = words("unprocesseditems unprocessedkeys unprocessed_items unprocessed_keys unprocessed notprocessed")
_PLACES = words("line lineno column col path loc location file filename rule ruleid rule_id severity position")
_CODED = words("code errorcode error_code reason type")
_MOST = 20
_DEPTH = 3


def undone(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """The first of the rules below that finds something."""
    found = handed_back(value, fields, asked) or refused_rows(value, fields, asked)
    return found or failed_step(value, asked) or errors_below(value)


def handed_back(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"UnprocessedItems": {"events": [a, b]}}` of a batch of two: all of it was handed back, and nothing written.

    Amazon's batch interfaces answer so, with HTTP 200, where they throttle.
    """
    for key in fields.keys:
        if key.lower() in _HANDED_BACK and _counted(value[key]) in _lengths(asked.arguments):
            return Finding("payload.items_failed", Says.HIDDEN, key, short(value[key]), Code.RATE_LIMITED)
    for key, inner in fields.get(Role.BAD):
        if isinstance(inner, list) and not fields.substance and len(inner) in _lengths(asked.arguments):
            first = inner[0]
            return Finding("payload.items_failed", Says.HIDDEN, key, short(first), code_inside(first))
    return None


def refused_rows(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"insertErrors": [{"index": 0, "errors": […]}]}` of a change: errors of its parts, and nothing that was done."""
    if verb_of(asked.tool) is not Verb.CHANGE or len(fields.keys) != 1:
        return None
    key = fields.keys[0]
    rows = value[key] if _ROW_ERRORS.fullmatch(key) is not None else None
    if not isinstance(rows, list) or not rows or not isinstance(rows[0], dict):
        return None
    given = _lengths(asked.arguments)
    if given and len(rows) not in given:
        return None
    return Finding("payload.errors_list", Says.HIDDEN, key, short(rows[0]), first_code(told_texts(rows[0])))


def failed_step(value: dict[str, Any], asked: Asked) -> Finding | None:
    """`{"status": "COMPLETED", "outputs": {}, "steps": [{…}, {"status": "FAILED", "error": "…"}]}`: a run whose last
    step failed with an error, and that gave nothing.
    """
    if verb_of(asked.tool) not in (Verb.RUN, Verb.CHANGE, Verb.UNKNOWN) or not any(
        key in value and is_empty(value[key]) for key in _GIVEN
    ):
        return None
    for key, steps in islice(value.items(), _MOST):
        last = steps[-1] if isinstance(steps, list) and len(steps) > 1 and isinstance(steps[-1], dict) else None
        status = last.get("status", last.get("state")) if last is not None else None
        if last is None or not isinstance(status, str) or status.lower() not in ERROR_WORDS:
            continue
        if is_truthy_error(last.get("error")):
            return Finding("payload.items_failed", Says.HIDDEN, f"{key}[-1]", short(last), first_code(told_texts(last)))
    return None


_GIVEN = ("output", "outputs", "result", "results", "artifacts")
_ROW_ERRORS = re.compile(r"[a-z]{2,20}(?:Errors|_errors)")


def _counted(held: Any) -> int:
    lists = list(held.values())[:_MOST] if isinstance(held, dict) else [held]
    return sum(len(items) for items in lists if isinstance(items, list))


def _lengths(arguments: Any) -> set[int]:
    given = arguments.values() if isinstance(arguments, dict) else ()
    return {len(items) for items in given if isinstance(items, list) and items}


def errors_below(value: dict[str, Any]) -> Finding | None:
    """`{"free": true, "calendars": {"a": {"errors": [{"reason": "notFound"}], "busy": []}}}`: errors one or two levels
    down, each with a code or reason and no place in a text, where nothing else of that object holds an answer.

    Everything beside the way down must be a flag, a frame or empty: data beside them is an answer in part.
    """
    return _search(value, "", _DEPTH)


def _search(level: dict[str, Any], path: str, depth: int) -> Finding | None:
    """Goes down as long as all that a level holds lies in one object, or in objects that all bear errors."""
    inner = [(key, held) for key, held in islice(level.items(), _MOST) if isinstance(held, dict) and held]
    if not inner:
        return None
    bearing = [(key, held, found) for key, held in inner if (found := _listed(held)) is not None]
    rest = [key for key, held in level.items() if not isinstance(held, dict) and not _is_aside(key, held)]
    others = [key for key, held in inner if not any(key is name for name, _, _ in bearing) and not _is_claim(held)]
    if len(level) > _MOST or rest:
        return None
    if bearing and not others:
        key, _, (name, first) = bearing[0]
        return Finding(
            "payload.errors_list",
            Says.HIDDEN,
            f"{path}{key}.{name}",
            short(first),
            code_inside(first) or first_code(told_texts(first)),
        )
    if depth > 1 and len(inner) == 1 and not bearing:
        return _search(inner[0][1], f"{path}{inner[0][0]}.", depth - 1)
    return None


def _listed(held: dict[str, Any]) -> tuple[str, Any] | None:
    """The list of coded errors that an object holds, with nothing beside it that could be an answer."""
    fields = fields_of(held)
    for name, errors in fields.get(Role.ERRORS):
        if not isinstance(errors, list) or not 0 < len(errors) <= _MOST or not all(map(_is_coded, errors)):
            continue
        if all(_is_hollow(held[key]) or _is_number_of(key) for key in fields.keys):
            return name, errors[0]
    return None


def _is_coded(error: Any) -> bool:
    if not isinstance(error, dict):
        return False
    keys = {str(key).lower() for key in error}
    return not keys.isdisjoint(_CODED) and keys.isdisjoint(_PLACES)


def _is_hollow(held: Any) -> bool:
    return is_empty(held) or held in (0, "0", -1)


def _is_number_of(key: str) -> bool:
    """Whether a key holds a service's number for its answer or an id of it: no substance of its own."""
    return key.lower().endswith(("code", "id", "ref"))


def _is_aside(key: str, held: Any) -> bool:
    return isinstance(held, bool) or is_empty(held) or is_frame(key) or role_of(key) is not None or _is_number_of(key)


def _is_claim(held: dict[str, Any]) -> bool:
    """Whether an object beside the errors is a service's frame around its answer: a result code with its text."""
    return any(str(key).lower().endswith("code") for key in held) and all(
        _is_aside(str(key), inner) or isinstance(inner, list) for key, inner in held.items()
    )
