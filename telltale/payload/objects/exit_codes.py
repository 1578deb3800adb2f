"""What a program ended with: beside what it printed, among its notes, or in the data of a sole result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from telltale.payload.asked.asking import has_command
from telltale.payload.asked.verbs import Verb, has_word, names_a_state, names_output, verb_of
from telltale.payload.objects.evidence import code_inside
from telltale.payload.objects.examined import gives_a_verdict, has_findings
from telltale.payload.objects.fields import ERROR_WORDS, Fields, Role, fields_of
from telltale.payload.objects.records import is_looked_up
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.texts.exits import is_answer
from telltale.payload.words import words

_NO_CODES: list[tuple[str, Any]] = []
_DIFFERENT = 2
"""With this programs end that compare, and tell a difference from a trouble of their own."""


_COMPARISONS = words("plan diff drift compare")


def exit_code(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """A process result (`stdout` or `stderr` beside it), not a job's record that was polled."""
    codes = fields.get(Role.CODE) if fields.has(Role.STREAM) and not fields.has(Role.EXIT) else _NO_CODES
    for key, inner in (*fields.get(Role.EXIT), *codes):
        if isinstance(inner, str) and inner.lower() in ERROR_WORDS and not is_looked_up(fields, asked):
            return Finding("payload.status_error", Says.FAILED, key, inner, code_inside(None, fields))
        if not isinstance(inner, int) or isinstance(inner, bool) or inner == 0:
            continue
        runs = fields.has(Role.STREAM) or "output" in value or verb_of(asked.tool) is Verb.RUN
        examined = verb_of(asked.tool) is Verb.EXAMINE
        tested = examined and (
            (inner == 1 and has_findings(fields)) or (inner == _DIFFERENT and gives_a_verdict(value, asked))
        )
        polled = names_output(asked.tool) and (verb_of(asked.tool) is not Verb.RUN or not has_command(asked.arguments))
        compared = inner == _DIFFERENT and has_word(asked.tool, _COMPARISONS) and not value.get("stderr")
        if not runs or tested or compared or polled or names_a_state(asked.tool) or is_looked_up(fields, asked):
            return Finding("payload.exit_code", Says.ANSWER, key, inner)
        says = Says.ANSWER if is_answer(asked.arguments, inner) else Says.FAILED
        return Finding("payload.exit_code", says, key, inner)
    return None


def exit_aside(value: dict[str, Any], asked: Asked) -> Finding | None:
    """`{"output": "…", "metadata": {"exit_code": 2}}`: the code is told beside what the program printed."""
    for name, held in _asides(value):
        for key, inner in fields_of(held).get(Role.EXIT):
            runs = verb_of(asked.tool) is Verb.RUN or has_command(asked.arguments)
            if type(inner) is int and inner != 0 and runs and not is_answer(asked.arguments, inner):
                return Finding("payload.exit_code", Says.FAILED, f"{name}.{key}", inner)
    return None


def _asides(value: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Where what a program ended with stands when it is not beside its output: notes, and the data of a sole result."""
    for name in ("metadata", "meta", "details") if "output" in value or "content" in value else ():
        if isinstance(value.get(name), dict):
            yield name, value[name]
    results = value.get("results")
    if isinstance(results, list) and len(results) == 1 and isinstance(results[0], dict):
        for name in ("data", "result", "output"):
            held = results[0].get(name)
            if isinstance(held, dict):
                yield f"results.{name}", held
