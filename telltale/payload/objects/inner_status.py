"""Failures told under keys of their own: of the fetched page, of the statement or function that was run, as an id."""

from __future__ import annotations

import re
from typing import Any

from telltale.payload.asked.verbs import Verb, verb_of
from telltale.payload.codes.infer import code_of_http
from telltale.payload.codes.phrases import first_code
from telltale.payload.objects.empty import is_empty
from telltale.payload.objects.evidence import code_inside, short, told_texts
from telltale.payload.objects.fields import Fields, Role, fields_of, is_truthy_error
from telltale.payload.reading import Asked, Finding, Says


def told_elsewhere(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """A failure that an object tells under none of the customary keys."""
    verb = verb_of(asked.tool)
    if verb is Verb.EXAMINE:
        return None
    found = _answered_status(value) if not _NAMES.isdisjoint(value) else _failed_shards(value)
    found = found or _response_status(value)
    if found is None and verb in (Verb.RUN, Verb.CHANGE):
        found = _named_error(value, fields)
    if found is None and verb is Verb.CHANGE:
        found = _told_as_an_id(value, fields)
    return found


def _response_status(value: dict[str, Any]) -> Finding | None:
    """`{"results": [], "responseStatus": {"errorCode": "Unauthorized", "message": "…"}}`, as ServiceStack answers."""
    status = value.get("responseStatus", value.get("ResponseStatus"))
    code = status.get("errorCode", status.get("ErrorCode")) if isinstance(status, dict) else None
    if not isinstance(code, str) or not code or code in ("0", "OK", "None"):
        return None
    return Finding("payload.error_key", Says.FAILED, "responseStatus.errorCode", code[:200], code_inside(status))


def _failed_shards(value: dict[str, Any]) -> Finding | None:
    """`{"_shards": {"failed": 2}, "hits": {"hits": []}}`: nothing was found, and not all was searched."""
    shards, hits = value.get("_shards"), value.get("hits")
    failed = shards.get("failed") if isinstance(shards, dict) else None
    if type(failed) is not int or failed < 1:
        return None
    if hits.get("hits") if isinstance(hits, dict) else not is_empty(value):
        return None
    return Finding("payload.items_failed", Says.HIDDEN, "_shards.failed", failed, first_code(told_texts(shards)))


def _answered_status(value: dict[str, Any]) -> Finding | None:
    """`{"markdown": "…", "metadata": {"statusCode": 403, "error": "Forbidden"}}`: what a fetched page's answer bore.

    Only where an error stands beside the status: pages are fetched for what they hold, and some hold their own 404.
    """
    for name in ABOUT_THE_ANSWER:
        inner = value.get(name)
        beside = fields_of(inner) if isinstance(inner, dict) else None
        if beside is None:
            continue
        empty = is_empty({key: held for key, held in value.items() if key != name})
        if not empty and not any(is_truthy_error(error) for _, error in beside.get(Role.ERROR)):
            continue
        for key, status in beside.get(Role.HTTP):
            if type(status) is int and 400 <= status < 600:
                return Finding("payload.http_status", Says.HIDDEN, f"{name}.{key}", status, code_of_http(status))
    return None


ABOUT_THE_ANSWER = ("metadata", "meta", "response", "http")
_NAMES = frozenset(ABOUT_THE_ANSWER)


def failed_state(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"status": {"state": "FAILED", "error": {…}}}`: the status of what the tool itself ran is an object of its own.

    So is that of a task that another agent was given (A2A: `{"kind": "task", "status": {"state": "failed"}}`).

    Not of tools that read or examine: there it is the state of a thing that was looked up.
    """
    if verb_of(asked.tool) in (Verb.READ, Verb.EXAMINE):
        return None
    for key, inner in fields.get(Role.STATUS):
        error = inner.get("error") if isinstance(inner, dict) else None
        if isinstance(error, dict) and error and is_truthy_error(error):
            return Finding("payload.status_error", Says.FAILED, f"{key}.error", short(error), code_inside(error))
        state = inner.get("state") if isinstance(inner, dict) and value.get("kind") == "task" else None
        if state in ("failed", "rejected"):
            return Finding("payload.status_error", Says.FAILED, f"{key}.state", state)
    return None


def _named_error(value: dict[str, Any], fields: Fields) -> Finding | None:
    """`{"StatusCode": 200, "FunctionError": "Unhandled"}`: the error of what was run, under the name of its kind."""
    for key in fields.keys:
        if _ERROR_OF.fullmatch(key) and isinstance(value[key], str) and value[key]:
            return Finding("payload.error_key", Says.FAILED, key, value[key][:200], first_code(told_texts(value)))
    return None


_ERROR_OF = re.compile(r"(?!last|Last|prev|Prev|max|Max|mean|Mean|st(?:andar)?d|St(?:andar)?d|root|Root)[A-Za-z]+Error")
"""An error key with the name of what failed before it; not `lastError`, nor a measured one."""


def _told_as_an_id(value: dict[str, Any], fields: Fields) -> Finding | None:
    """`{"broadcast": true, "txid": "Max rate limit reached, please …"}`: a sentence where a change's id was due."""
    for key in fields.keys:
        told = value[key]
        if isinstance(told, str) and key.lower().endswith(_IDS) and told.count(" ") >= _FEWEST_BLANKS:
            return Finding("payload.id_told", Says.HIDDEN, key, short(told), first_code([told]))
    return None


_IDS = ("id", "hash", "uuid", "guid")
_FEWEST_BLANKS = 4
