"""A short text that says that what was asked for was not done, held against the call and the kind of its tool."""

from __future__ import annotations

import re

from telltale.payload.asked.asking import asks_for_errors, is_document, is_repeated, names_a_file
from telltale.payload.asked.verbs import (
    Verb,
    names_a_removal,
    names_a_state,
    names_events,
    names_logs,
    names_output,
    names_speech,
    stops,
    verb_of,
)
from telltale.payload.reading import Asked
from telltale.payload.texts.deeds import denied_deed, failed_by_verb
from telltale.payload.texts.denials import (
    SHORT,
    absent_thing,
    could_not,
    failed_deed,
    failed_reading,
    gave_up,
    not_ready,
    refusal,
    refused_value,
    standard_text,
    unset_variable,
)
from telltale.payload.texts.fixed import refusing_form
from telltale.vocabulary import Code


def undone(text: str, asked: Asked) -> tuple[str, Code | None] | None:
    """A short text that begins by saying that it was not done; not of tools that examine, or hand out documents.

    A sentence bears no mark, so this never makes a failure visible: the call is a silent one, and only suspected. It
    stays because prose is one of the ways in which calls fail silently, and nothing else tells of it: of the 663
    silent failures in public reports and hold-outs it alone finds 40, at 2 false alarms among 1,509 healthy calls.
    What brought nothing there (`… not sent`) and phrases that no published interface fixes were taken out.
    """
    if len(text) > SHORT:
        return None
    verb = verb_of(asked.tool)
    if (
        names_logs(asked.tool)
        and not (names_events(asked.tool) and "\n" not in text.strip())
        and not _is_said_of_a_build(text, asked)
        and not failed_reading(text, asked.name, asked.arguments)
    ):
        return None
    if names_speech(asked.tool) and not failed_reading(text.strip().split("\n", 1)[0], asked.tool, asked.arguments):
        return None
    if verb is Verb.EXAMINE or is_document(text, asked):
        return None
    if is_repeated(text, asked.arguments) or asks_for_errors(asked):
        return None
    return _words_of(text, asked, verb)


def _is_said_of_a_build(text: str, asked: Asked) -> bool:
    """Whether one line says of a tool that builds, and hands out no log, that it failed: `Build failed: no target`."""
    return "\n" not in text.strip() and not names_output(asked.tool) and failed_deed(text) is not None


def _words_of(text: str, asked: Asked, verb: Verb) -> tuple[str, Code | None] | None:
    """The words that say so, with the code that they mean."""
    known = _told(text, asked, verb)
    if known is not None:
        return known
    deed = denied_deed(text, asked.tool) if verb is Verb.CHANGE else failed_by_verb(text, asked.tool)
    if deed is not None:
        return deed, None
    reads = verb is Verb.READ and names_a_file(asked)
    mark = could_not(text, looks_up=verb in (Verb.READ, Verb.UNKNOWN), reads=reads)
    labelled = _LABEL.match(text) if mark is None and verb is Verb.CHANGE else None
    mark = could_not(text[labelled.end() :], looks_up=False) if labelled is not None else mark
    warned = verb is Verb.UNKNOWN and text.lstrip()[:1] == "⚠"
    if mark is None and (
        warned or verb not in (Verb.READ, Verb.UNKNOWN) or (names_logs(asked.tool) and verb is not Verb.READ)
    ):
        mark = failed_deed(text)
    if mark is not None:
        return mark, None
    if verb is Verb.READ or names_a_removal(asked.tool):
        return None
    form = refusing_form(text) if verb in (Verb.CHANGE, Verb.RUN) else None
    if form is not None:
        return text.strip(), form
    return absent_thing(text, asked.arguments, acts=verb in (Verb.CHANGE, Verb.RUN))


_LABEL = re.compile(
    r"(?:[A-Z][\w-]{2,20} )?(?:[\w-]{2,20} ){0,2}(?:mis)?(?:match|failure|problem|conflict|violation|check): ", re.I
)
"""What a changing tool may say first of why it did nothing: `Guard mismatch: unable to find …`."""


def _told(text: str, asked: Asked, verb: Verb) -> tuple[str, Code | None] | None:
    """The forms that name their code themselves: not let, a refused value, an unset variable, a standard text."""
    barred = refusal(text) if verb is Verb.CHANGE else None
    if barred is not None:
        return barred, Code.PERMISSION_DENIED
    refused = refused_value(text, asked.arguments)
    if refused is not None:
        return refused, Code.INVALID_ARGUMENT
    unset = unset_variable(text, asked.arguments)
    if unset is not None:
        return unset, Code.PERMISSION_DENIED
    idle = (
        not_ready(text) if verb is not Verb.READ and not names_a_state(asked.tool) and not stops(asked.tool) else None
    )
    return standard_text(text) or idle or (None if names_a_state(asked.tool) else gave_up(text))
