"""Batches of which every item failed, by a mark of the item or by the text that it carries."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from telltale.payload.asked.verbs import (
    Verb,
    has_word,
    names_a_state,
    names_errors,
    names_its_thing,
    names_logs,
    verb_of,
)
from telltale.payload.codes.infer import code_of_class
from telltale.payload.codes.phrases import first_code
from telltale.payload.objects.carried import CARRIERS, carried_text
from telltale.payload.objects.empty import is_empty, is_frame
from telltale.payload.objects.ended import stopped_early
from telltale.payload.objects.evidence import code_inside, short, told_texts
from telltale.payload.objects.fields import ERROR_WORDS, Fields, Role, fields_of, is_identity, is_truthy_error, role_of
from telltale.payload.reading import Asked, Finding, Says
from telltale.vocabulary import Code, code_of_http

_LISTS = ("results", "items", "responses", "outputs", "entry", "entries")
_MOST_ITEMS = 1000


def failed_items(value: Any, asked: Asked) -> Finding | None:
    """A batch of which every item failed, by a mark of the item or by the text that it carries.

    A batch is a list as long as one that the arguments hold; or, of a tool that acts, the list of its results whose
    every item is an error and nothing else.
    """
    if isinstance(value, list):
        return _all_failed("", value, asked)
    if "outputs" in value and verb_of(asked.tool) is not Verb.READ:
        cell = errored_cell(value)
        if cell is not None:
            return cell
    told = not _SOME_FAILED.isdisjoint(value) and any(value.get(flag) is True for flag in _SOME_FAILED)
    for key, inner in islice(value.items(), 20):
        found = None
        if isinstance(inner, list) and inner and not (_FAILED.search(key) and _some_done(value)):
            found = _all_failed(key, inner, asked, told)
        elif isinstance(inner, dict) and inner and _is_by_name(inner, asked):
            found = _all_failed(key, list(inner.values()), asked)
        if found is not None:
            return found
    return None


_SOME_FAILED = frozenset(("errors", "hasErrors", "has_errors"))
"""The flags of bulk interfaces that say that some of the items failed."""


_FAILED = re.compile(r"fail|reject|refus|error|invalid|unprocessed", re.IGNORECASE)


def _some_done(value: dict[str, Any]) -> bool:
    """Whether a list of what was done, or a count of it, stands beside the list of what failed."""
    return any(
        role_of(str(key)) is None
        and not is_frame(key)
        and not _FAILED.search(key)
        and ((isinstance(inner, list) and inner) or _is_count(inner))
        for key, inner in value.items()
    ) or any(_is_count(inner) for _, inner in fields_of(value).get(Role.GOOD))


def _is_count(inner: Any) -> bool:
    return type(inner) is int and inner > 0


def _is_by_name(items: dict[str, Any], asked: Asked) -> bool:
    """Whether an object holds one item under the name of each thing that a list in the arguments names."""
    arguments = asked.arguments
    if not isinstance(arguments, dict):
        return False
    for asked_for in arguments.values():
        if isinstance(asked_for, list) and len(asked_for) == len(items) <= _MOST_ITEMS:
            return all(isinstance(name, str) and name in items for name in asked_for)
    return False


def _all_failed(key: str, items: list[Any], asked: Asked, told: bool = False) -> Finding | None:
    batch = verb_of(asked.tool) is not Verb.EXAMINE and (told or _is_batch(items, asked))
    if not batch and not key and _are_errors(items, asked):
        return Finding("payload.items_failed", Says.HIDDEN, "[0]", short(items[0]), _code_of_item(items[0]))
    if _acts(asked) and 0 < len(items) <= _MOST_ERRORS and all(map(_is_only_a_reason, items)):
        return Finding("payload.items_failed", Says.HIDDEN, f"{key}[0]", short(items[0]), _code_of_item(items[0]))
    if not key and _acts(asked) and 0 < len(items) <= _MOST_ITEMS and all(map(_is_turned_away, items)):
        return Finding("payload.items_failed", Says.HIDDEN, "[0]", short(items[0]), _code_of_item(items[0]))
    listed = key in _LISTS if verb_of(asked.tool) is not Verb.CHANGE else bool(key)
    looked_up = names_its_thing(asked.tool, key) or names_logs(asked.tool) or has_word(asked.tool, _HANDED_OUT)
    if key and not looked_up and 0 < len(items) <= _MOST_ERRORS and all(map(_is_hollow_error, items)):
        return Finding("payload.items_failed", Says.HIDDEN, f"{key}[0]", short(items[0]), _code_of_item(items[0]))
    alone = len(items) == 1 and key in _LISTS and _is_typed_error(items[0]) and not names_errors(asked.tool)
    if not batch and not (listed and _acts(asked)) and not (alone and not names_logs(asked.tool)):
        return None
    return _batch_failed(key, items, asked, batch) if 0 < len(items) <= _MOST_ITEMS else None


def errored_cell(value: dict[str, Any]) -> Finding | None:
    """`{"outputs": [{"output_type": "error", "ename": "…"}]}`: a notebook's cell that raised (nbformat 4, `error`)."""
    outputs = value.get("outputs")
    for number, item in enumerate(outputs[-_MOST_ERRORS:] if isinstance(outputs, list) else ()):
        if isinstance(item, dict) and item.get("output_type") == "error" and isinstance(item.get("ename"), str):
            place = f"outputs[{max(0, len(outputs or ()) - _MOST_ERRORS) + number}]"
            return Finding("payload.items_failed", Says.HIDDEN, place, short(item), code_of_class(item["ename"]))
    return None


