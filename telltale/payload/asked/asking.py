"""What a call asked for, as far as it excuses a text that looks like a failure: a log, a document, an echo of its own.

Each function looks at the tool's name and the arguments, and at most at where the text's lines begin.
"""

from __future__ import annotations

import re
from typing import Any

from telltale.payload.asked.verbs import (
    Verb,
    names_a_log,
    names_a_rehearsal,
    names_documents,
    names_errors,
    names_events,
    names_logs,
    names_the_deed,
    verb_of,
)
from telltale.payload.codes.phrases import code_of_phrase
from telltale.payload.objects.evidence import told_texts
from telltale.payload.reading import Asked
from telltale.payload.texts.exits import shows_text
from telltale.payload.texts.marks import bears_mark
from telltale.payload.texts.named import names_compound
from telltale.payload.words import holds_any
from telltale.vocabulary import Code

_LOG_LINES = re.compile(
    r"^[ \t]*(?:\S{1,40} ){0,3}(?:(?:ERROR|FATAL|WARN)\w*\b|\[(?:Error|error|warn)\w*\]|(?:Error|error)\b(?=:))",
    re.MULTILINE,
)
_DOCUMENT_CAP = 500


def is_log(text: str, asked: Asked) -> bool:
    """Whether the text is a log: several lines that each begin with a level, so that a mark is a line of data.

    A tool that was to change something does not hand out logs: several errors of it are errors.
    """
    lines = "\n" in text.strip()
    if names_logs(asked.tool) and verb_of(asked.tool) is Verb.READ:
        # A calendar's events are no log: of them one line is data only where it begins as a log's would.
        return lines or not names_events(asked.tool) or text.lstrip()[:6].lower() == "error:"
    if has_command(asked.arguments) and not shows_text(asked.arguments, text):
        return False  # what a command printed of itself
    if not lines or (verb_of(asked.tool) in (Verb.CHANGE, Verb.UNKNOWN) and not names_logs(asked.tool)):
        return False
    if names_a_log(asked.tool):
        return True
    if not names_logs(asked.tool) and not names_a_file(asked) and _are_all_errors(text.strip()):
        return False
    heading = text[:200].lstrip().split("\n", 1)[0].rstrip()
    return len(_LOG_LINES.findall(text[:4000])) >= 2 and "Traceback" not in text[:200] and heading[-1:] != ":"


def is_document(text: str, asked: Asked) -> bool:
    """Whether the text may be a document that was asked for and happens to begin like an error: several lines of it."""
    if verb_of(asked.tool) is Verb.CHANGE or not (names_documents(asked.tool) or names_a_file(asked)):
        return False
    body = text.strip()
    if len(body) > _DOCUMENT_CAP or ("\n" in body and _path(asked.arguments).lower().endswith(_LOG_FILES)):
        return True
    if names_compound(body.split("\n", 1)[0][:200], asked.name) or _names_its_source(body[:_OPENING], asked.arguments):
        return False  # no document, but an answer about the call
    if not names_a_file(asked) and _are_all_errors(body):
        return False
    return "\n" in body and "Traceback" not in body and "\n    at " not in body


def _are_all_errors(body: str) -> bool:
    """Whether each of several answers is an error: every line begins with `Error:`."""
    return all(line[:6].lower() == "error:" for line in body.split("\n")[:_MOST_ERRORS])


_MOST_ERRORS = 20


def _names_its_source(opening: str, arguments: Any) -> bool:
    """Whether a text's opening names the very address or path that was to be read; documents hardly name their own."""
    values = list(arguments.values())[:20] if isinstance(arguments, dict) else ()
    return any(
        isinstance(value, str) and _SHORTEST_PATH <= len(value) <= 200 and "/" in value and value in opening
        for value in values
    )


_LOG_FILES = (".log", ".out", ".err")
_OPENING = 200
_SHORTEST_PATH = 8


def names_a_file(asked: Asked) -> bool:
    arguments = asked.arguments
    return (
        isinstance(arguments, dict)
        and verb_of(asked.tool) is Verb.READ
        and any(key in arguments for key in ("path", "file", "file_path", "filePath", "filename", "url", "uri"))
    )


def is_data_file(value: Any, asked: Asked) -> bool:
    """Whether an object is the content of a JSON file that was read, and not an error about reading it.

    An error about the file names it, or says in a standard phrase that it is not there or may not be read: in a text
    of its own level where it has one there (a file of messages holds such phrases deeper down), and not where the file
    by its name is one of errors (`error_response.json`).
    """
    path = _path(asked.arguments) if verb_of(asked.tool) is Verb.READ else ""
    if not path.lower().endswith((".json", ".jsonl", ".ipynb", ".har")):
        return False
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    texts = told_texts(value)
    if any(name in text for text in texts):
        return False
    if names_errors(name):
        return True
    said = map(code_of_phrase, filter(_speaks_of_files, _own_texts(value) or texts))
    return not any(hit is not None and hit[0] in (Code.NOT_FOUND, Code.PERMISSION_DENIED) for hit in said)


def _speaks_of_files(text: str) -> bool:
    """Whether a text is about a file or about leave to read it, and not about an order that was not found."""
    return holds_any(text.lower(), _OF_FILES)


