"""The payload rules over texts: an error mark at the very beginning, a masking sentence, a page, an exit code.

A sentence without a mark is no failure, however many dark words it holds. What a text says is HIDDEN: no program that
reads flags sees it.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

from telltale.payload.catalogues import masking_of
from telltale.payload.codes import ERRNO, code_of_class, code_of_http
from telltale.payload.exits import is_answer
from telltale.payload.html import page_of
from telltale.payload.phrases import code_of_phrase
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.verbs import Verb, names_documents, verb_of
from telltale.vocabulary import Code

_KINDS = (
    "fatal|internal|unexpected|tool|execution|runtime|mcp|api|http|network|validation|system|server|client|request"
    "|invocation|invoke|database|db|sql|syntax|parse|parsing|connection|timeout|auth|authentication|authorization|permission|io|os"
    "|input|argument|script|command|process|unhandled|uncaught|critical"
)
_GERUNDS = (
    "executing|calling|invoking|running|performing|processing|fetching|reading|writing|loading|connecting|parsing|creating"
    "|updating|deleting|searching|retrieving|sending|querying|opening|accessing|getting|listing|saving|uploading|downloading"
)
_DRESS = r"[\s*_`\"'(\[>⚠❌✖✗🚫️-]{0,6}"
_ASIDE = r"(?:\s?[\[(][^\])\n]{0,80}[\])])?"
_MARK = re.compile(
    rf"{_DRESS}(?P<mark>"
    r"(?:Uncaught |Unhandled )?(?:[A-Za-z_][\w.$]{0,120}\.)?"
    rf"(?P<klass>[A-Z]\w{{0,80}}?(?:Error|Exception|Fault)|[a-z][\w.]{{2,80}}\.[A-Z]\w{{0,80}}){_ASIDE}:(?=\s|$)"
    rf"|(?i:(?:(?:{_KINDS}) ){{0,2}}(?:error|exception|fatal|failure|panic){_ASIDE}(?:\s-?\d{{1,6}})?\s?:)"
    r"(?=\s|$|[\"'{<])"
    rf"|(?i:error (?:while |when |in |during |occurred while )?(?:{_GERUNDS})\b)"
    r"|Traceback \(most recent call last\):"
    r"|(?P<errno>E[A-Z]{3,14}): "
    r")"
)
_MARK_HEADS = re.compile(
    rf"{_DRESS}(?:[EeTFfPpU]|[A-Za-z][\w.$]{{0,120}} ?(?:[Ee]rror|ERROR|Exception|Fault|[Ff]ailure|\[|\())"
)
_STATUS_LINE = re.compile(
    r"\s*(?:HTTP(?:/\d(?:\.\d)?)?\s+)?(?:Error\s+)?([45]\d\d)\s*[:\s-]\s*([A-Z][A-Za-z' -]{3,40})"
)
_CLIENT = re.compile(
    r"\s*(?:(?:Client|Server) error '(?P<httpx>[45]\d\d) [^']{2,40}' for url"
    r"|(?P<requests>[45]\d\d) (?:Client|Server) Error: .{0,80} for url"
    r"|Request failed with status code (?P<axios>[45]\d\d)|HTTP Error (?P<urllib>[45]\d\d): "
    r"|HTTP (?:error|status)[ :]{1,3}(?P<plain>[45]\d\d)\b"
    r"|(?P<pool>HTTPS?ConnectionPool\(host=)|(?P<reset>\('Connection aborted\.'))"
)
_EXIT = re.compile(
    r"(?:\[(?:process )?exit(?:ed)?(?:[ _-]?(?:code|status))?(?: with)?(?: code| status)?\s?[:=]?\s?(?P<a>\d{1,3})\]"
    r"|\(?(?:command |process |program )?(?:exited with|exit|returned)(?: non-zero)?(?: exit)?[ -]?(?:code|status)"
    r"\s?[:=]?\s?(?P<b>\d{1,3})\)?\.?)\s*$",
    re.IGNORECASE,
)
_REASONS = {s.phrase.lower(): s.value for s in HTTPStatus if s.value >= 400} | {"too many requests": 429}
_LINE_CAP = 400
_LOG_LINES = re.compile(r"^\s*(?:\S{1,40} ){0,3}(?:\[?(?:ERROR|Error|error|FATAL|WARN)\w*\]?)\b", re.MULTILINE)


def read_text(text: str, asked: Asked) -> list[Finding]:
    """The finding on a result that is one text: at most one."""
    if asked.content:
        return []
    first = text[:1]
    if first.isspace():
        first = text[:200].lstrip()[:1]
    if first in ("<", "\ufeff"):
        page = _page(text, asked)
        if page is not None:
            return [page]
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


def _masking(text: str, asked: Asked) -> Finding | None:
    if len(text) > 20_000:
        return None
    entry = masking_of(text)
    if entry is None:
        return None
    code = code_of_phrase(text)
    return Finding(
        "text.masking",
        Says.HIDDEN,
        "",
        f"{entry.framework} {entry.version}",
        code[0] if code and not entry.generic else None,
    )


def _error_mark(text: str, asked: Asked) -> Finding | None:
    if _MARK_HEADS.match(text) is None:
        return None
    hit = _MARK.match(text)
    if hit is None or _is_log(text):
        return None
    if hit.end() == len(text.rstrip()) and not hit.group("klass"):
        return None
    klass, errno = hit.group("klass"), hit.group("errno")
    if errno is not None and errno not in ERRNO:
        return None
    code = ERRNO.get(errno) if errno else code_of_class(klass) if klass else None
    return Finding("text.error_mark", Says.HIDDEN, "", hit.group("mark").strip()[:120], code)


def _is_log(text: str) -> bool:
    """Whether the text is a log: several lines that each begin with a level, so that a mark is a line of data."""
    second = text.find("\n")
    if second < 0:
        return False
    return len(_LOG_LINES.findall(text[:4000])) >= 2 and "Traceback" not in text[:200]


def _status_line(text: str, asked: Asked) -> Finding | None:
    head = text[:_LINE_CAP]
    hit = _STATUS_LINE.match(head)
    if hit is not None and len(text) <= _LINE_CAP:
        status, rest = int(hit.group(1)), hit.group(2).lower()
        for phrase, number in _REASONS.items():
            if rest.startswith(phrase) and number // 100 == status // 100:
                end = rest[len(phrase) :].strip(" -")
                if not end:
                    return Finding("text.status_line", Says.HIDDEN, "", hit.group(0).strip(), code_of_http(status))
    client = _CLIENT.match(head)
    if client is None:
        return None
    group = client.lastgroup
    number_text = client.group(group) if group in ("httpx", "requests", "axios", "urllib", "plain") else ""
    code = code_of_http(int(number_text)) if number_text else Code.UNAVAILABLE
    return Finding("text.status_line", Says.HIDDEN, "", client.group(0).strip()[:120], code)


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
    if verb_of(asked.tool) is Verb.READ and not _has_command(asked.arguments):
        return Finding("text.exit_code", Says.ANSWER, "", hit.group(0))
    says = Says.ANSWER if is_answer(asked.arguments, code) else Says.HIDDEN
    return Finding("text.exit_code", says, "", hit.group(0))


def _has_command(arguments: Any) -> bool:
    return isinstance(arguments, dict) and any(key in arguments for key in ("command", "cmd", "script", "code"))


_RULES = (_masking, _error_mark, _status_line, _exit_code)
