"""The payload rules over texts: an error mark at the very beginning, a masking sentence, a page, an exit code.

A sentence without a mark is no failure, however many dark words it holds. What a text says is HIDDEN: no program that
reads flags sees it.
"""

from __future__ import annotations

import re

from telltale.payload.asked.asking import (
    asks_for_a_page,
    asks_for_errors,
    has_command,
    is_asked_about,
    is_document,
    is_log,
    is_repeated,
    names_a_file,
)
from telltale.payload.asked.verbs import (
    Verb,
    names_a_state,
    names_a_wait,
    names_documents,
    names_logs,
    names_speech,
    verb_of,
)
from telltale.payload.codes.budgets import says_only_that_it_is_spent
from telltale.payload.codes.infer import REASON_PHRASES, code_of, code_of_http
from telltale.payload.codes.phrases import code_of_phrase
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.texts.bare import bare_text
from telltale.payload.texts.catalogues import masking_of, says_it_failed
from telltale.payload.texts.ended import stop_line_of
from telltale.payload.texts.exits import command_of, shows_text
from telltale.payload.texts.fixed import phrase_abroad
from telltale.payload.texts.html import challenge_of, page_of
from telltale.payload.texts.lines import (
    empty_for_a_status,
    status_line_of,
)
from telltale.payload.texts.marked import coded, cross, error_mark, level
from telltale.payload.texts.named import denies_tool, failing_tool
from telltale.payload.texts.programs import exit_code, program_line, uncaught
from telltale.payload.texts.runtime import runtime_message, several_messages
from telltale.payload.texts.timeouts import closing_line, ran_out_of_time
from telltale.payload.texts.undone import undone
from telltale.payload.texts.validators import refused_argument
from telltale.payload.texts.xmlerror import xml_error_of
from telltale.vocabulary import Code

_PHRASES = {phrase: status for phrase, status in REASON_PHRASES.items() if status not in (402, 404, 409, 410, 423, 426)}
"""Reason phrases that are no words of daily life: a text that is nothing else is the body of an error answer."""

_STATE_WORDS = frozenset(("error", "failed", "failure", "timeout", "timed out", "fail"))
_ENDINGS = frozenset(("killed", "terminated", "aborted", "bus error"))
"""What a shell prints of a program that a signal ended."""

_MASK_CAP = 120


def read_text(text: str, asked: Asked) -> list[Finding]:
    """The finding on a result that is one text: at most one."""
    if asked.content:
        return []
    text = bare_text(text, asked.name)
    first = text[:1]
    if first.isspace():
        first = text[:200].lstrip()[:1]
    if first in ("<", "\ufeff"):
        page = _page(text, asked) or _xml(text, asked)
        if page is not None:
            return [page]
    blocked = challenge_of(text) if not names_speech(asked.tool) else None
    if blocked is not None:
        return [Finding("text.html_error_page", Says.HIDDEN, "", *blocked)]
    if len(text) <= 40:
        found = _word(text, asked)
        if found is not None:
            return [found]
    for rule in _RULES:
        found = rule(text, asked)
        if found is not None:
            return [found]
    return []


def _page(text: str, asked: Asked) -> Finding | None:
    page = page_of(text)
    if page is None:
        return None
    if page.kind == "error":
        return Finding("text.html_error_page", Says.HIDDEN, "", page.title, page.code)
    if names_documents(asked.tool) or asks_for_a_page(asked.arguments):
        return None
    if page.kind == "sign_in":
        return Finding("text.html_sign_in", Says.HIDDEN, "", page.title, page.code)
    return Finding("text.html_page", Says.HIDDEN, "", page.title or "<html>", None)


def _xml(text: str, asked: Asked) -> Finding | None:
    if names_documents(asked.tool) or names_a_file(asked):
        return None
    found = xml_error_of(text)
    return Finding("text.xml_error", Says.HIDDEN, "", found[0], found[1]) if found is not None else None


def _word(text: str, asked: Asked) -> Finding | None:
    """A result that is one phrase of HTTP, or, of a tool that was to change something, one word for a failure."""
    low = text.strip(" \t\r\n.!\"'").lower()
    status = _PHRASES.get(low)
    code = code_of_http(status) if status is not None else phrase_abroad(low)
    if code is not None and not _is_rendered(asked):
        return Finding("text.status_line", Says.HIDDEN, "", text.strip(), code)
    ended = low in _ENDINGS and has_command(asked.arguments)
    if ended and not shows_text(asked.arguments, text) and not is_repeated(text, asked.arguments):
        return Finding("text.status_word", Says.HIDDEN, "", text.strip())
    acts = verb_of(asked.tool) is Verb.CHANGE and not is_repeated(text, asked.arguments)
    if low in _STATE_WORDS and acts:
        return Finding("text.status_word", Says.HIDDEN, "", text.strip(), code_of(low.replace(" ", "_")))
    return None


def _is_rendered(asked: Asked) -> bool:
    """Whether a translator was given a text as short as a phrase of HTTP, so that the phrase may be the translation."""
    given = asked.arguments.values() if isinstance(asked.arguments, dict) else ()
    return "translat" in asked.tool.lower() and any(
        isinstance(value, str) and _SHORTEST_PHRASE <= len(value) <= 40 for value in given
    )


_SHORTEST_PHRASE = 6
"""Longer than the names of languages that are sent with a text."""


def _masking(text: str, asked: Asked) -> Finding | None:
    entry = masking_of(text)
    if entry is None:
        return None
    code = code_of_phrase(text) if not entry.generic else None
    return Finding("text.masking", Says.HIDDEN, "", f"{entry.framework} {entry.version}", code[0] if code else None)


