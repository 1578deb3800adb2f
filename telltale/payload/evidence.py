"""What an error value gives as evidence: its code, and a short form of it for the row."""

from __future__ import annotations

from typing import Any

from telltale.payload.codes import code_of, code_of_class, code_of_number
from telltale.payload.fields import Fields, Role
from telltale.vocabulary import Code

_CODE_KEYS = ("status", "statusCode", "status_code", "code", "type", "error_code", "name", "message")
_CODE_ROLES = (Role.HTTP, Role.CODE, Role.ERROR, Role.STATUS)


def code_inside(error: Any, fields: Fields | None = None) -> Code | None:
    """The code that an error value gives: its own code, status or type, else those of the keys beside it."""
    weak: Code | None = None
    sources: list[Any] = []
    if isinstance(error, dict):
        sources += [error.get(key) for key in _CODE_KEYS]
    elif isinstance(error, str | int):
        sources.append(error)
    if fields is not None:
        for role in _CODE_ROLES:
            sources += [inner for _, inner in fields.get(role)]
    for source in sources:
        if isinstance(source, bool) or source is None:
            continue
        if isinstance(source, int):
            weak = weak or code_of_number(source)
        elif isinstance(source, str) and len(source) <= 80 and " " not in source:
            code = code_of(source) or code_of_class(source)
            if code is not None and code is not Code.INTERNAL:
                return code
            weak = weak or code
    return weak


def short(value: Any) -> Any:
    """A value as evidence: text cut to 200 characters, objects by their first keys, so that rows stay small."""
    if isinstance(value, str):
        return value[:200]
    if isinstance(value, dict):
        first = list(value.items())[:8]
        return {str(k)[:40]: v if isinstance(v, bool | int | float) else str_of(v) for k, v in first}
    if isinstance(value, list):
        return [short(v) if not isinstance(v, list) else "…" for v in value[:2]]
    return value


def str_of(value: Any) -> str:
    """A value's beginning as text, without writing out a large one."""
    if isinstance(value, dict | list):
        return "{…}" if isinstance(value, dict) else "[…]"
    return str(value)[:100]
