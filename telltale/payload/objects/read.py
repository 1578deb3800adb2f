"""The payload rules over objects: what a result's own keys and values say.

Each rule is a function of the sorted fields and of what was asked; it returns a finding or None. The first that says
FAILED or HIDDEN decides; SUCCESS is noted beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from telltale.payload.asked.asking import asks_for_state
from telltale.payload.asked.verbs import (
    Verb,
    names_a_state,
    names_a_wait,
    names_errors,
    names_work,
    verb_of,
)
from telltale.payload.objects.bodies import refusing_body
from telltale.payload.objects.deeds import nothing_succeeded
from telltale.payload.objects.ended import other_page
from telltale.payload.objects.evidence import code_inside, short
from telltale.payload.objects.examined import (
    VERDICTS,
    counts_failed_tests,
    counts_findings,
    denies_the_look,
    gives_a_verdict,
    is_a_verdict,
    names_what_failed,
)
from telltale.payload.objects.exit_codes import exit_aside, exit_code
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
from telltale.payload.objects.records import is_looked_up, is_record
from telltale.payload.objects.refusals import reason_phrase
from telltale.payload.objects.shapes import error_object, error_page, tells, titled_page, validator_report
from telltale.payload.objects.statuses import http_status, mentions, status_error, status_word
from telltale.payload.objects.undone import undone
from telltale.payload.objects.unmade import not_made
from telltale.payload.reading import Asked, Finding, Says
from telltale.vocabulary import Code

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
        batch = (
            error_page(value, fields, asked)
            or titled_page(value, asked)
            or other_page(value, asked)
            or told_elsewhere(value, fields, asked)
        )
        batch = batch or refusing_body(value, fields, asked)
        batch = batch or nothing_succeeded(value, fields, asked)
        batch = batch or undone(value, fields, asked) or not_made(value, fields, asked)
        batch = batch or exit_aside(value, asked)
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
            if not told and _is_numbered(key, inner, fields) and not mentions(asked.arguments, inner):
                return Finding("payload.error_key", Says.FAILED, key, inner, code_inside(None, fields))
            continue
        aside = _is_stderr(value, fields, inner) or _is_measured(value, fields, inner) or _is_polled(fields, asked)
        aside = aside or _is_sought(value, fields, asked)
        if aside or (fields.substance and (is_record(value, fields, asked) or _is_described(key, asked))):
            return Finding("payload.error_key", Says.ANSWER, key, short(inner))
        undone = verb_of(asked.tool) is Verb.CHANGE and isinstance(inner, dict)
        answered = any(value[name] != asked.name for name in fields.keys)
        verdict = gives_a_verdict(value, asked) and not denies_the_look(fields, asked)
        if verdict or (answered and _declares_success(fields) and not undone):
            return Finding("payload.error_key", Says.ANSWER, key, short(inner))
        return Finding("payload.error_key", Says.FAILED, key, short(inner), code_inside(inner, fields))
    for key, inner in fields.get(Role.ERRNO):
        if isinstance(inner, int) and not isinstance(inner, bool) and inner != 0 and not fields.substance:
            return Finding("payload.error_key", Says.FAILED, key, inner)
    return None


def _is_polled(fields: Fields, asked: Asked) -> bool:
    """Whether an error stands beside the state that was asked for: `{"status": "failed", "error": "…"}` of a job."""
    states = [inner.lower() for _, inner in fields.get(Role.STATUS) if isinstance(inner, str)]
    polled = names_a_state(asked.tool) and bool(asked.arguments) and bool(states)
    return polled and states[0] != "error" and states[0] in ERROR_WORDS


def _is_sought(value: dict[str, Any], fields: Fields, asked: Asked) -> bool:
    """Whether an error is what was asked for, told with its circumstances: `{"error": "…", "time": "…"}`."""
    seeks = names_errors(asked.tool) and verb_of(asked.tool) is Verb.READ
    return seeks and len(value) > 1 and not fields.has(Role.GOOD)


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
        beside = _stands_beside(value, fields, asked)
        if beside or counted or listed or is_a_verdict(inner, fields, asked):
            return Finding("payload.errors_list", Says.ANSWER, key, short(inner))
        first = inner[0] if isinstance(inner, list) and inner else inner
        return Finding("payload.errors_list", Says.FAILED, key, short(first), code_inside(first, fields))
    return None


def _stands_beside(value: dict[str, Any], fields: Fields, asked: Asked) -> bool:
    """Whether data stands beside a list of errors: more than flags, and more than ids where something was looked up."""
    data = [key for key in fields.keys if value[key] is not True and not (type(value[key]) is int and value[key] == 0)]
    sought = verb_of(asked.tool) in (Verb.READ, Verb.UNKNOWN) and "id" not in data
    return bool(data) and not (sought and all(map(is_identity, data)))


def _flag_false(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    for key, inner in fields.get(Role.GOOD):
        if inner is False or _denies(inner, fields):
            examined = verb_of(asked.tool) is Verb.EXAMINE and key.lower() in VERDICTS
            examined = examined and not denies_the_look(fields, asked)
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
        return inner.lower() in ("false", "no", "n", "error", "failed", "fail")
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


_RULES: tuple[tuple[int, Rule], ...] = (
    (Role.ERROR | Role.ERRNO, _error_key),
    (Role.ERRORS, _errors_list),
    (Role.GOOD, _flag_false),
    (Role.BAD, _flag_error),
    (Role.STATUS | Role.TYPE | Role.MESSAGE, status_error),
    (Role.STATUS, failed_state),
    (Role.HTTP | Role.STATUS | Role.CODE, http_status),
    (Role.STATUS, status_word),
    (Role.CODE | Role.MESSAGE | Role.TYPE, error_object),
    (Role.MESSAGE, validator_report),
    (Role.MESSAGE, reason_phrase),
    (Role.EXIT | Role.STREAM, exit_code),
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
