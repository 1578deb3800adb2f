"""The one answer that every tool gives: building it, reading it in both dialects, and keeping its message safe.

{"status": "ok", "output": …}
{"status": "error", "error": {"code": "INVALID_ARGUMENT", "field": "date", "message": "…",
                              "action": "fix_arguments", "retryable": true}}
{"error": {"code": "RATE_LIMITED", "message": "…", "retryable": true, "retry_after_seconds": 30}}   # "tool_error"
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from telltale import _leaks
from telltale._words import default_message
from telltale.vocabulary import ACTION_OF, MESSAGE_CAP, NOT_RETRYABLE, Action, Code, code_of

Envelope: TypeAlias = dict[str, Any]
"""A tool's answer as the model gets it: plain JSON values under `status` and `output` or `error`."""

_log = logging.getLogger("telltale")
_FIELD_CAP = 80
_RETRY_AFTER_CAP_S = 86_400
_RAW_CAP = 4 * MESSAGE_CAP
"""Characters of a given message that are looked at at all: work stays bounded whatever an author passes in."""

_HTTP_OF = {
    Code.INVALID_ARGUMENT: 400,
    Code.NOT_FOUND: 404,
    Code.CONFLICT: 409,
    Code.RATE_LIMITED: 429,
    Code.UNAVAILABLE: 503,
    Code.PERMISSION_DENIED: 403,
    Code.INTERNAL: 500,
}
_ACTIONS = frozenset(action.value for action in Action)


class Dialect(StrEnum):
    """The two shapes of one contract. `ENVELOPE` is the default; `TOOL_ERROR` is the JSON Schema titled ToolError."""

    ENVELOPE = "envelope"
    TOOL_ERROR = "tool_error"


class ToolError(Exception):
    """Raised by a tool's own code, which still knows what went wrong, to answer the model with a proper error.

    Args:
        code: one of the closed codes, or a known alias (`"FORBIDDEN"`, `429`).
        message: an instruction for the model in your own words, at most 300 characters, never an exception's text.
            Left out, the code's default sentence is used.
        field: the argument at fault.
        retry_after_seconds: how long the upstream wants to be left alone.
        quote: text of another system that the model needs to see; it is shortened, quoted and marked as untrusted.

    Raises:
        ValueError: the code is none of the closed set and no alias of one.
    """

    def __init__(
        self,
        code: Code | str | int,
        message: str | None = None,
        *,
        field: str | None = None,
        retry_after_seconds: float | None = None,
        quote: str | None = None,
    ) -> None:
        known = code_of(code)
        if known is None:
            raise ValueError(f"{code!r} is not a code of the contract; use one of {', '.join(Code)}")
        super().__init__(message or default_message(known))
        self.code = known
        self.message = message
        self.field = field
        self.retry_after_seconds = retry_after_seconds
        self.quote = quote


@dataclass(frozen=True, slots=True)
class ToolFault:
    """An error as read from an envelope of either dialect, or as about to be written into one.

    `ref` is the reference id that finds the log record; it stands in the message, not in a field of its own.
    """

    code: Code
    message: str
    action: Action
    retryable: bool
    field: str | None = None
    retry_after_seconds: int | None = None


def ok(output: Any = None) -> Envelope:
    """The envelope of a call that did what was asked. The output is passed through as it is, None included."""
    return {"status": "ok", "output": output}


def error(
    code: Code | str | int,
    message: str | None = None,
    *,
    field: str | None = None,
    retry_after_seconds: float | None = None,
    ref: str | None = None,
    quote: str | None = None,
) -> Envelope:
    """The envelope of a call that failed. Action and retryable follow from the code.

    The message is cleaned: one paragraph, at most 300 characters, credentials masked; one that holds an exception's
    name, a stack frame, SQL or a connection string is replaced by the code's default sentence.

    Raises:
        ValueError: the code is none of the closed set and no alias of one.
    """
    known = code_of(code)
    if known is None:
        raise ValueError(f"{code!r} is not a code of the contract; use one of {', '.join(Code)}")
    body: dict[str, Any] = {"code": known.value}
    named = clean_field(field) if field else ""
    if named:
        body["field"] = named
    body["message"] = clean_message(message, known, ref=ref, quote=quote)
    body["action"] = ACTION_OF[known].value
    body["retryable"] = known not in NOT_RETRYABLE
    if isinstance(retry_after_seconds, int | float) and known not in NOT_RETRYABLE:
        body["retry_after_seconds"] = whole_seconds(retry_after_seconds)
    return {"status": "error", "error": body}


def clean_field(field: str) -> str:
    """A field's name fit for the model: printable, one line, at most 80 characters; empty where it holds internals."""
    name = "".join(c for c in str(field)[:_FIELD_CAP] if c.isprintable()).strip()
    return "" if _leaks.forbidden_in(name) else name


