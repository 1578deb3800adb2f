"""What a tool's return value says of itself, where the tool is no envelope-speaker: only an object that consists of
nothing but an error is one; a domain's own `{"status": "failed"}` is output.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from telltale._mapper import Failure, reference
from telltale.vocabulary import Code, code_of, code_of_http

_ERROR_KEYS = frozenset(
    {
        "error",
        "errors",
        "status",
        "status_code",
        "statusCode",
        "code",
        "message",
        "detail",
        "details",
        "success",
        "ok",
        "isError",
        "is_error",
        "error_message",
        "error_code",
        "errorCode",
        "error_type",
        "errorType",
        "type",
        "title",
        "reason",
        "retryable",
        "retry_after",
        "retry_after_seconds",
        "hint",
        "request_id",
        "requestId",
        "trace_id",
        "timestamp",
        "path",
        "instance",
        "documentation_url",
    }
)
"""Keys that describe an error and nothing else (RFC 9457 problem details among them)."""
_MASK_CAP = 4000
_TEXT_KEYS = ("message", "error_message", "detail", "title", "reason", "error")
_CODE_KEYS = ("code", "status_code", "statusCode", "error_code", "errorCode", "status", "type")


def failure_in(value: object) -> Failure | None:
    """The failure that a returned value announces, or None where it is output."""
    if isinstance(value, str):
        return masked_failure(value)
    if not isinstance(value, Mapping) or not value or len(value) > len(_ERROR_KEYS):
        return None
    if not _announces(value) or not all(key in _ERROR_KEYS for key in value):
        return None
    body = value.get("error")
    inner: Mapping[str, Any] = body if isinstance(body, Mapping) else {}
    quote = _text(inner) or _text(value)
    code = _code(inner) or _code(value) or code_of_text(quote) or Code.INTERNAL
    ref = reference() if code is Code.INTERNAL else None
    after = inner.get("retry_after_seconds", value.get("retry_after_seconds"))
    waits = after if isinstance(after, int | float) and not isinstance(after, bool) else None
    return Failure(code, "result error", quote=quote, ref=ref, retry_after_seconds=waits, certain=False)


def masked_failure(text: str) -> Failure | None:
    """The failure behind a sentence that a framework puts in an exception's place, or None for every other text."""
    if not 0 < len(text) <= _MASK_CAP:
        return None
    from telltale.payload.texts.catalogues import masking_of  # late: most tools never return text

    found = masking_of(text)
    return failed_text(text, f"masked by {found.framework}") if found is not None else None


def failed_text(text: str, mapped_from: str) -> Failure:
    """The failure that a text tells which is known to tell of one: its code from standard phrases, else INTERNAL."""
    from telltale.payload.texts.catalogues import masking_of

    code = code_of_text(text) or Code.INTERNAL
    ref = reference() if code is Code.INTERNAL else None
    masked = masking_of(text)
    quote = None if masked is not None and masked.generic else text  # a sentence that hides the reason tells nothing
    return Failure(code, mapped_from, quote=quote, ref=ref, certain=False)


def code_of_text(text: str | None) -> Code | None:
    """The code that a failing text's standard phrases mean (`timed out`, `not found`), None where it has none."""
    if not text:
        return None
    from telltale.payload.codes.phrases import code_of_phrase

    found = code_of_phrase(text)
    return found[0] if found is not None else None


def _announces(value: Mapping[str, Any]) -> bool:
    if value.get("error") or value.get("isError") is True or value.get("is_error") is True:
        return True
    if value.get("success") is False or value.get("ok") is False:
        return True
    if isinstance(value.get("errors"), list) and value["errors"]:
        return True
    return value.get("status") == "error" and _text(value) is not None


def _code(body: Mapping[str, Any]) -> Code | None:
    for key in _CODE_KEYS:
        given = body.get(key)
        if isinstance(given, bool) or given is None:
            continue
        found = code_of_http(given) if isinstance(given, int) and given >= 100 else code_of(given)
        if found is not None:
            return found
    return None


def _text(body: Mapping[str, Any]) -> str | None:
    return next((body[key] for key in _TEXT_KEYS if isinstance(body.get(key), str) and body[key]), None)
