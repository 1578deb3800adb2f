"""Statuses one level down: of the page that was fetched, of the statement that was run."""

from __future__ import annotations

from typing import Any

from telltale.payload.codes import code_of_http
from telltale.payload.evidence import code_inside, short
from telltale.payload.fields import Fields, Role, fields_of, is_truthy_error
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.verbs import Verb, verb_of


def answered_status(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"markdown": "…", "metadata": {"statusCode": 403, "error": "Forbidden"}}`: what a fetched page's answer bore.

    Only where an error stands beside the status: pages are fetched for what they hold, and some hold their own 404.
    """
    if _NAMES.isdisjoint(value) or verb_of(asked.tool) is Verb.EXAMINE:
        return None
    for name in ABOUT_THE_ANSWER:
        inner = value.get(name)
        beside = fields_of(inner) if isinstance(inner, dict) else None
        if beside is None or not any(is_truthy_error(error) for _, error in beside.get(Role.ERROR)):
            continue
        for key, status in beside.get(Role.HTTP):
            if type(status) is int and 400 <= status < 600:
                return Finding("payload.http_status", Says.HIDDEN, f"{name}.{key}", status, code_of_http(status))
    return None


ABOUT_THE_ANSWER = ("metadata", "meta", "response", "http")
_NAMES = frozenset(ABOUT_THE_ANSWER)


def failed_state(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"status": {"state": "FAILED", "error": {…}}}`: the status of what the tool itself ran is an object of its own.

    Not of tools that read or examine: there it is the state of a thing that was looked up.
    """
    if verb_of(asked.tool) in (Verb.READ, Verb.EXAMINE):
        return None
    for key, inner in fields.get(Role.STATUS):
        error = inner.get("error") if isinstance(inner, dict) else None
        if isinstance(error, dict) and error and is_truthy_error(error):
            return Finding("payload.status_error", Says.FAILED, f"{key}.error", short(error), code_inside(error))
    return None
