"""What must not leave: secrets in anything that goes on a span or to the model, internals in what the model is told.

One pattern table for both ends (`telltale.redaction`). It is loaded when first needed: an app that only imports the
library does not wait for it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from telltale.redaction import Redactor

_MARK = re.compile(r"\[REDACTED:\w{1,40}:[0-9a-f]{8}\]")
_MARKUP = re.compile(r"<!doctype|<html|\bException\b|\bTraceback\b", re.IGNORECASE)


@cache
def _secrets() -> Redactor:
    """For spans, and for what a tool returns: credentials and the like."""
    from telltale.redaction import Redactor

    return Redactor()


@cache
def _everything() -> Redactor:
    """For another system's text inside a message: credentials, and hosts, SQL, paths, stack frames as well."""
    from telltale.redaction import INTERNALS, SECRETS, RedactionConfig, Redactor

    return Redactor(RedactionConfig(profiles=frozenset({SECRETS, INTERNALS})))


def redact(text: str) -> str:
    """The text with secrets masked."""
    return _secrets().text(text)


def redact_value(value: Any) -> Any:
    """JSON data with secrets masked at any depth; the value itself where there is none."""
    return _secrets().value(value)


def redact_message(text: str) -> str:
    """An author's text for the model with secrets masked; the model is not shown which secret it was."""
    return _MARK.sub("[redacted]", _secrets().text(text))


def redact_quote(text: str) -> str:
    """Another system's text for the model with secrets and internals masked."""
    return _MARK.sub("[redacted]", _everything().text(text))


def forbidden_in(text: str) -> str | None:
    """What a message for the model must not hold, by name, or None: a secret, or anything of a system's inside."""
    from telltale.payload.leaks import forbidden_in as leak_in
    from telltale.redaction import find_internals

    found = find_internals(text)
    if found:
        return found[0].kind
    return leak_in(text) or ("markup or an exception" if _MARKUP.search(text) else None)
