"""The payload rules over objects: what a result's own keys and values say.

Each rule is a function of the sorted fields and of what was asked; it returns a finding or None. The first that says
FAILED or HIDDEN decides; SUCCESS is noted beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from telltale.payload.codes import code_of, code_of_class, code_of_http, code_of_number
from telltale.payload.exits import is_answer
from telltale.payload.fields import Fields, Role, fields_of, is_truthy_error
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.verbs import Verb, verb_of
from telltale.vocabulary import Code

_ERROR_WORDS = frozenset(
    {"error", "errored", "failed", "failure", "fail", "fatal", "exception", "err", "crashed", "aborted"}
)
_GOOD_WORDS = frozenset({"ok", "success", "succeeded", "successful", "completed", "complete", "done"})
_OPEN_CODES = frozenset({Code.PERMISSION_DENIED, Code.RATE_LIMITED, Code.UNAVAILABLE, Code.NOT_FOUND, Code.INTERNAL})

Rule = Callable[[dict[str, Any], Fields, Asked], Finding | None]


def read_object(value: dict[str, Any], asked: Asked) -> list[Finding]:
    """The findings on one object's own level: at most one failure, and a claim of success where there is one."""
    fields = fields_of(value)
    findings: list[Finding] = []
    if fields.roles:
        for rule in _RULES:
            found = rule(value, fields, asked)
            if found is not None:
                findings.append(found)
                break
        claim = _success(fields)
        if claim is not None:
            findings.append(claim)
    if not findings or findings[0].says is Says.SUCCESS:
        items = _items_failed(value, asked)
        if items is not None:
            findings.insert(0, items)
    return findings


def _is_looked_up(fields: Fields, asked: Asked) -> bool:
    """Whether the object is a record that was asked for, so that its status and error are the record's own."""
    verb = verb_of(asked.tool)
    if asked.changes_state or verb is Verb.CHANGE or verb is Verb.RUN:
        return False
    if fields.identity and (verb is not Verb.UNKNOWN or _echoes_an_id(asked)):
        return fields.substance >= 2 or fields.has(Role.STATUS)
    return False


def _echoes_an_id(asked: Asked) -> bool:
    return isinstance(asked.arguments, dict) and any(
        isinstance(key, str) and (key == "id" or key.endswith(("_id", "Id"))) for key in asked.arguments
    )