def _is_typed_error(item: Any) -> bool:
    """`{"type": "error", "data": {"message": "…"}}`: an item that is an error by its type, and holds what it tells."""
    return isinstance(item, dict) and item.get("type") == "error" and item.keys() <= _OF_AN_ERROR


_OF_AN_ERROR = frozenset(("type", "data", "error", "message", "code"))


def _batch_failed(key: str, items: list[Any], asked: Asked, batch: bool) -> Finding | None:
    """Every item failed: in a batch by any mark, else only where it is an error and nothing beside."""
    code: Code | None = None
    found: Finding | None = None
    for item in reversed(items):  # the first item's code is the batch's
        if not isinstance(item, dict):
            return None
        found = (_item_text(item, asked) or _marked_item(item)) if batch else _bare_error(item)
        found = found or stopped_early(item, asked)
        if found is None:
            return None
        code = found.code
    text = items[0].get(found.key) if code is None and found is not None else None
    said = first_code([text]) if isinstance(text, str) else None
    return Finding("payload.items_failed", Says.HIDDEN, f"{key}[0]", short(items[0]), said or code)


def _are_errors(items: list[Any], asked: Asked) -> bool:
    """Whether a list holds nothing but errors, each with a code and a message, or with a flag and no name of its own.

    As Salesforce and Zod answer (`[{"message", "errorCode", "fields"}]`); not where errors or logs were asked for.
    """
    if (
        not 0 < len(items) <= _MOST_ERRORS
        or not isinstance(items[0], dict)
        or (items[0].keys().isdisjoint(_ERROR_CODES) and not items[0].keys() >= _ISSUE)
    ):
        return False
    if verb_of(asked.tool) is Verb.EXAMINE or names_a_state(asked.tool):
        return False
    if names_logs(asked.tool) or names_errors(asked.tool) or (len(items) > 1 and not _acts(asked)):
        return False
    return all(isinstance(item, dict) and _is_error(item) for item in items)


def _is_error(item: dict[str, Any]) -> bool:
    if item.keys() >= _ISSUE and isinstance(item["path"], list):
        return True
    if item.get("error") is True:
        return not any(is_identity(key) for key in item)
    code = next((item[key] for key in _CODED if isinstance(item.get(key), str)), "")
    return bool(code) and isinstance(item.get("message"), str) and not fields_of(item).substance


def _is_only_a_reason(item: Any) -> bool:
    """`{"image": {}, "filteredReason": "…"}`: an item of a result that holds nothing but why it is not there."""
    if not isinstance(item, dict) or len(item) < 2 or not any(_is_reason(key) for key in item):
        return False
    return all(bool(inner) if _is_reason(key) else is_empty(inner, 2) for key, inner in item.items())


_HANDED_OUT = frozenset(("list", "history"))
"""Tools of these names hand out records, of which each may be one of something that failed."""


def _is_hollow_error(item: Any) -> bool:
    """`{"page": 1, "text": "", "error": "…"}`: an item with an error, and nothing where its content should be."""
    if not isinstance(item, dict) or not any(name in item and is_empty(item[name]) for name in _CONTENT):
        return False
    return any(is_truthy_error(inner) for _, inner in fields_of(item).get(Role.ERROR))


_CONTENT = ("text", "content", "data", "output", "result", "value", "body", "answer", "markdown", "html", "rows")


def _is_turned_away(item: Any) -> bool:
    """`{"email": "…", "status": "rejected", "reject_reason": "…"}`: an item whose status is a no, and why."""
    status = item.get("status") if isinstance(item, dict) else None
    if not isinstance(status, str) or status.lower() not in _TURNED_AWAY:
        return False
    return any(isinstance(key, str) and "reason" in key.lower() and inner for key, inner in item.items())


