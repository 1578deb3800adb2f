"""The payload rules over objects: what a result's own keys and values say.

Each rule is a function of the sorted fields and of what was asked; it returns a finding or None. The first that says
FAILED or HIDDEN decides; SUCCESS is noted beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from telltale.payload.asked.asking import asks_for_state, has_command
from telltale.payload.asked.verbs import (
    Verb,
    names_a_code,
    names_a_state,
    names_a_wait,
    names_errors,
    names_output,
    names_work,
    verb_of,
)
from telltale.payload.codes.infer import code_of, code_of_http
from telltale.payload.objects.bodies import reason_phrase, refusing_body
from telltale.payload.objects.deeds import nothing_succeeded
from telltale.payload.objects.evidence import code_inside, short
from telltale.payload.objects.examined import (
    VERDICTS,
    counts_failed_tests,
    counts_findings,
    gives_a_verdict,
    has_findings,
    is_a_verdict,
    names_what_failed,
)
from telltale.payload.objects.fields import (
    ERROR_WORDS,
    GOOD_WORDS,
    Fields,
    Role,
    fields_of,
    is_identity,
    is_truthy_error,
)
from telltale.payload.objects.inner_status import failed_state, told_elsewhere
from telltale.payload.objects.records import is_looked_up, is_record, is_reported
from telltale.payload.objects.shapes import (
    error_object,
    error_page,
    tells,
    validator_report,
)
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.texts.exits import is_answer
from telltale.vocabulary import Code

_STATUS_WORDS = {
    "request_denied": Code.PERMISSION_DENIED,
    "over_query_limit": Code.RATE_LIMITED,
    "over_daily_limit": Code.RATE_LIMITED,
    "quota_exceeded": Code.RATE_LIMITED,
    "expired_token": Code.PERMISSION_DENIED,
    "token_expired": Code.PERMISSION_DENIED,
}
_OPEN_CODES = frozenset({Code.PERMISSION_DENIED, Code.RATE_LIMITED, Code.UNAVAILABLE, Code.NOT_FOUND, Code.INTERNAL})

Rule = Callable[[dict[str, Any], Fields, Asked], Finding | None]


def read_object(value: dict[str, Any], asked: Asked) -> list[Finding]:
    """The findings on one object's own level: at most one failure, and a claim of success where there is one."""
    fields = fields_of(value)
    findings: list[Finding] = []
    mask = fields.mask
    if mask & _TELLING:
        for roles, rule in _RULES:
            found = rule(value, fields, asked) if mask & roles else None
            if found is not None:
                findings.append(found)
                break
        claim = _success(fields) if mask & (Role.GOOD | Role.STATUS | Role.ERROR) else None
        if claim is not None:
            findings.append(claim)
    if not any(found.says is Says.FAILED or found.says is Says.HIDDEN for found in findings):
        batch = error_page(value, fields, asked) or told_elsewhere(value, fields, asked)
        batch = batch or refusing_body(value, fields, asked)
        batch = batch or nothing_succeeded(value, fields, asked)
        if batch is not None:
            findings.insert(0, batch)
    return findings