def _error_key(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    for key, inner in fields.get(Role.ERROR):
        if not is_truthy_error(inner):
            continue
        if fields.substance >= 2 and _is_looked_up(fields, asked):
            return Finding("payload.error_key", Says.ANSWER, key, _short(inner))
        if fields.substance and _declares_success(fields):
            return Finding("payload.error_key", Says.ANSWER, key, _short(inner))
        return Finding("payload.error_key", Says.FAILED, key, _short(inner), _code_inside(inner, fields))
    return None


def _errors_list(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """A filled `errors` list fails the call only where no data stands beside it (GraphQL answers in part)."""
    for key, inner in fields.get(Role.ERRORS):
        if not isinstance(inner, list | dict | str) or not is_truthy_error(inner):
            continue
        if fields.substance or (verb_of(asked.tool) is Verb.EXAMINE and not fields.has(Role.GOOD)):
            return Finding("payload.errors_list", Says.ANSWER, key, _short(inner))
        first = inner[0] if isinstance(inner, list) and inner else inner
        return Finding("payload.errors_list", Says.FAILED, key, _short(first), _code_inside(first, fields))
    return None


def _flag_false(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    for key, inner in fields.get(Role.GOOD):
        if inner is False or (inner == 0 and isinstance(inner, int) and not _is_counter(fields)) or inner in _FALSE:
            if verb_of(asked.tool) is Verb.EXAMINE and key.lower() in ("ok", "is_ok", "isok"):
                return Finding("payload.flag_false", Says.ANSWER, key, inner)
            return Finding("payload.flag_false", Says.FAILED, key, inner, _code_inside(None, fields))
    return None


_FALSE = ("false", "False")


def _is_counter(fields: Fields) -> bool:
    """Whether `success: 0` counts (`failed: 3`, `total: 3` beside it) rather than denies."""
    return fields.has(Role.BAD) or fields.substance > 0 or any(isinstance(v, int) for _, v in fields.get(Role.ERRORS))


def _flag_error(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    for key, inner in fields.get(Role.BAD):
        if inner is True or inner == "true":
            code = Code.UNAVAILABLE if "time" in key.lower() else _code_inside(None, fields)
            if fields.substance and _is_looked_up(fields, asked):
                return Finding("payload.flag_error", Says.ANSWER, key, inner)
            return Finding("payload.flag_error", Says.FAILED, key, inner, code)
    return None


def _status_error(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    for key, inner in fields.get(Role.STATUS):
        if isinstance(inner, str) and inner.lower() in _ERROR_WORDS:
            says = Says.ANSWER if _is_looked_up(fields, asked) or _is_reported(fields, asked) else Says.FAILED
            return Finding("payload.status_error", says, key, inner, _code_inside(None, fields))
    for key, inner in fields.get(Role.TYPE):
        if isinstance(inner, str) and inner.lower() in ("error", "exception") and not fields.substance:
            return Finding("payload.status_error", Says.FAILED, key, inner, _code_inside(None, fields))
    return None


def _is_reported(fields: Fields, asked: Asked) -> bool:
    """A reading or examining tool that answers with a status and facts reports on something else."""
    return verb_of(asked.tool) in (Verb.READ, Verb.EXAMINE) and fields.substance >= 2


def _status_word(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"status": "unauthorized"}`: the status names one of the failures that a caller cannot ask for."""
    for key, inner in fields.get(Role.STATUS):
        if not isinstance(inner, str) or len(inner) > 40 or inner.lower() in _GOOD_WORDS:
            continue
        code = code_of(inner)
        if code not in _OPEN_CODES or inner.lstrip("-").isdigit():
            continue
        verb = verb_of(asked.tool)
        about_it = _is_looked_up(fields, asked) or _is_reported(fields, asked)
        answer = about_it or (verb is Verb.EXAMINE and code in (Code.NOT_FOUND, Code.UNAVAILABLE))
        if answer or (fields.substance and verb is not Verb.CHANGE and code is Code.NOT_FOUND):
            return Finding("payload.status_word", Says.ANSWER, key, inner)
        return Finding("payload.status_word", Says.HIDDEN, key, inner, code)
    return None


def _http_status(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    for role in (Role.HTTP, Role.STATUS, Role.CODE):
        for key, inner in fields.get(role):
            status = _http_number(inner)
            if status is None:
                continue
            if role is not Role.HTTP and fields.substance and not _is_response(value):
                continue
            if role is Role.CODE and not fields.has(Role.MESSAGE):
                continue
            answers = _mentions(asked.arguments, status) or (_is_response(value) and status in (404, 410))
            if answers or (role is Role.HTTP and _is_reported(fields, asked)):
                return Finding("payload.http_status", Says.ANSWER, key, inner)
            return Finding("payload.http_status", Says.HIDDEN, key, inner, code_of_http(status))
    return None


def _is_response(value: dict[str, Any]) -> bool:
    """Whether the object is an HTTP response as an HTTP client hands it out, whose status is part of the answer."""
    return "headers" in value and isinstance(value["headers"], dict | list)


def _error_object(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """A bare error object: `{"code", "message", "retryable"}`, a JSON-RPC error, an exception with name and stack."""
    if fields.substance > 1 or not (fields.has(Role.MESSAGE) or fields.has(Role.RETRY)):
        return None
    for key, inner in fields.get(Role.CODE):
        if isinstance(inner, int) and not isinstance(inner, bool) and -32768 <= inner <= -32000:
            return Finding("payload.error_object", Says.FAILED, key, inner, _code_inside(value, fields))
        if isinstance(inner, str) and "retryable" in value and isinstance(value["retryable"], bool):
            return Finding("payload.error_object", Says.FAILED, key, inner, _code_inside(value, fields))
        if isinstance(inner, str) and isinstance(value.get("message"), str) and not fields.substance:
            code = code_of(inner) or (code_of_class(inner) if inner.endswith(("Error", "Exception")) else None)
            if code is not None:
                return Finding("payload.error_object", Says.FAILED, key, inner, code)
    name = value.get("name")
    if isinstance(name, str) and name.endswith(("Error", "Exception")) and ("stack" in value or "message" in value):
        return Finding("payload.error_object", Says.FAILED, "name", name, code_of_class(name))
    return None


def _exit_code(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """A process result (`stdout` or `stderr` beside it), not a job's record that was polled."""
    for key, inner in fields.get(Role.EXIT):
        if not isinstance(inner, int) or isinstance(inner, bool) or inner == 0:
            continue
        runs = fields.has(Role.STREAM) or "output" in value or verb_of(asked.tool) is Verb.RUN
        if not runs or _is_looked_up(fields, asked):
            return Finding("payload.exit_code", Says.ANSWER, key, inner)
        says = Says.ANSWER if is_answer(asked.arguments, inner) else Says.FAILED
        return Finding("payload.exit_code", says, key, inner)
    return None


_RULES: tuple[Rule, ...] = (
    _error_key,
    _errors_list,
    _flag_false,
    _flag_error,
    _status_error,
    _http_status,
    _status_word,
    _error_object,
    _exit_code,
)


def _success(fields: Fields) -> Finding | None:
    for key, inner in fields.get(Role.GOOD):
        if inner is True:
            return Finding("payload.success", Says.SUCCESS, key, True)
    for key, inner in fields.get(Role.STATUS):
        if isinstance(inner, str) and inner.lower() in _GOOD_WORDS:
            return Finding("payload.success", Says.SUCCESS, key, inner)
    return None


def _declares_success(fields: Fields) -> bool:
    return _success(fields) is not None


def _items_failed(value: dict[str, Any], asked: Asked) -> Finding | None:
    """A batch whose items all failed: the arguments hold a list of the same length, or the object is nothing but it."""
    if len(value) > 20:
        return None
    for key, inner in value.items():
        if isinstance(inner, list) and 0 < len(inner) <= 1000 and isinstance(inner[0], dict):
            if not _is_batch(inner, asked):
                return None
            for item in inner:
                if not isinstance(item, dict) or not _item_failed(item):
                    return None
            return Finding("payload.items_failed", Says.HIDDEN, f"{key}[0]", _short(inner[0]), _code_inside(inner[0]))
    return None


def _is_batch(items: list[Any], asked: Asked) -> bool:
    arguments = asked.arguments
    return isinstance(arguments, dict) and any(
        isinstance(inner, list) and len(inner) == len(items) for inner in arguments.values()
    )


def _item_failed(item: dict[str, Any]) -> bool:
    fields = fields_of(item)
    return any(is_truthy_error(v) for _, v in fields.get(Role.ERROR)) or any(
        inner is False for _, inner in fields.get(Role.GOOD)
    )


def _http_number(value: Any) -> int | None:
    if isinstance(value, str) and len(value) == 3 and value.isdigit():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600 else None


def _mentions(arguments: Any, status: int) -> bool:
    """Whether the caller itself had named the number: a look-up of what 404 means is no failure."""
    if isinstance(arguments, dict):
        return any(inner in (status, str(status)) for inner in arguments.values() if isinstance(inner, int | str))
    return arguments in (status, str(status)) if isinstance(arguments, int | str) else False


def _code_inside(error: Any, fields: Fields | None = None) -> Code | None:
    """The code that an error value gives: its own code, status or type, else those beside it."""
    numbers: Code | None = None
    sources: list[Any] = []
    if isinstance(error, dict):
        sources += [error.get(k) for k in ("status", "statusCode", "status_code", "code", "type", "error_code", "name")]
        sources.append(error.get("message"))
    elif isinstance(error, str | int):
        sources.append(error)
    if fields is not None:
        for role in (Role.HTTP, Role.CODE, Role.ERROR, Role.STATUS):
            sources += [inner for _, inner in fields.get(role)]
    for source in sources:
        if isinstance(source, bool) or source is None:
            continue
        if isinstance(source, int):
            numbers = numbers or code_of_number(source)
        elif isinstance(source, str) and len(source) <= 80 and " " not in source:
            code = code_of(source) or code_of_class(source)
            if code is not None and code is not Code.INTERNAL:
                return code
            numbers = numbers or code
    return numbers


def _short(value: Any) -> Any:
    """A value as evidence: text cut to 200 characters, objects by their keys, so that rows stay small."""
    if isinstance(value, str):
        return value[:200]
    if isinstance(value, dict):
        return {
            str(k)[:40]: v if isinstance(v, bool | int | float) else str(v)[:100] for k, v in list(value.items())[:8]
        }
    if isinstance(value, list):
        return [_short(v) if not isinstance(v, list) else "…" for v in value[:2]]
    return value
