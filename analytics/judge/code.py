"""Which code a failed call gets, and from where: certain evidence, the declared code, classes, phrases, INTERNAL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from analytics.judge.attempts import Attempt, failure_of
from analytics.judge.case import Verdict
from analytics.normalise.logical_call import LogicalCall, Mark, Meaning
from telltale import names
from telltale.payload import Reading
from telltale.payload.codes.budgets import tells_of_a_spent_budget
from telltale.payload.codes.infer import ERRNO, code_of_class, is_defect
from telltale.payload.codes.phrases import code_of_phrase
from telltale.payload.codes.told import code_of_named_class, code_of_told_name
from telltale.payload.objects.evidence import told_texts
from telltale.payload.texts.catalogues import injection_in
from telltale.payload.texts.denials import refused_value
from telltale.payload.texts.dressed import coded_mark_of
from telltale.payload.texts.marks import mark_of
from telltale.payload.texts.named import denies_tool
from telltale.vocabulary import Code, code_of_http

_DECISIVE = frozenset({Code.PERMISSION_DENIED, Code.RATE_LIMITED, Code.UNAVAILABLE})
"""What a transport says without doubt; a tool may still know better what a 400, 404, 409 or 500 meant."""

_UNKNOWN = "exception "
"""How the guard says that it knew an exception's class and no code for it. It saw the exception itself, and tells one
about the arguments apart, which words cannot: its INTERNAL stands, unless what the tool called says more.
"""

_WEAK = {"ValueError": Code.INVALID_ARGUMENT, "IllegalArgumentException": Code.INVALID_ARGUMENT}


def choose_code(call: LogicalCall, reading: Reading, verdict: Verdict) -> tuple[Code, str]:
    """The code of a failed call, and where it is from: `upstream …`, `declared`, `payload`, `exception …`, `text`, …"""
    return next(found for found in _candidates(call, reading, verdict) if found is not None)


def _candidates(call: LogicalCall, reading: Reading, verdict: Verdict) -> Iterator[tuple[Code, str] | None]:
    """The codes that the evidence offers, strongest first; the last is never None."""
    cause = verdict.cause.cause if verdict.cause is not None else None
    declared = reading.code if reading.declared_code is not None else None
    vague = declared is None or declared is Code.INTERNAL
    limited = declared is Code.RATE_LIMITED  # several services answer 403 to one who asks too often
    decisive = cause is not None and cause.code in _DECISIVE and not (limited and cause.code is Code.PERMISSION_DENIED)
    if cause is not None and vague and _is_own_statement(cause, call):
        yield Code.INTERNAL, f"upstream {cause.value}"
    if cause is not None and cause.code is not None and cause.certain and (vague or decisive):
        yield cause.code, f"upstream {cause.value}"
    if declared is Code.INTERNAL and any(_is_unknown(span.attributes.get(names.MAPPED_FROM)) for span in call.members):
        yield declared, "declared"
    if reading.code is not None and reading.code is not Code.INTERNAL:
        yield reading.code, "declared" if declared is not None else "payload"
    if verdict.refused:
        yield Code.PERMISSION_DENIED, "refusal"
    if any(denies_tool(failure_of(span)[1], call.tool) for span in call.members):
        yield Code.NOT_FOUND, "text"
    yield _from_raised(verdict.raised)
    if verdict.logged is not None:
        yield verdict.logged, "log"
    if cause is not None and cause.code is not None and cause.code is not Code.INTERNAL:
        yield cause.code, f"upstream {cause.value}"
    yield _from_marks(call)
    yield _from_texts(call, reading)
    if cause is not None and cause.code is not None:
        yield cause.code, f"upstream {cause.value}"
    yield _from_keys(reading.value)
    if declared is not None:
        yield declared, "declared"
    yield _weak(call, verdict.raised)


def _is_unknown(mapped_from: Any) -> bool:
    return isinstance(mapped_from, str) and mapped_from.startswith(_UNKNOWN)


def _is_own_statement(cause: Attempt, call: LogicalCall) -> bool:
    """Whether a database refused the form of a statement that the tool itself had written: the caller sent no SQL.

    SQLSTATE class 42, of which only the syntax and what it refers to within a table are the statement's own.
    """
    if cause.code is not Code.INVALID_ARGUMENT or not cause.value.startswith("sqlstate 42"):
        return False
    return not _SQL.search(call.arguments_text or "")


_SQL = re.compile(r"\b(?:select|insert|update|delete|create|alter|drop|exec|merge|with|call)\b", re.IGNORECASE)


def _from_raised(span: Any) -> tuple[Code, str] | None:
    if span is None:
        return None
    kind, message = failure_of(span)
    return _from_failure(kind, message)


def _from_failure(kind: str, message: str) -> tuple[Code, str] | None:
    code = (ERRNO.get(kind) or code_of_class(kind)) if kind else None
    if code is not None and code is not Code.INTERNAL:
        return code, f"exception {kind[:80]}"
    if is_defect(kind):
        return Code.INTERNAL, f"exception {kind[:80]}"
    phrase = _phrase_of(message) if message else None
    if phrase is not None:
        return phrase[0], "text"
    return None


def _phrase_of(text: str) -> tuple[Code, str] | None:
    """The code of the first standard phrase in a text, before the words with which somebody addresses the model."""
    phrase = code_of_phrase(text)
    order = injection_in(text) if phrase is not None else None
    return phrase if order is None else code_of_phrase(text.partition(order)[0])


def _from_marks(call: LogicalCall) -> tuple[Code, str] | None:
    """Classes and numbers first, over all marks; then the messages of exceptions and statuses."""
    marks = [mark for mark in call.marks if mark.meaning is Meaning.FAILED]
    for mark in marks:
        kind = class_of(mark)
        code = code_of_class(kind) if kind else None
        if code is not None and code is not Code.INTERNAL:
            return code, f"exception {kind[:80]}"
    for span in call.members:
        kind, message = failure_of(span)
        found = _from_failure(kind, message)
        if found is not None:
            return found
    return None


_CLASS_MARKS = frozenset({"error.type", "event.exception", "jsonrpc.error", "rpc.response.status_code"})


def class_of(mark: Mark) -> str:
    """The class name or number that a mark names; empty for marks that name none."""
    if mark.name not in _CLASS_MARKS:
        return ""
    value = mark.value.get("type") if isinstance(mark.value, dict) else mark.value
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _from_texts(call: LogicalCall, reading: Reading) -> tuple[Code, str] | None:
    value = reading.value
    number = code_of_http(value) if type(value) is int and 400 <= value < 600 else None
    if number is not None:
        return number, f"payload {value}"
    asked: set[str] = set()
    for text in _texts_of(call, reading):
        if text and text not in asked:
            asked.add(text)
            code = _from_text(text, call.arguments)
            if code is not None:
                return code, "text"
    return None


def _from_text(text: str, arguments: Any) -> Code | None:
    """The code that one text tells: by its mark, a code or class that it names, a phrase, a name at its end."""
    mark = mark_of(text)
    if mark is not None and is_defect(mark.text.rstrip(": ")):
        return Code.INTERNAL
    coded = coded_mark_of(text)
    classed = coded[1] if coded is not None else code_of_named_class(text)
    for code in (mark.code if mark is not None else None, classed):
        if code is not None and code is not Code.INTERNAL:
            return code
    phrase = _phrase_of(text)
    if phrase is not None:
        return phrase[0]
    named = code_of_class(text) if len(text) <= 80 and " " not in text else code_of_told_name(text)
    if named is not None and named is not Code.INTERNAL:
        return named
    if tells_of_a_spent_budget(text):
        return Code.RATE_LIMITED
    return Code.INVALID_ARGUMENT if refused_value(text, arguments) is not None else None


def _texts_of(call: LogicalCall, reading: Reading) -> Iterator[str | None]:
    """What is told of the failure, nearest first; each once looked up only if the one before tells no code."""
    value = reading.value
    yield reading.message
    yield value if isinstance(value, str) else None
    yield call.told
    yield from told_texts(value)
    for mark in call.marks:
        if mark.meaning is Meaning.FAILED and isinstance(mark.value, str):
            yield mark.value


def _from_keys(value: Any) -> tuple[Code, str] | None:
    """A filled list under a telling key, such as `{"success": false, "unsupported": ["colour"]}`."""
    if isinstance(value, dict):
        for key, inner in list(value.items())[:50]:
            if isinstance(inner, int) and key.lower().endswith(("status", "status_code", "statuscode", "error_code")):
                http = code_of_http(inner) if 400 <= inner < 600 else None
                if http is not None:
                    return http, f"key {key[:80]}"
            if isinstance(inner, list | dict) and inner and isinstance(key, str):
                code = code_of_class(key)
                if code is not None and code is not Code.INTERNAL:
                    return code, f"key {key[:80]}"
    return None


def _weak(call: LogicalCall, raised: Any) -> tuple[Code, str]:
    for span in [*([raised] if raised is not None else []), *call.members]:
        kind = failure_of(span)[0]
        if kind in _WEAK:
            return _WEAK[kind], f"exception {kind}"
    return Code.INTERNAL, "default"