def whole_seconds(seconds: float) -> int:
    """Seconds as the contract wants them: a whole number, rounded up, between 0 and a day."""
    if not math.isfinite(seconds):
        return _RETRY_AFTER_CAP_S if seconds > 0 else 0
    return max(0, min(_RETRY_AFTER_CAP_S, math.ceil(seconds)))


def clean_message(message: str | None, code: Code, *, ref: str | None = None, quote: str | None = None) -> str:
    """A message that may go to the model: never above the cap, never with a forbidden pattern, never empty."""
    text = _one_paragraph(message) if message else ""
    if text:
        text = _leaks.redact_message(text)
        found = _leaks.forbidden_in(text)
        if found:
            _log.warning("a tool's error message was replaced: it holds %s", found)
            text = ""
    text = text or default_message(code, ref)
    if ref and ref not in text:
        text = append_sentence(text, f"(ref {ref})")
    quoted = untrusted(quote) if quote else ""
    if quoted:
        text = append_sentence(text, quoted)
    return _cut(text, MESSAGE_CAP)


def append_sentence(text: str, sentence: str) -> str:
    """Both in at most 300 characters; the first is shortened, never the addition."""
    return f"{_cut(text, MESSAGE_CAP - len(sentence) - 1)} {sentence}"


def untrusted(text: str, cap: int = 120) -> str:
    """Another system's text as data: redacted, shortened, quoted, and marked so that no instruction in it is followed.

    Returns the empty string where the text holds a forbidden pattern, such as a stack frame.
    """
    plain = _leaks.redact_quote(_one_paragraph(text)).replace('"', "'").replace("<", "‹").replace(">", "›")
    if not plain or _leaks.forbidden_in(plain):
        return ""
    return f'Untrusted text from the service: "{_cut(plain, cap)}"'


def read(value: object) -> Envelope | None:
    """The value itself when it is a valid envelope of the first dialect, the same said in the first dialect when it is
    a valid ToolError, else None: a domain's own `{"status": "failed"}` is output, not an envelope.
    """
    if not isinstance(value, dict):
        return None
    if value.keys() == {"status", "output"} and value["status"] == "ok":
        return value
    body = value.get("error")
    if not isinstance(body, dict) or not (value.keys() <= {"status", "error"}):
        return None
    if "status" in value and value["status"] != "error":
        return None
    fault = read_fault(body)
    if fault is None:
        return None
    in_our_words = body["code"] in Code.__members__ and fault.action == body.get("action")
    return value if in_our_words and "status" in value else _as_envelope(fault)


def read_fault(body: Mapping[str, Any]) -> ToolFault | None:
    """The error object of either dialect, or None where a required key is missing or of the wrong type."""
    code, message, retryable = code_of(body.get("code")), body.get("message"), body.get("retryable")
    if code is None or not isinstance(message, str) or not isinstance(retryable, bool):
        return None
    if not 0 < len(message) <= MESSAGE_CAP or _leaks.forbidden_in(message):
        return None
    action, after, field = body.get("action"), body.get("retry_after_seconds"), body.get("field")
    return ToolFault(
        code=code,
        message=message,
        action=Action(action) if isinstance(action, str) and action in _ACTIONS else ACTION_OF[code],
        retryable=retryable,
        field=field if isinstance(field, str) else None,
        retry_after_seconds=whole_seconds(after) if isinstance(after, int | float) and after is not True else None,
    )


def to_dialect(envelope: Envelope, dialect: Dialect) -> Envelope:
    """The same answer in the asked dialect. `TOOL_ERROR` has no status, action or field; success is the bare output
    under `output`.
    """
    if dialect is Dialect.ENVELOPE:
        return envelope
    if envelope.get("status") == "ok":
        return {"output": envelope.get("output")}
    body = envelope["error"]
    kept = ("code", "message", "retryable", "retry_after_seconds")
    return {"error": {key: body[key] for key in kept if key in body}}


def is_error(envelope: Mapping[str, Any]) -> bool:
    """Whether an envelope of either dialect says that the call failed."""
    return isinstance(envelope.get("error"), dict)


def http_status(code: Code | str) -> int:
    """The honest HTTP status for a code: a failed tool call never travels under 200.

    Raises:
        ValueError: the code is none of the closed set and no alias of one.
    """
    known = code_of(code)
    if known is None:
        raise ValueError(f"{code!r} is not a code of the contract; use one of {', '.join(Code)}")
    return _HTTP_OF[known]


def _as_envelope(fault: ToolFault) -> Envelope:
    body: dict[str, Any] = {"code": fault.code.value}
    if fault.field:
        body["field"] = fault.field
    body |= {"message": fault.message, "action": fault.action.value, "retryable": fault.retryable}
    if fault.retry_after_seconds is not None:
        body["retry_after_seconds"] = fault.retry_after_seconds
    return {"status": "error", "error": body}


def _one_paragraph(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in str(text)[:_RAW_CAP]).split())


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: max(0, length - 1)].rstrip() + "…"
