"""Holds an `error` object against the contract, in both dialects.

    {"status": "error", "error": {"code": …, "message": …, "action": …, "retryable": …, "field": …}}     # "envelope"
    {"error": {"code": …, "message": …, "retryable": …, "retry_after_seconds": …}}                       # "ToolError"

Compliant: a string code, a message of 1 to 300 characters without a forbidden pattern, a boolean retryable. What is
odd beside that (a code outside the closed set and its aliases, a foreign action, an unknown key) is named in
`contract_fields` and breaks nothing.
"""

from __future__ import annotations

from typing import Any

from telltale.payload.codes.infer import code_of
from telltale.payload.leaks import forbidden_in
from telltale.payload.reading import Envelope
from telltale.vocabulary import MESSAGE_CAP, Action

_ERROR_KEYS = frozenset(
    {"code", "message", "action", "retryable", "field", "retry_after_seconds", "ref", "reference", "reference_id"}
)
_OUTER_KEYS = frozenset({"status", "error"})
_ACTIONS = frozenset(action.value for action in Action)
_MAX_NAMED = 10


def assess_envelope(value: object) -> Envelope | None:
    """Holds a tool's result against the contract; None where it has no `error` object at all.

    Args:
        value: the tool's own value, already unwrapped (an object; anything else has no envelope).

    Returns:
        The envelope with `compliant`, `problems` and `contract_fields`; never raises.
    """
    if not isinstance(value, dict):
        return None
    error = value.get("error")
    if not isinstance(error, dict) or not error:
        return None
    dialect = "envelope" if "status" in value else "ToolError"
    problems = _problems(error)
    odd = _odd(value, error)
    return Envelope(dialect, error, not problems, problems, odd)


def _problems(error: dict[str, Any]) -> list[str]:
    problems = []
    code, message, retryable = error.get("code"), error.get("message"), error.get("retryable")
    if not isinstance(code, str) or not code.strip():
        problems.append("error.code is missing" if code is None else "error.code is no text")
    if not isinstance(message, str) or not message.strip():
        problems.append("error.message is missing" if message is None else "error.message is no text")
    elif len(message) > MESSAGE_CAP:
        problems.append(f"error.message has {len(message)} characters, at most {MESSAGE_CAP} are allowed")
    else:
        forbidden = forbidden_in(message)
        if forbidden:
            problems.append(f"error.message holds {forbidden}")
    if not isinstance(retryable, bool):
        problems.append("error.retryable is missing" if retryable is None else "error.retryable is no true or false")
    return problems


def _odd(value: dict[str, Any], error: dict[str, Any]) -> list[str]:
    odd = []
    code, action, status = error.get("code"), error.get("action"), value.get("status", "error")
    if isinstance(code, str) and code_of(code) is None:
        odd.append("error.code")
    if action is not None and (not isinstance(action, str) or action not in _ACTIONS):
        odd.append("error.action")
    after = error.get("retry_after_seconds")
    if after is not None and (isinstance(after, bool) or not isinstance(after, int | float) or after < 0):
        odd.append("error.retry_after_seconds")
    if status != "error":
        odd.append("status")
    if len(error) > 3:
        odd += [f"error.{key}"[:80] for key in error if key not in _ERROR_KEYS][:_MAX_NAMED]
    if len(value) > 1:
        odd += [key[:80] for key in value if isinstance(key, str) and key not in _OUTER_KEYS][:_MAX_NAMED]
    return odd
