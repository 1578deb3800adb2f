"""Exceptions as runtimes and libraries write them out: a class and a message, a stack, Node's and Jupyter's keys."""

from __future__ import annotations

import re
from typing import Any

from telltale.payload.asked.verbs import Verb, names_errors, verb_of
from telltale.payload.codes.infer import ERRNO, code_of_class
from telltale.payload.objects.evidence import code_inside, short
from telltale.payload.objects.fields import Fields, Role
from telltale.payload.reading import Asked, Finding, Says
from telltale.vocabulary import Code

_ABOUT_ERRORS = frozenset(("stack", "message", "code", "status"))
_EXCEPTION_KEYS = ("exceptionType", "ExceptionType", "exception_type", "exceptionMessage", "ExceptionMessage")


def written_exception(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """The finding on an object that is an exception; None for every other."""
    frames = _stack_frames(value)
    if frames is not None and (fields.has(Role.MESSAGE) or "localizedMessage" in value):
        return _finding(frames, short(value.get("message")), code_inside(value))
    name = value.get("name")
    written = isinstance(name, str) and name.endswith(("Error", "Exception")) and not _ABOUT_ERRORS.isdisjoint(value)
    if written and (fields.substance <= 1 or not (names_errors(asked.tool) or verb_of(asked.tool) is Verb.READ)):
        return _finding("name", str(name)[:200], code_of_class(str(name)))
    return _by_its_keys(value, fields) or of_a_runtime(value, fields)


def _finding(key: str, value: Any, code: Code | None) -> Finding:
    return Finding("payload.error_object", Says.FAILED, key, value, code)


def _by_its_keys(value: dict[str, Any], fields: Fields) -> Finding | None:
    """`{"exceptionType": "…", "message": "…"}`, and nothing of substance beside."""
    thrown = sum(1 for key in _EXCEPTION_KEYS if key in value)
    if not thrown or fields.substance > thrown:
        return None
    for key in _EXCEPTION_KEYS:
        inner = value.get(key)
        if isinstance(inner, str) and inner and (fields.substance == 1 or fields.has(Role.MESSAGE)):
            return _finding(key, inner[:200], code_of_class(inner))
    return None


def of_a_runtime(value: dict[str, Any], fields: Fields) -> Finding | None:
    """Jupyter's `ename` and `evalue`, Node's `code` and `syscall`, a bare stack."""
    name = value.get("ename")
    if isinstance(name, str) and "evalue" in value:
        return _finding("ename", name[:200], code_of_class(name))
    code = value.get("code")
    if isinstance(code, str) and code in ERRNO and isinstance(value.get("syscall"), str):
        return _finding("code", code, ERRNO[code])
    stack = value.get("stack")
    if isinstance(stack, str) and not fields.substance and _STACK.match(stack) is not None:
        return _finding("stack", stack.split("\n", 1)[0][:200], None)
    return None


_STACK = re.compile(r"\w{0,60}(?:Error|Exception)\b[^\n]{0,300}\n\s{1,8}at ")


def _stack_frames(value: dict[str, Any]) -> str | None:
    """The key under which an exception was written out with its stack frames (`{"stackTrace": [{"className", …}]}`)."""
    for key in ("stackTrace", "stacktrace", "stack_trace"):
        inner = value.get(key)
        if isinstance(inner, list) and inner and isinstance(inner[0], dict) and not _FRAME.isdisjoint(inner[0]):
            return key
    return None


_FRAME = frozenset(("className", "methodName", "lineNumber", "fileName", "filename", "lineno"))
