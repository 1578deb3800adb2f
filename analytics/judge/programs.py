"""Programs that a call ran: whether the result hides how one of them ended."""

from __future__ import annotations

from typing import Any

from analytics.judge.attempts import PROCESS, Attempt, number_of, was_killed
from analytics.judge.case import Case
from telltale.payload import Says
from telltale.payload.asked.verbs import Verb, verb_of
from telltale.payload.texts.exits import exit_told, is_answer, reports_findings


def is_of_a_runner(case: Case, attempt: Attempt) -> bool:
    """Whether a program ended badly below a tool that runs or examines, whose result mostly speaks of just that, or
    whose result tells an exit code."""
    if attempt.system != PROCESS:
        return False
    return verb_of(case.asked.tool) in (Verb.RUN, Verb.EXAMINE) or exit_told(case.reading.value) is not None


def is_contradicted(case: Case, attempt: Attempt) -> bool:
    """Whether the result hides how the program ended: it was killed or ran out of time, or the result says exit 0."""
    if was_killed(attempt.span):
        return True
    told = exit_told(case.reading.value)
    hidden = told is None and case.reading.finding(Says.SUCCESS) is not None and not _tells_findings(case.reading.value)
    verb = verb_of(case.asked.tool)
    return (told == 0 and verb is not Verb.EXAMINE) or (hidden and verb is Verb.RUN)


def _tells_findings(value: Any) -> bool:
    """Whether a text of the result counts what a checker found, as a program that found something ends with 1."""
    texts = value.values() if isinstance(value, dict) else (value,)
    return any(isinstance(text, str) and reports_findings(text) for text in texts)


def hidden_exit(case: Case) -> int | None:
    """The exit code other than 0 on a runner's own span, of which its result tells nothing or the contrary."""
    codes = (number_of(member.attributes.get("process.exit.code")) for member in case.call.members)
    code = next(filter(None, codes), None)
    if code is None or verb_of(case.asked.tool) is not Verb.RUN or exit_told(case.reading.value):
        return None
    text = case.reading.value if isinstance(case.reading.value, str) else ""
    return None if is_answer(case.asked.arguments, code) or reports_findings(text) else code