_OF_FILES = (
    "file",
    "path",
    "director",
    "no such",
    "access",
    "permission",
    "exist",
    "denied",
    "allowed",
    "enoent",
    "read",
)


def _own_texts(value: Any) -> list[str]:
    """What an object tells on its own level."""
    return told_texts({k: inner for k, inner in value.items() if isinstance(inner, str)}) if type(value) is dict else []


def _path(arguments: Any) -> str:
    if isinstance(arguments, dict):
        for key in ("path", "file_path", "filePath", "file", "filename"):
            if isinstance(arguments.get(key), str):
                return str(arguments[key])
    return ""


def is_echo(mark: str, arguments: Any) -> bool:
    """Whether the caller had sent the mark itself, in whatever language: its text was to be worked on, or explained."""
    if not isinstance(arguments, dict):
        return False
    word = mark.strip(" :").lower()
    for value in list(arguments.values())[:20]:
        if not isinstance(value, str):
            continue
        if value.strip().lower() == word or bears_mark(value[:200]) or (_is_a_name(word) and word in value.lower()):
            return True
    return False


def _is_a_name(word: str) -> bool:
    """Whether a mark is the name of an error (`keyerror`, `invalid_argument`), which can be looked up."""
    return len(word) >= _SHORTEST_NAME and " " not in word and word not in ("exception", "traceback")


_SHORTEST_NAME = 8


def is_repeated(text: str, arguments: Any) -> bool:
    """Whether the caller had sent the text itself: a notepad, an echo."""
    body = text.strip()
    return isinstance(arguments, dict) and any(
        isinstance(value, str) and body in value for value in list(arguments.values())[:20]
    )


def names_a_value(text: str, arguments: Any) -> bool:
    """Whether a text speaks of something that the call had named, so that it is about the call and no data."""
    values = list(arguments.values())[:20] if isinstance(arguments, dict) else ()
    return any(isinstance(value, str) and _SHORTEST <= len(value) <= 200 and value in text for value in values)


_SHORTEST = 3


def is_asked_about(text: str, asked: Asked) -> bool:
    """Whether a reading tool was asked about a word with which the text begins: the setting `timeout`."""
    if verb_of(asked.tool) is not Verb.READ or not isinstance(asked.arguments, dict):
        return False
    head = text.strip().lower()
    return any(
        isinstance(value, str) and 2 < len(value) <= _NAME_CAP and head.startswith(value.lower())
        for value in list(asked.arguments.values())[:20]
    )


_NAME_CAP = 40


def asks_for_a_page(arguments: Any) -> bool:
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


def has_command(arguments: Any) -> bool:
    return isinstance(arguments, dict) and any(key in arguments for key in ("command", "cmd", "script", "code"))


def asks_for_state(asked: Asked, state: str) -> bool:
    """Whether the call was to bring the state about, by the tool's name or a word that was given to it."""
    given = asked.arguments.values() if isinstance(asked.arguments, dict) else ()
    return names_the_deed(asked.tool, state) or any(
        isinstance(value, str) and len(value) <= _WORD_CAP and names_the_deed(value, state)
        for value in list(given)[:20]
    )


_WORD_CAP = 20


def is_rehearsed(value: dict[str, Any], asked: Asked) -> bool:
    """Whether the deed was only to be tried out, as the tool's name, the call or the result says (`dry_run: true`)."""
    if names_a_rehearsal(asked.tool):
        return True
    arguments = asked.arguments if isinstance(asked.arguments, dict) else {}
    return any(holder.get(key) is True for holder in (value, arguments) for key in _REHEARSALS)


_REHEARSALS = (
    "dry_run",
    "dryRun",
    "dryrun",
    "preview",
    "simulate",
    "simulated",
    "plan_only",
    "validate_only",
    "noop",
    "draft",
)


def selects(arguments: Any, key: str) -> bool:
    """Whether a query of SQL that was sent names a key of its rows, so that what stands there is a column's value."""
    values = list(arguments.values())[:20] if isinstance(arguments, dict) else ()
    queries = (value[:_QUERY_CAP].lower() for value in values if isinstance(value, str))
    return any(
        query.lstrip().startswith(("select", "with")) and re.search(rf"\b{re.escape(key.lower())}\b", query)
        for query in queries
    )


_QUERY_CAP = 4000


def _selects_errors(query: str) -> bool:
    """Whether a query of SQL asks for a column of errors: `SELECT error FROM jobs`."""
    chosen = _SELECTED.match(query[:_QUERY_CAP])
    return chosen is not None and names_errors(chosen.group(1))


_SELECTED = re.compile(r"\s*select\s(.{1,400}?)\sfrom\s", re.IGNORECASE | re.DOTALL)


def asks_for_errors(asked: Asked) -> bool:
    """Whether errors are what was asked for, by the tool's name or by the key or name that was given to it."""
    given = asked.arguments.values() if isinstance(asked.arguments, dict) else ()
    if any(isinstance(value, str) and _selects_errors(value) for value in list(given)[:20]):
        return True
    if verb_of(asked.tool) in (Verb.CHANGE, Verb.RUN):
        return False
    return names_errors(asked.tool) or any(
        isinstance(value, str) and len(value) <= 60 and " " not in value and names_errors(value)
        for value in list(given)[:20]
    )
