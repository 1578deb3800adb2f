"""The payload rules over texts: an error mark at the very beginning, a masking sentence, a page, an exit code.

A sentence without a mark is no failure, however many dark words it holds. What a text says is HIDDEN: no program that
reads flags sees it.
"""

from __future__ import annotations

import re
from typing import Any

from telltale.payload.catalogues import masking_of, says_it_failed
from telltale.payload.codes import code_of, code_of_http
from telltale.payload.exits import is_answer
from telltale.payload.html import page_of
from telltale.payload.marks import mark_of, program_line_of, status_line_of, xml_error_of
from telltale.payload.phrases import code_of_phrase
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.shapes import REASON_PHRASES
from telltale.payload.validators import refused_argument
from telltale.payload.verbs import Verb, names_a_state, names_documents, names_logs, verb_of
from telltale.vocabulary import Code

_EXIT = re.compile(
    r"(?:\[(?:process )?exit(?:ed)?(?:[ _-]?(?:code|status))?(?: with)?(?: code| status)?\s?[:=]?\s?(?P<a>\d{1,3})\]"
    r"|\(?(?:command |process |program )?(?:exited with|exit|returned)(?: non-zero)?(?: exit)?[ -]?(?:code|status)"
    r"\s?[:=]?\s?(?P<b>\d{1,3})\)?\.?)\s*$",
    re.IGNORECASE,
)
_LOG_LINES = re.compile(r"^\s*(?:\S{1,40} ){0,3}(?:\[?(?:ERROR|Error|error|FATAL|WARN)\w*\]?)\b", re.MULTILINE)
_PHRASES = {phrase: status for phrase, status in REASON_PHRASES.items() if status not in (402, 404, 409, 410, 423, 426)}
"""Reason phrases that are no words of daily life: a text that is nothing else is the body of an error answer."""

_STATE_WORDS = frozenset(("error", "failed", "failure", "timeout", "timed out", "fail"))
_DOCUMENT_CAP = 500
_MASK_CAP = 120


def read_text(text: str, asked: Asked) -> list[Finding]:
    """The finding on a result that is one text: at most one."""
    if asked.content:
        return []
    first = text[:1]
    if first.isspace():
        first = text[:200].lstrip()[:1]
    if first in ("<", "\ufeff"):
        page = _page(text, asked) or _xml(text, asked)
        if page is not None:
            return [page]
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
    if names_documents(asked.tool) or _asks_for_a_page(asked.arguments):
        return None
    if page.kind == "sign_in":
        return Finding("text.html_sign_in", Says.HIDDEN, "", page.title, page.code)
    return Finding("text.html_page", Says.HIDDEN, "", page.title or "<html>", None)


def _xml(text: str, asked: Asked) -> Finding | None:
    if names_documents(asked.tool) or _names_a_file(asked):
        return None
    found = xml_error_of(text)
    return Finding("text.xml_error", Says.HIDDEN, "", found[0], found[1]) if found is not None else None


def _asks_for_a_page(arguments: Any) -> bool:
    """Whether the arguments name an address or a file, so that HTML may be what was asked for."""
    if isinstance(arguments, str):
        return "://" in arguments[:20]
    if not isinstance(arguments, dict):
        return False
    for key, inner in arguments.items():
        if isinstance(inner, str) and ("://" in inner[:20] or inner[-5:].lower() in (".html", ".htm")):
            return True
        if key in ("url", "uri", "href", "link", "urls", "html", "format") and inner:
            return True
    return False


def _word(text: str, asked: Asked) -> Finding | None:
    """A result that is one phrase of HTTP, or, of a tool that was to change something, one word for a failure."""
    low = text.strip(" \t\r\n.!\"'").lower()
    status = _PHRASES.get(low)
    if status is not None:
        return Finding("text.status_line", Says.HIDDEN, "", text.strip(), code_of_http(status))
    if low in _STATE_WORDS and verb_of(asked.tool) is Verb.CHANGE:
        return Finding("text.status_word", Says.HIDDEN, "", text.strip(), code_of(low.replace(" ", "_")))
    return None


