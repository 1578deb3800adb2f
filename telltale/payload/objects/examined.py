"""What tools that examine found: verdicts, counts and lists of findings, which are answers and no failures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from telltale.payload.asked.trials import names_a_trial
from telltale.payload.asked.verbs import Verb, names_failed_tests, verb_of
from telltale.payload.objects.evidence import code_inside
from telltale.payload.objects.fields import Fields, Role, is_truthy_error, role_of
from telltale.payload.reading import Asked
from telltale.payload.texts.exits import reports_findings
from telltale.payload.words import words


def is_a_verdict(errors: Any, fields: Fields, asked: Asked) -> bool:
    """Whether errors are what an examining tool found: no flag beside them, or `ok` and no code of a failure."""
    if verb_of(asked.tool) is not Verb.EXAMINE:
        return False
    first = errors[0] if isinstance(errors, list) and errors else errors
    return all(key.lower() in VERDICTS for key, _ in fields.get(Role.GOOD)) and (
        not fields.has(Role.GOOD) or code_inside(first) is None
    )


VERDICTS = ("ok", "is_ok", "isok")
"""Flags, in lower case, with which examining tools answer yes or no."""


def denies_the_look(fields: Fields, asked: Asked) -> bool:
    """Whether a tool that was to look something up only denies: `{"ok": false, "error": "unknown sku"}`.

    Of what tries something out, the same is the answer: the flag is false of what was tried.
    """
    denied = any(inner is False for _, inner in fields.get(Role.GOOD)) and not fields.substance
    return denied and any(is_truthy_error(e) for _, e in fields.get(Role.ERROR)) and not names_a_trial(asked.tool)


def counts_failed_tests(value: dict[str, Any]) -> bool:
    """Whether an object reports on a run of tests of which some failed: `{"success": false, "numFailedTests": 1}`."""
    return any(type(inner) is int and inner > 0 and names_failed_tests(str(key)) for key, inner in value.items())


def names_what_failed(value: dict[str, Any]) -> bool:
    """Whether an object lists or counts what failed in work that was looked up: `failed_checks: ["lint"]`."""
    return any(
        "fail" in str(key).lower() and role_of(key) is None and bool(inner) and isinstance(inner, int | list)
        for key, inner in value.items()
    )


def counts_findings(value: dict[str, Any], fields: Fields, asked: Asked) -> bool:
    """Whether an examining tool says no and counts what it found, with no word of an error (`passed: 9, failed: 2`)."""
    if verb_of(asked.tool) is not Verb.EXAMINE or fields.has(Role.MESSAGE):
        return False
    beside = [
        *(value[key] for key in fields.keys),
        *(n for role in (Role.BAD, Role.ERRORS) for _, n in fields.get(role)),
    ]
    tables = (value[key] for key in _SUMMARIES if isinstance(value.get(key), dict))
    return any(len(counts) >= 2 and any(counts) for counts in map(_counts_in, (beside, *(t.values() for t in tables))))


def _counts_in(values: Iterable[Any]) -> list[int]:
    return [inner for inner in values if type(inner) is int]


_SUMMARIES = ("statistics", "stats", "summary", "counts", "totals")


def gives_a_verdict(value: dict[str, Any], asked: Asked) -> bool:
    """Whether an examining tool answers with yes or no: `{"reachable": false, "error": "timeout"}`."""
    if verb_of(asked.tool) is not Verb.EXAMINE:
        return False
    return any(
        (isinstance(inner, bool) and role_of(key) in (None, Role.GOOD)) or (key in _STATES and _is_a_state(inner))
        for key, inner in value.items()
    )


_STATES = ("status", "state", "health")
_WORDS_OF_STATES = words(
    "up down online offline reachable unreachable healthy unhealthy degraded open closed alive dead"
)


def _is_a_state(inner: Any) -> bool:
    """Whether a value says how a thing that was looked at is: `{"status": "down", "error": "connection refused"}`."""
    return isinstance(inner, str) and inner.lower() in _WORDS_OF_STATES


def has_findings(fields: Fields) -> bool:
    """Whether a checker's streams, where it hands any out, hold findings: with 1 checkers say that there are some."""
    streams = [inner for _, inner in fields.get(Role.STREAM)]
    return not streams or any(isinstance(inner, str) and reports_findings(inner) for inner in streams)
