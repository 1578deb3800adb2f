"""The rules over what programs print: a program's own line, an exception at the end, an exit code."""

from __future__ import annotations

from telltale.payload.asked.asking import has_command, is_document, is_log
from telltale.payload.asked.verbs import Verb, names_documents, verb_of
from telltale.payload.codes.infer import code_of_class
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.texts.builds import failed_build
from telltale.payload.texts.exits import (
    command_of,
    cut_short,
    exit_named,
    exit_stated,
    is_answer,
    reports_findings,
    shows_text,
)
from telltale.payload.texts.lines import last_error_of, program_line_of, refusing_reply_of, shell_record_of
from telltale.payload.texts.marks import uncaught_of
from telltale.vocabulary import Code

_OUTPUT = "\nOutput:\n"
"""The label under which a harness prints what the program said."""


def program_line(text: str, asked: Asked) -> Finding | None:
    found: tuple[str, Code | None] | None = program_line_of(text)
    if found is None and verb_of(asked.tool) is not Verb.READ and not is_document(text, asked):
        found = shell_record_of(text) or refusing_reply_of(text)
    if found is None and _OUTPUT in text[:200] and (has_command(asked.arguments) or verb_of(asked.tool) is Verb.RUN):
        found = program_line_of(text.partition(_OUTPUT)[2])
    return Finding("text.error_mark", Says.HIDDEN, "", found[0], found[1]) if found is not None else None


def uncaught(text: str, asked: Asked) -> Finding | None:
    """The output of a program that a tool ran, where it ends with an exception, or of a change, with an error."""
    runs = has_command(asked.arguments) or verb_of(asked.tool) is Verb.RUN
    if runs and shows_text(asked.arguments, text):
        return None
    found = (uncaught_of(text) or failed_build(text, command_of(asked.arguments))) if runs else None
    if found is None and _shows_its_last_line(asked) and not is_log(text, asked):
        last = last_error_of(text)
        found = (last, None) if last is not None else None
    return Finding("text.error_mark", Says.HIDDEN, "", found[0], found[1]) if found is not None else None


def _shows_its_last_line(asked: Asked) -> bool:
    """Whether a tool of this name hands on what a program printed while it changed something, not texts to read."""
    return verb_of(asked.tool) is Verb.CHANGE and not names_documents(asked.tool)


def exit_code(text: str, asked: Asked) -> Finding | None:
    runs = has_command(asked.arguments) or verb_of(asked.tool) is Verb.RUN
    found = exit_stated(text, runs)
    ended = cut_short(text) if runs and not shows_text(asked.arguments, text) else None
    if found is None and ended is not None:
        return Finding("text.exit_code", Says.HIDDEN, "", ended, Code.UNAVAILABLE if "time" in ended else None)
    named = exit_named(text) if found is None else None
    if named is not None:
        return Finding("text.exit_code", Says.HIDDEN, "", named[0], code_of_class(named[1]))
    if found is None or found[1] == 0:
        return None
    excerpt, code = found
    verb = verb_of(asked.tool)
    examined = verb is Verb.EXAMINE and code == 1
    answers = (verb is Verb.READ or examined) and not has_command(asked.arguments)
    if answers and code == 1 and text.strip() == excerpt:
        return None  # nothing else is told: no answer, and no failure either unless the span says so
    answers = answers or (examined and reports_findings(text)) or is_answer(asked.arguments, code)
    return Finding("text.exit_code", Says.ANSWER if answers else Says.HIDDEN, "", excerpt)