def _masking(text: str, asked: Asked) -> Finding | None:
    entry = masking_of(text)
    if entry is None:
        return None
    code = code_of_phrase(text) if not entry.generic else None
    return Finding("text.masking", Says.HIDDEN, "", f"{entry.framework} {entry.version}", code[0] if code else None)


def _says_nothing(text: str, asked: Asked) -> Finding | None:
    """A text of which every word is a word for failing: a masking sentence of a framework that no list knows."""
    if len(text) > _MASK_CAP or names_a_state(asked.tool) or not says_it_failed(text, asked.tool):
        return None
    return Finding("text.says_nothing", Says.HIDDEN, "", text.strip())


def _error_mark(text: str, asked: Asked) -> Finding | None:
    mark = mark_of(text)
    if mark is None or mark.bare or _is_log(text, asked) or _is_document(text, asked):
        return None
    return Finding("text.error_mark", Says.HIDDEN, "", mark.text.strip()[:120], mark.code)


def _is_log(text: str, asked: Asked) -> bool:
    """Whether the text is a log: several lines that each begin with a level, so that a mark is a line of data.

    A tool that was to change something does not hand out logs: several errors of it are errors.
    """
    if "\n" not in text or (verb_of(asked.tool) in (Verb.CHANGE, Verb.UNKNOWN) and not names_logs(asked.tool)):
        return False
    return len(_LOG_LINES.findall(text[:4000])) >= 2 and "Traceback" not in text[:200]


def _is_document(text: str, asked: Asked) -> bool:
    """Whether the text may be a document that was asked for and happens to begin like an error: several lines of it."""
    if not names_documents(asked.tool) and not _names_a_file(asked):
        return False
    body = text.strip()
    return len(body) > _DOCUMENT_CAP or ("\n" in body and "Traceback" not in body and "\n    at " not in body)


def _names_a_file(asked: Asked) -> bool:
    arguments = asked.arguments
    return (
        isinstance(arguments, dict)
        and verb_of(asked.tool) is Verb.READ
        and any(key in arguments for key in ("path", "file", "file_path", "filePath", "filename", "url", "uri"))
    )


def _status_line(text: str, asked: Asked) -> Finding | None:
    found = status_line_of(text, REASON_PHRASES)
    return Finding("text.status_line", Says.HIDDEN, "", found[0], found[1]) if found is not None else None


def _program_line(text: str, asked: Asked) -> Finding | None:
    found = program_line_of(text)
    return Finding("text.error_mark", Says.HIDDEN, "", found[0], found[1]) if found is not None else None


def _validator(text: str, asked: Asked) -> Finding | None:
    name = refused_argument(text, asked.tool, asked.arguments)
    if name is None:
        return None
    return Finding("text.validator", Says.HIDDEN, "", text[:120], Code.INVALID_ARGUMENT)


def _exit_code(text: str, asked: Asked) -> Finding | None:
    tail = text[-160:]
    if "xit" not in tail and "XIT" not in tail and "returned" not in tail:
        return None
    last = tail.rstrip().rsplit("\n", 1)[-1].strip()
    hit = _EXIT.fullmatch(last) or (_EXIT.search(last) if len(text) <= 160 and last[-1:] in "])" else None)
    if hit is None:
        return None
    code = int(hit.group("a") or hit.group("b"))
    if code == 0:
        return None
    reads = verb_of(asked.tool) is Verb.READ and not _has_command(asked.arguments)
    says = Says.ANSWER if reads or is_answer(asked.arguments, code) else Says.HIDDEN
    return Finding("text.exit_code", says, "", hit.group(0))


def _has_command(arguments: Any) -> bool:
    return isinstance(arguments, dict) and any(key in arguments for key in ("command", "cmd", "script", "code"))


_RULES = (_masking, _says_nothing, _error_mark, _status_line, _program_line, _validator, _exit_code)
