"""Arguments at fault: the field is named, in our own words. pydantic's message may quote the input."""

from __future__ import annotations

import re
from typing import Any

from telltale._arguments import ArgumentsError
from telltale._families._names import ancestry
from telltale._mapper import Failure
from telltale.vocabulary import Code

_KNOWN = {
    "missing": "is missing",
    "missing_argument": "is missing",
    "missing_keyword_only_argument": "is missing",
    "missing_positional_only_argument": "is missing",
    "extra_forbidden": "is not a parameter of this tool",
    "unexpected_keyword_argument": "is not a parameter of this tool",
    "unexpected_positional_argument": "is not a parameter of this tool",
    "multiple_argument_values": "is given twice",
    "string_type": "must be a string",
    "int_type": "must be an integer",
    "int_parsing": "must be an integer",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "date_from_datetime_parsing": "must be an ISO-8601 calendar date such as 2026-10-06",
    "date_parsing": "must be an ISO-8601 calendar date such as 2026-10-06",
    "date_type": "must be an ISO-8601 calendar date such as 2026-10-06",
    "datetime_parsing": "must be an ISO-8601 date and time such as 2026-10-06T10:00:00Z",
    "datetime_from_date_parsing": "must be an ISO-8601 date and time such as 2026-10-06T10:00:00Z",
    "time_parsing": "must be a time such as 10:00",
    "uuid_parsing": "must be a UUID",
    "url_parsing": "must be a URL",
}
"""pydantic-core error types (its list of validation errors) to what the model should do about them."""
_TYPE = re.compile(r"[a-z_]{1,40}\Z")
_SAFE_STEP = re.compile(r"[A-Za-z0-9_-]{1,40}\Z")


def pydantic(exc: BaseException) -> Failure | None:
    """`pydantic.ValidationError` of version 2 (and 1, whose errors have the same three keys)."""
    names = ancestry(exc)
    if not names & {"pydantic_core.ValidationError", "pydantic.ValidationError"}:
        return None
    errors: Any = exc.errors  # type: ignore[attr-defined]
    try:
        found = errors(include_url=False, include_context=False, include_input=False)
    except TypeError:
        found = errors()
    first = found[0] if found else {}
    field = ".".join(str(step) for step in first.get("loc", ()) if _SAFE_STEP.match(str(step)))[:80] or None
    kind = str(first.get("type", ""))
    return Failure(
        Code.INVALID_ARGUMENT,
        f"validation {kind if _TYPE.match(kind) else 'error'}",
        _sentence(field, kind, len(found)),
        field=field,
    )


def arguments(exc: BaseException) -> Failure | None:
    """A guarded function's own parameters: `ArgumentsError`."""
    if not isinstance(exc, ArgumentsError):
        return None
    name, kind = exc.problems[0]
    field = name if name and _SAFE_STEP.match(name) else None
    return Failure(Code.INVALID_ARGUMENT, f"arguments {kind}", _sentence(field, kind, len(exc.problems)), field=field)


def _sentence(field: str | None, kind: str, count: int) -> str:
    what = _KNOWN.get(kind) or (f"is not valid ({kind})" if _TYPE.match(kind) else "is not valid")
    more = f" {count - 1} more argument{'s' if count > 2 else ''} also need correcting." if count > 1 else ""
    return f"{field or 'An argument'} {what}. Correct it and call again.{more}"