def _says_nothing(text: str, asked: Asked) -> Finding | None:
    """A text of which every word is a word for failing: a masking sentence of a framework that no list knows."""
    if len(text) > _MASK_CAP or names_a_state(asked.tool) or not says_it_failed(text, asked.name):
        return None
    return Finding("text.says_nothing", Says.HIDDEN, "", text.strip())


def _timed_out(text: str, asked: Asked) -> Finding | None:
    """A text that says that the call took too long; of a tool that waits or examines, it is one of its answers."""
    answers = names_a_wait(asked.tool) or names_a_state(asked.tool) or verb_of(asked.tool) is Verb.EXAMINE
    if (answers and f"'{asked.name}'" not in text) or _is_rendered(asked):  # one that names the tool is its framework's
        return None
    said = text if ran_out_of_time(text, asked.name) else closing_line(text)
    if said is None or is_repeated(text, asked.arguments) or is_asked_about(text, asked):
        return None
    if said is not text and (names_documents(asked.tool) or names_logs(asked.tool) or not _ran_out(said, asked)):
        return None
    return Finding("text.timed_out", Says.HIDDEN, "", said.strip(), Code.UNAVAILABLE)


def _ran_out(line: str, asked: Asked) -> bool:
    return ran_out_of_time(line, asked.name) and (has_command(asked.arguments) or verb_of(asked.tool) is Verb.RUN)


def _is_article(text: str, asked: Asked) -> bool:
    """Whether a page that was asked for has so much below its heading that it is one about a status."""
    return asks_for_a_page(asked.arguments) and len(text.partition("\n\n")[2]) >= _PROSE


_PROSE = 120


def _status_line(text: str, asked: Asked) -> Finding | None:
    found = status_line_of(text, REASON_PHRASES) or empty_for_a_status(text)
    if found is None or (found[0][:1].isdigit() and _is_article(text, asked)):
        return None
    line, code = found
    if _is_head_asked_for(text, asked) or _is_about_number(line, asked):
        return None
    if code is Code.PERMISSION_DENIED:  # several services answer 403 to one who asks too often, and say so
        said = code_of_phrase(text)
        code = said[0] if said is not None and said[0] is Code.RATE_LIMITED else code
    return Finding("text.status_line", Says.HIDDEN, "", line, code)


_HEADERS_SHOWN = re.compile(r"\b(?:curl|wget|xh|https?)\b.*\s(?:-\w*[iI]\w*|--head|--include|-S|--server-response)\b")


_COMMAND_CAP = 300


def _is_head_asked_for(text: str, asked: Asked) -> bool:
    """Whether a command was to show the head of an answer (`curl -I`), so that its status is what was asked for."""
    return text[:5] == "HTTP/" and _HEADERS_SHOWN.search(command_of(asked.arguments)[:_COMMAND_CAP]) is not None


def _is_about_number(line: str, asked: Asked) -> bool:
    """Whether the caller had named the status with which a text begins: what does 503 mean?"""
    number = line[:3]
    given = list(asked.arguments.values())[:20] if isinstance(asked.arguments, dict) else []
    return number.isdigit() and any(str(value) == number for value in given)


def _tool_named(text: str, asked: Asked) -> Finding | None:
    """A text that says of the call's own tool that it failed or is not known."""
    if not asked.name:
        return None
    if denies_tool(text, asked.name):
        return Finding("text.tool_named", Says.HIDDEN, "", text.strip()[:120], Code.NOT_FOUND)
    failing = failing_tool(text, asked.name) if verb_of(asked.tool) is not Verb.EXAMINE else None
    if failing is None or is_log(text, asked) or is_asked_about(text, asked):
        return None
    return Finding("text.tool_named", Says.HIDDEN, "", failing[:120])


def _runtime(text: str, asked: Asked) -> Finding | None:
    """The message of an exception alone; not of tools that examine, or hand out what people or programs said."""
    if len(text) > _RUNTIME_CAP or verb_of(asked.tool) is Verb.EXAMINE:
        return None
    found = runtime_message(text) or several_messages(text)
    if found is None or names_logs(asked.tool) or names_speech(asked.tool) or asks_for_errors(asked):
        return None
    if is_repeated(text, asked.arguments) or is_document(text, asked):
        return None
    return Finding("text.runtime_message", Says.HIDDEN, "", found[0], found[1])


_RUNTIME_CAP = 400


def _could_not(text: str, asked: Asked) -> Finding | None:
    """A short text that begins by saying that it was not done: silent, and only suspected (see `undone`)."""
    found = undone(text, asked)
    return Finding("text.could_not", Says.HIDDEN, "", found[0][:120], found[1]) if found is not None else None


def _validator(text: str, asked: Asked) -> Finding | None:
    name = refused_argument(text, asked.name, asked.arguments)
    if name is None:
        return None
    return Finding("text.validator", Says.HIDDEN, "", text[:120], Code.INVALID_ARGUMENT)


def _limit_reached(text: str, asked: Asked) -> Finding | None:
    stop = stop_line_of(text) if verb_of(asked.tool) not in (Verb.READ, Verb.EXAMINE) else None
    if stop is not None:
        return Finding("payload.stopped_early", Says.HIDDEN, "", stop[0], stop[1])
    if not says_only_that_it_is_spent(text) or names_speech(asked.tool):
        return None
    return Finding("text.limit_reached", Says.HIDDEN, "", text.strip(), Code.RATE_LIMITED)


_RULES = (
    *(_masking, _says_nothing, _tool_named, error_mark, level, coded, cross, _timed_out),
    _limit_reached,
    *(_status_line, _runtime, program_line, _validator, exit_code, uncaught, _could_not),
)
