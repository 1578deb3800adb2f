"""The rules over error marks: where a text begins with one, and whether that is the call's own error."""

from __future__ import annotations

import re

from telltale.payload.asked.asking import (
    asks_for_errors,
    has_command,
    is_document,
    is_echo,
    is_log,
    is_repeated,
    names_a_file,
    names_a_value,
)
from telltale.payload.asked.verbs import (
    Verb,
    asks_whether,
    names_documents,
    names_logs,
    names_speech,
    tells_of_incidents,
    verb_of,
)
from telltale.payload.codes.phrases import code_of_phrase
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.texts.dressed import coded_mark_of, cross_mark_of, headed_mark_of, level_mark_of, titled_mark_of
from telltale.payload.texts.exits import shows_text
from telltale.payload.texts.marks import mark_of

_PERSONS = ("there ", "i ", "we ", "it ")
_HEADINGS = ("#", "✅", "✔", "✓", "☑", "⚠")


def _headed(text: str, asked: Asked) -> Finding | None:
    """A mark below a harness's heading, or the heading `# Error` of a text that is no document."""
    headed = headed_mark_of(text)
    if headed is not None:
        return Finding("text.error_mark", Says.HIDDEN, "", headed.text.strip()[:120], headed.code)
    titled = None if names_documents(asked.tool) or names_a_file(asked) else titled_mark_of(text)
    if titled is None or asks_for_errors(asked) or verb_of(asked.tool) is Verb.EXAMINE:
        return None
    return Finding("text.error_mark", Says.HIDDEN, "", titled)


def _in_an_element(text: str) -> Finding | None:
    """`Contents of …:` and below it nothing but `<error>…</error>`, as MCP's own fetch server writes it."""
    hit = _ELEMENT.fullmatch(text.strip()) if text.rstrip()[-8:] == "</error>" and len(text) <= _ELEMENT_CAP else None
    if hit is None:
        return None
    said = code_of_phrase(hit.group(1))
    return Finding("text.error_mark", Says.HIDDEN, "", hit.group(1).strip()[:120], said[0] if said else None)


_ELEMENT_CAP = 2_000
_ELEMENT = re.compile(r"[^\n<]{1,400}\n{1,2}<error>([^<]{1,1000})</error>")


def error_mark(text: str, asked: Asked) -> Finding | None:
    """A mark at the beginning, unless the text is a log, a document or what the caller had sent, or tells of others."""
    headed = _headed(text, asked) if text[:1] in _HEADINGS else _in_an_element(text)
    if headed is not None:
        return headed
    mark = mark_of(text)
    if mark is not None and _is_told(mark.text.lower(), text, asked):
        return None
    if mark is None or mark.bare or is_log(text, asked) or is_document(text, asked):
        return None
    if asks_for_errors(asked) or is_repeated(text, asked.arguments) or is_echo(mark.text, asked.arguments):
        return None
    if mark.text[:1].isupper() and has_command(asked.arguments) and shows_text(asked.arguments, text):
        return None
    return Finding("text.error_mark", Says.HIDDEN, "", mark.text.strip()[:120], mark.code)


def cross(text: str, asked: Asked) -> Finding | None:
    """One line that begins with a cross, of a tool that neither reads nor examines: there a cross is a finding."""
    if verb_of(asked.tool) not in (Verb.CHANGE, Verb.UNKNOWN) or names_logs(asked.tool):
        return None
    line = cross_mark_of(text)
    return Finding("text.error_mark", Says.HIDDEN, "", line[:120]) if line is not None else None


def coded(text: str, asked: Asked) -> Finding | None:
    """A known code in capitals at the beginning."""
    found = coded_mark_of(text)
    if found is None or is_log(text, asked) or is_document(text, asked) or is_echo(found[0], asked.arguments):
        return None
    return Finding("text.error_mark", Says.HIDDEN, "", found[0], found[1])


def _is_told(mark: str, text: str, asked: Asked) -> bool:
    """Whether a mark is a sentence in what somebody tells: of what went wrong some day, not of the call."""
    if names_speech(asked.tool):
        letter = text.strip().count("\n\n") >= _PARAGRAPHS and "Traceback" not in text
        return letter or mark.startswith(_PERSONS) or text.rstrip().lower().endswith(f"({mark})")
    return " failed " in mark and tells_of_incidents(asked.tool)


_PARAGRAPHS = 2
"""Blank lines of a letter; what a program says of its failure has fewer, but for a stack."""


def level(text: str, asked: Asked) -> Finding | None:
    """One line with a level in brackets; of a tool that hands out texts, only where it speaks of what was asked for."""
    mark = level_mark_of(text) if "[" in text[:4] else None
    if mark is None or names_logs(asked.tool) or is_repeated(text, asked.arguments) or asks_for_errors(asked):
        return None
    note = mark == text.strip()  # of a harness, and no line of a document
    pages = names_documents(asked.tool) and not asks_whether(asked.tool)  # what a search found is no line alone
    texts = names_speech(asked.tool) or ((pages or names_a_file(asked)) and not note)
    if texts and not names_a_value(text, asked.arguments):
        return None
    return Finding("text.error_mark", Says.HIDDEN, "", mark)