def _error_key(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    looks = verb_of(asked.tool) in (Verb.READ, Verb.EXAMINE)
    for key, inner in fields.get(Role.ERROR):
        if looks and key[:4].lower() == "fail":  # of what was looked up
            continue
        if not is_truthy_error(inner):
            told = names_errors(asked.tool) and verb_of(asked.tool) is Verb.READ
            if not told and _is_numbered(key, inner, fields) and not _mentions(asked.arguments, inner):
                return Finding("payload.error_key", Says.FAILED, key, inner, code_inside(None, fields))
            continue
        aside = _is_stderr(value, fields, inner) or _is_measured(value, fields, inner)
        if aside or (fields.substance and (is_record(value, fields, asked) or _is_described(key, asked))):
            return Finding("payload.error_key", Says.ANSWER, key, short(inner))
        if gives_a_verdict(value, asked) or (fields.substance and _declares_success(fields)):
            return Finding("payload.error_key", Says.ANSWER, key, short(inner))
        return Finding("payload.error_key", Says.FAILED, key, short(inner), code_inside(inner, fields))
    for key, inner in fields.get(Role.ERRNO):
        if isinstance(inner, int) and not isinstance(inner, bool) and inner != 0 and not fields.substance:
            return Finding("payload.error_key", Says.FAILED, key, inner)
    return None


def _is_measured(value: dict[str, Any], fields: Fields, inner: Any) -> bool:
    """Whether an error is a number beside other numbers: a deviation."""
    return type(inner) is int and any(type(value[name]) in (int, float) for name in fields.keys)


def _is_stderr(value: dict[str, Any], fields: Fields, inner: Any) -> bool:
    """Whether the text under an error's key is what a program wrote beside its output: it printed, and ended with 0."""
    ended_well = any(code == 0 and type(code) is int for _, code in fields.get(Role.EXIT))
    return ended_well and isinstance(inner, str) and bool(value.get("output") or value.get("stdout"))


def _is_described(key: str, asked: Asked) -> bool:
    """Whether a tool whose name says that it deals in errors describes one by its kind."""
    return names_errors(asked.tool) and key.lower().endswith(("type", "kind", "class", "name"))


def _is_numbered(key: str, inner: Any, fields: Fields) -> bool:
    """`{"error_code": 40403, "message": "…"}`: a service's own number for what failed, and what it says of it."""
    if type(inner) is not int or inner in (0, 1, 200) or "code" not in key.lower() or fields.substance:
        return False
    return tells(fields)


def _errors_list(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """A filled `errors` list fails the call only where no data stands beside it (GraphQL answers in part)."""
    for key, inner in fields.get(Role.ERRORS):
        if not isinstance(inner, list | dict | str) or not is_truthy_error(inner):
            continue
        counted = any(type(good) is int and good > 0 for _, good in fields.get(Role.GOOD))
        listed = names_errors(asked.tool) and verb_of(asked.tool) is Verb.READ
        beside = fields.substance and not (verb_of(asked.tool) is Verb.READ and all(map(is_identity, fields.keys)))
        if beside or counted or listed or is_a_verdict(inner, fields, asked):
            return Finding("payload.errors_list", Says.ANSWER, key, short(inner))
        first = inner[0] if isinstance(inner, list) and inner else inner
        return Finding("payload.errors_list", Says.FAILED, key, short(first), code_inside(first, fields))
    return None


def _flag_false(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    for key, inner in fields.get(Role.GOOD):
        if inner is False or _denies(inner, fields):
            examined = verb_of(asked.tool) is Verb.EXAMINE and key.lower() in VERDICTS
            checks = names_work(asked.tool) and names_what_failed(value)
            record = inner is False and verb_of(asked.tool) is Verb.READ and _is_full_record(value, fields, asked)
            if examined or checks or record or counts_failed_tests(value) or counts_findings(value, fields, asked):
                return Finding("payload.flag_false", Says.ANSWER, key, inner)
            return Finding("payload.flag_false", Says.FAILED, key, inner, code_inside(None, fields))
    return None


def _is_full_record(value: dict[str, Any], fields: Fields, asked: Asked) -> bool:
    """Whether a flag is one of the facts of a thing that was looked up: a launch with its name and its date."""
    return fields.substance >= _FACTS and not fields.has(Role.ERROR) and is_record(value, fields, asked)


_FACTS = 3


def _denies(inner: Any, fields: Fields) -> bool:
    """`success: 0`, `"false"`, `"error"`; but not a count."""
    if isinstance(inner, str):
        return inner.lower() in ("false", "no", "error", "failed")
    return inner == 0 and isinstance(inner, int) and not _is_counter(fields)


def _is_counter(fields: Fields) -> bool:
    """Whether `success: 0` counts (`failed: 3`, `total: 3` beside it) rather than denies."""
    return fields.has(Role.BAD) or fields.substance > 0 or any(isinstance(v, int) for _, v in fields.get(Role.ERRORS))


def _flag_error(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    for key, inner in fields.get(Role.BAD):
        if inner is True or inner == "true":
            waited = "time" in key.lower() and names_a_wait(asked.tool)
            if waited or asks_for_state(asked, key) or ("abort" in key.lower() and names_a_state(asked.tool)):
                return Finding("payload.flag_error", Says.ANSWER, key, inner)
            code = Code.UNAVAILABLE if "time" in key.lower() else code_inside(None, fields)
            partial = "time" in key.lower() and fields.substance and verb_of(asked.tool) is not Verb.CHANGE
            if partial or (fields.substance and is_looked_up(fields, asked)):
                return Finding("payload.flag_error", Says.ANSWER, key, inner)
            return Finding("payload.flag_error", Says.FAILED, key, inner, code)
    return None


def _status_error(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    for key, inner in fields.get(Role.STATUS):
        if inner is False or (isinstance(inner, str) and inner.lower() in ERROR_WORDS):
            plain = inner in ("error", "Error", "ERROR")
            known = verb_of(asked.tool) is not Verb.UNKNOWN
            about = (
                (is_looked_up(fields, asked) and (known or not plain))
                or is_reported(fields, asked)
                or gives_a_verdict(value, asked)
            )
            about = about or (isinstance(inner, str) and asks_for_state(asked, inner))
            asked_for = about or (names_a_state(asked.tool) and not plain)
            says = Says.ANSWER if asked_for else Says.FAILED
            return Finding("payload.status_error", says, key, inner, code_inside(None, fields))
    undone = _undone_state(fields) if verb_of(asked.tool) is Verb.CHANGE else None
    if undone is not None and not asks_for_state(asked, undone[1]):
        return Finding("payload.status_error", Says.HIDDEN, *undone, code_inside(None, fields))
    outcome = value.get("result")
    if isinstance(outcome, str) and outcome.lower() in ERROR_WORDS and fields.keys == ["result"]:
        return Finding("payload.status_error", Says.FAILED, "result", outcome, code_inside(None, fields))
    for key, inner in fields.get(Role.TYPE):
        word = inner.lower() if isinstance(inner, str) else ""
        if word in ("error", "exception") and (not fields.substance or "reason" in key.lower()):
            return Finding("payload.status_error", Says.FAILED, key, inner, code_inside(None, fields))
    return None


def _undone_state(fields: Fields) -> tuple[str, str] | None:
    """A status that says of a deed that it came to nothing: `undelivered`, `not_sent`."""
    for key, inner in fields.get(Role.STATUS):
        low = inner.lower() if isinstance(inner, str) else ""
        denied = low.startswith(("not_", "not ")) and low.endswith(("ed", "sent", "paid", "done"))
        if denied or low in _CAME_TO_NOTHING:
            return key, inner
    return None


_CAME_TO_NOTHING = frozenset(("undelivered", "undeliverable", "bounced", "unsuccessful", "invalid_request"))


def _status_word(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"status": "unauthorized"}`: the status names one of the failures that a caller cannot ask for."""
    for key, inner in fields.get(Role.STATUS):
        if not isinstance(inner, str) or len(inner) > 40 or inner.lower() in GOOD_WORDS:
            continue
        code = code_of(inner) or _STATUS_WORDS.get(inner.lower())
        if code not in _OPEN_CODES or inner.lstrip("-").isdigit():
            continue
        verb = verb_of(asked.tool)
        about_it = is_looked_up(fields, asked) or is_reported(fields, asked)
        examines = verb is Verb.EXAMINE or names_a_state(asked.tool)
        about_it = about_it or (names_a_wait(asked.tool) and "time" in inner.lower()) or asks_for_state(asked, inner)
        answer = about_it or (examines and code in (Code.NOT_FOUND, Code.UNAVAILABLE, Code.INTERNAL))
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
            answers = role is Role.CODE and names_a_code(asked.tool)
            answers = answers or _mentions(asked.arguments, status) or (_is_response(value) and status in (404, 410))
            if answers or (role is Role.HTTP and is_reported(fields, asked)):
                return Finding("payload.http_status", Says.ANSWER, key, inner)
            return Finding("payload.http_status", Says.HIDDEN, key, inner, code_of_http(status))
    return None


def _is_response(value: dict[str, Any]) -> bool:
    """Whether the object is an HTTP response as an HTTP client hands it out, whose status is part of the answer."""
    if str(value.get("name")).endswith(("Error", "Exception")):
        return False  # an exception that bears its response
    return "headers" in value and isinstance(value["headers"], dict | list)


def _exit_code(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """A process result (`stdout` or `stderr` beside it), not a job's record that was polled."""
    for key, inner in fields.get(Role.EXIT):
        if not isinstance(inner, int) or isinstance(inner, bool) or inner == 0:
            continue
        runs = fields.has(Role.STREAM) or "output" in value or verb_of(asked.tool) is Verb.RUN
        tested = inner == 1 and verb_of(asked.tool) is Verb.EXAMINE and has_findings(fields)
        polled = names_output(asked.tool) and (verb_of(asked.tool) is not Verb.RUN or not has_command(asked.arguments))
        if not runs or tested or polled or names_a_state(asked.tool) or is_looked_up(fields, asked):
            return Finding("payload.exit_code", Says.ANSWER, key, inner)
        says = Says.ANSWER if is_answer(asked.arguments, inner) else Says.FAILED
        return Finding("payload.exit_code", says, key, inner)
    return None


_RULES: tuple[tuple[int, Rule], ...] = (
    (Role.ERROR | Role.ERRNO, _error_key),
    (Role.ERRORS, _errors_list),
    (Role.GOOD, _flag_false),
    (Role.BAD, _flag_error),
    (Role.STATUS | Role.TYPE | Role.MESSAGE, _status_error),
    (Role.STATUS, failed_state),
    (Role.HTTP | Role.STATUS | Role.CODE, _http_status),
    (Role.STATUS, _status_word),
    (Role.CODE | Role.MESSAGE | Role.TYPE, error_object),
    (Role.MESSAGE, validator_report),
    (Role.MESSAGE, reason_phrase),
    (Role.EXIT, _exit_code),
)
"""The rules with the roles that must occur for them to be asked, in the order of their weight."""

_TELLING = 0
for _roles, _ in _RULES:
    _TELLING |= _roles


def _success(fields: Fields) -> Finding | None:
    for key, inner in fields.get(Role.GOOD):
        if inner is True:
            return Finding("payload.success", Says.SUCCESS, key, True)
    for key, inner in fields.get(Role.STATUS):
        if isinstance(inner, str) and inner.lower() in GOOD_WORDS:
            return Finding("payload.success", Says.SUCCESS, key, inner)
    for key, inner in fields.get(Role.ERROR):
        if inner is False:
            return Finding("payload.success", Says.SUCCESS, key, False)
    return None


def _declares_success(fields: Fields) -> bool:
    return _success(fields) is not None


def _http_number(value: Any) -> int | None:
    if isinstance(value, str) and len(value) == 3 and value.isdigit():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600 else None


def _mentions(arguments: Any, status: int) -> bool:
    """Whether the caller itself had named the number: a look-up of what 404 means is no failure."""
    if isinstance(arguments, dict):
        return any(inner in (status, str(status)) for inner in arguments.values() if isinstance(inner, int | str))
    return arguments in (status, str(status)) if isinstance(arguments, int | str) else False