_TURNED_AWAY = frozenset(("rejected", "refused", "declined", "denied", "invalid", "bounced", "undelivered"))


def _is_reason(key: Any) -> bool:
    return isinstance(key, str) and key.endswith(("Reason", "_reason"))


def _code_of_item(item: dict[str, Any]) -> Code | None:
    """The code of an error in a list: its own, else what its texts say."""
    own = code_inside(item, fields_of(item))
    return (first_code(told_texts(item)) or own) if own is None or own is Code.INTERNAL else own


_ISSUE = frozenset(("code", "path", "message"))
"""The keys of what Zod says of each argument that it refused."""

_CODED = ("errorCode", "error_code")
_ERROR_CODES = frozenset((*_CODED, "error"))
_MOST_ERRORS = 20


def _is_batch(items: list[Any], asked: Asked) -> bool:
    """Whether the arguments hold a list of the same length: one item for each thing that was asked for."""
    arguments = asked.arguments
    return isinstance(arguments, dict) and any(
        isinstance(inner, list) and len(inner) == len(items) for inner in arguments.values()
    )


def _acts(asked: Asked) -> bool:
    """Whether the tool hands out results of its own work, not records, logs or errors that it was asked for."""
    verb = verb_of(asked.tool)
    return verb not in (Verb.READ, Verb.EXAMINE) and not names_logs(asked.tool) and not names_errors(asked.tool)


def _marked_item(item: dict[str, Any]) -> Finding | None:
    """An item that bears an error or says of itself that it did not succeed, whatever else it holds."""
    if len(item) == 1:  # `{"index": {"status": 400, "error": {…}}}`: an item under the name of what was done
        only = next(iter(item.values()))
        item = only if isinstance(only, dict) else item
        if _is_status(item.get("status")):
            return _failed(item, _code_of_status(item["status"]))
    held = next((item[key] for key in CARRIERS if isinstance(item.get(key), dict)), None)
    if held is not None and (
        _is_status(held.get("status")) or held.get("isError") is True or held.get("is_error") is True
    ):
        return _failed(item, code_inside(held))
    return _flagged_item(item, fields_of(item))


def _flagged_item(item: dict[str, Any], fields: Fields) -> Finding | None:
    """An item with a flag, an error, an HTTP status or a list of errors of its own."""
    good = [inner for _, inner in fields.get(Role.GOOD)]
    if True in good:
        return None
    if False in good or any(is_truthy_error(inner) for _, inner in fields.get(Role.ERROR)):
        return _failed(item, code_inside(item, fields))
    status = next((inner for _, inner in fields.get(Role.HTTP) if _is_status(inner)), None)
    if status is not None:
        return _failed(item, first_code(told_texts(item)) or _code_of_status(status))
    listed = next((inner for _, inner in fields.get(Role.ERRORS) if isinstance(inner, list) and inner), None)
    if listed is not None and not fields.substance:
        return _failed(item, code_inside(listed[0]))
    return None


def _failed(item: dict[str, Any], code: Code | None) -> Finding:
    return Finding("payload.items_failed", Says.HIDDEN, "", short(item), code)


def _code_of_status(status: Any) -> Code | None:
    return code_of_http(int(str(status)[:3]))


def _is_status(value: Any) -> bool:
    """An HTTP status of a failure, as a number or as text (FHIR writes `"504"` or `"404 Not Found"`)."""
    digits = str(value)[:3] if isinstance(value, str) or type(value) is int else ""
    return digits.isdigit() and 400 <= int(digits) < 600 and (isinstance(value, str) or value == int(digits))


def _item_text(item: dict[str, Any], asked: Asked) -> Finding | None:
    """The mark in the only text of an item: `{"status": "completed", "summary": "HTTP 401: …"}`."""
    return carried_text(item, asked, claimed=True)


def _bare_error(item: dict[str, Any]) -> Finding | None:
    """An item that is an error and nothing else: a truthy error, or `type: error` beside what it tells."""
    fields = fields_of(item)
    typed = any(isinstance(inner, str) and inner.lower() == "error" for _, inner in fields.get(Role.TYPE))
    if typed and fields.substance <= 1:
        holder = next((inner for inner in item.values() if isinstance(inner, dict)), item)
        return Finding("payload.items_failed", Says.HIDDEN, "", short(item), code_inside(holder))
    stated = next((inner for _, inner in fields.get(Role.STATUS) if isinstance(inner, str)), "")
    if stated.lower() in ERROR_WORDS and all(map(is_identity, fields.keys)):
        return _failed(item, code_inside(item, fields))
    response = len(item) == 1 and isinstance(item.get("response"), dict)
    named = all(is_identity(key) or type(item[key]) is int for key in fields.keys)
    return _marked_item(item) if named or response else None
