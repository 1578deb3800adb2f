"""What a failing result declares of itself: its code, its message, and whether and when to try again."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from telltale.payload.codes.infer import code_of, code_of_class, code_of_number
from telltale.payload.codes.phrases import code_of_phrase
from telltale.payload.objects.carried import text_under
from telltale.payload.objects.evidence import told_texts
from telltale.payload.objects.fields import is_truthy_error
from telltale.payload.objects.inner_status import ABOUT_THE_ANSWER
from telltale.payload.reading import Reading, Says
from telltale.vocabulary import Code


def declare(level: dict[str, Any], reading: Reading) -> None:
    """Takes code, message and retry advice from the error object, else from the object itself."""
    holder = _holder(level)
    declared = holder.get("code", holder.get("error_code", holder.get("errorCode")))
    if declared is None and holder is not level:
        declared = holder.get("type", level.get("code"))
    if isinstance(declared, str | int) and not isinstance(declared, bool):
        reading.declared_code = str(declared)[:80]
    reading.code = _code(declared, holder, reading)
    action = holder.get("action")
    reading.action = action[:80] if isinstance(action, str) else None
    reading.retryable = _advice(holder, level)
    reading.retry_after_s = retry_after(holder) if holder is level else retry_after(holder) or retry_after(level)
    carried = text_under(level.get(reading.findings[0].key)) if reading.findings[0].rule.startswith("text.") else None
    reading.message = carried or message_of(holder) or message_of(level) or next(iter(told_texts(level)), None)


def _advice(holder: dict[str, Any], level: dict[str, Any]) -> bool | None:
    """Whether trying again may help, under the first of the customary keys that says so; None where none does."""
    for told in (holder, level):
        for key in told.keys() & _RETRY_FLAGS.keys():
            if isinstance(told[key], bool):
                return bool(told[key]) is _RETRY_FLAGS[key]
    return None


_RETRY_FLAGS = {
    **dict.fromkeys(("retryable", "retriable", "isRetryable", "is_retryable", "isRetriable", "is_retriable"), True),
    **dict.fromkeys(("should_retry", "shouldRetry", "can_retry", "canRetry", "retry", "transient"), True),
    **dict.fromkeys(("temporary", "isTransient", "is_transient"), True),
    **dict.fromkeys(("permanent", "is_permanent", "isPermanent"), False),
}
"""Keys of advice on trying again, with the value that says it may help."""


def _holder(level: dict[str, Any]) -> dict[str, Any]:
    """The object that tells of the failure: the error, the first of the errors, or one a level down; else the level."""
    error, errors = level.get("error", level.get("Error")), level.get("errors")
    if isinstance(error, dict):
        return error
    if isinstance(errors, list) and errors and isinstance(errors[0], dict):
        return errors[0]
    for name in ("status", *ABOUT_THE_ANSWER) if not error else ():
        inner = level.get(name)
        below = inner.get("error") if isinstance(inner, dict) else None
        if isinstance(inner, dict) and is_truthy_error(below):
            return below if isinstance(below, dict) else {"message": below}
    return level


def _code(declared: Any, holder: dict[str, Any], reading: Reading) -> Code | None:
    """The closed code: the declared one, else a number or class beside it, else what the finding points to."""
    first: Code | None = None
    if isinstance(declared, str):
        first = code_of(declared) or code_of_class(declared)
        status = holder.get("status", holder.get("statusCode"))
        if first is Code.INVALID_ARGUMENT and type(status) is int and 400 < status < 500:
            first = code_of_number(status)  # `ERR_BAD_REQUEST` stands for every 4xx
    elif isinstance(declared, int) and not isinstance(declared, bool):
        first = code_of_number(declared)
        if declared > 0 and declared not in _REGISTERED:  # a service's own number, that only looks like HTTP's
            said = code_of_phrase(message_of(holder) or "")
            first = said[0] if said is not None else first
        if declared < 0 and isinstance(holder.get("message"), str):
            first = code_of(holder["message"]) or first
    found = reading.finding(Says.FAILED) or reading.finding(Says.HIDDEN)
    if first is Code.PERMISSION_DENIED and found is not None and found.code is Code.RATE_LIMITED:
        return found.code  # several services answer 403 to one who asks too often, and give the reason beside it
    if first is not None and first is not Code.INTERNAL:
        return first
    return (found.code if found is not None else None) or first


_REGISTERED = frozenset(status.value for status in HTTPStatus)


def retry_after(holder: dict[str, Any]) -> float | None:
    """Seconds to wait, under any of the customary keys; milliseconds where the key says so."""
    if holder.keys().isdisjoint(_RETRY_NAMES):
        return None
    for key, factor in _RETRY_KEYS:
        inner = holder.get(key)
        if isinstance(inner, str) and inner.strip().isdigit():
            inner = int(inner)
        if isinstance(inner, int | float) and not isinstance(inner, bool) and 0 <= inner < 1e9:
            return float(inner) * factor
    return None


_RETRY_KEYS = (
    ("retry_after_seconds", 1.0),
    ("retryAfterSeconds", 1.0),
    ("retry_after_s", 1.0),
    ("retry_after", 1.0),
    ("retryAfter", 1.0),
    ("retry-after", 1.0),
    ("Retry-After", 1.0),
    ("retry_after_ms", 0.001),
    ("retryAfterMs", 0.001),
    ("retry_after_millis", 0.001),
)
_RETRY_NAMES = frozenset(key for key, _ in _RETRY_KEYS)


def message_of(holder: dict[str, Any]) -> str | None:
    """The text that an error object tells: its message, under any of the customary keys."""
    for key in _MESSAGE_KEYS:
        inner = holder.get(key)
        if isinstance(inner, str) and inner.strip():
            return inner
    return None


_MESSAGE_KEYS = (
    *(
        "message",
        "msg",
        "error_message",
        "errorMessage",
        "error",
        "detail",
        "reason",
        "error_description",
        "description",
    ),
    *("title", "details", "stderr"),
)
