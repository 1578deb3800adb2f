"""Internals that must not reach the model: stack traces, SQL, inner hosts, server paths, credentials.

`leaks_in` looks at a failing text and names what it finds; what the caller itself had sent (a path, a statement in the
arguments) is no leak. `forbidden_in` is the contract's own, stricter check of an envelope's message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from telltale.payload.words import holds_any

_SCAN = 20_000

_NAMED = (
    r"(?:(?:api|access|account|private|encryption|signing|shared[_-]?access)[_-]?key|(?:auth\w*[_-]?|access[_-]?|refresh[_-]?|bearer[_-]?|id[_-]?|query[_-]?)?token"
    r"|(?:client[_-]?)?secret(?:[_-]?(?:access[_-]?)?key)?|passw(?:or)?d|pwd)[\"']?\s{0,3}[=:]\s{0,3}[\"']?"
)
_UNTOLD = r"(?!none\b|null\b|true\b|false\b|\[|\*|<|redacted|required|missing|invalid|expired|the\b|is\b)"

# Kind; what a text must hold (one of the first, and one of the second) before the pattern is asked; the pattern.
_PATTERNS: tuple[tuple[str, tuple[str, ...], tuple[str, ...], re.Pattern[str]], ...] = (
    (
        "stack trace",
        ("(", '"', "\n", "at "),
        ("recent call last", 'File "', "at ", "goroutine "),
        re.compile(
            r"Traceback \(most recent call last\)|\bFile \"[^\"\n]{1,300}\", line \d+"
            r"|\bat (?:async )?[\w$.<>\[\] ]{1,120} ?\([^()\s]{0,200}(?:\.[A-Za-z]{1,6}|>):\d+(?::\d+)?\)"
            r"|\bat (?:com|org|net|java|io)\.[\w$.]{3,150}"
            r"|\bgoroutine \d+ \["
        ),
    ),
    (
        "SQL",
        ("FROM ", "INTO ", "UPDATE ", " from "),
        ("SELECT ", "INSERT ", "UPDATE ", "DELETE ", "select "),
        re.compile(
            r"\b(?:SELECT\b[^;]{1,300}?\bFROM\s+[\w\"`\[.]|INSERT\s+INTO\s+[\w\"`\[.]"
            r"|UPDATE\s+[\w\"`\[.]+\s+SET\b|DELETE\s+FROM\s+[\w\"`\[.]"
            r"|select\s[^;]{1,300}?\sfrom\s+[\w\"`\[.]+\s(?:where|join|order|limit)\b)"
        ),
    ),
    (
        "credentials in an address",
        ("@", "jdbc:"),
        ("://", "jdbc:"),
        re.compile(
            r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/@:\"']{1,100}:[^\s/@\"']{1,100}@|\bjdbc:\w+:[^\s\"']{3,300}",
            re.IGNORECASE,
        ),
    ),
    (
        "credential",
        ("=", ":", "sk-", "earer ", "AKIA", "ghp_", "xox", "eyJ", "AIza", "Basic ", "glpat-", "hf_", "npm_"),
        (
            *("key", "oken", "ecret", "assw", "pwd", "sk-", "AKIA", "ghp_", "eyJ", "earer ", "PRIVATE", "xox"),
            *(
                "KEY",
                "Key",
                "TOKEN",
                "SECRET",
                "PASSW",
                "PWD",
                "AIza",
                "Basic ",
                "glpat-",
                "hf_",
                "npm_",
                "sig",
                "auth=",
            ),
        ),
        re.compile(
            _NAMED + _UNTOLD + r"[A-Za-z0-9+/_.~-]{8,}"
            r"|\bsk-[A-Za-z0-9_-]{16,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}|\bxox[abprs]-[\w-]{10,}"
            r"|\beyJ[\w-]{10,}\.eyJ[\w-]{10,}|\b(?:Bearer|Basic) [\w.~+/=-]{12,}|-----BEGIN [A-Z ]*PRIVATE KEY"
            r"|\bAIza[\w-]{30,}|\b(?:glpat|hf|npm|pypi)[-_][\w-]{16,}|[?&](?:key|sig|signature|auth|apikey)=[\w%.~-]{8,}",
            re.IGNORECASE,
        ),
    ),
    (
        "inner host",
        (".",),
        (".internal", ".local", ".corp", ".lan", ".intra", ".cluster", "10.", "192.168.", "172."),
        re.compile(
            r"(?<![\w.-])[a-z0-9][a-z0-9.-]{0,100}\.(?:internal|local|corp|lan|intranet|intra|svc\.cluster\.local)\b(?!\.\w)"
            r"|(?<![\d.])(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}(?![\d.]\d)",
            re.IGNORECASE,
        ),
    ),
    (
        "server path",
        ("/", "\\"),
        (
            *(
                "/srv/",
                "/home/",
                "/usr/",
                "/var/",
                "/opt/",
                "/app/",
                "/root/",
                "/Users/",
                "/etc/",
                "/workspace/",
                ":\\",
            ),
            *("site-packages", "node_modules"),
        ),
        re.compile(
            r"(?<![\w/.:-])/(?:srv|home|usr|var|opt|app|root|Users|etc|workspace)/[\w./@-]{2,300}"
            r"|\b[A-Z]:\\(?:[\w .-]{1,80}\\)[\w .-]{1,80}"
            r"|(?<![\w./-])[\w./-]{0,200}/(?:site-packages|node_modules)/[\w./@-]{1,200}"
        ),
    ),
)

_MAY_BE_TRACE = re.compile(r":\d|\bat (?:com|org|net|java|io)\.|recent call|line \d|goroutine \d").search
_CLASS = re.compile(r"\b[A-Za-z_][\w.]*(?:Exception|[a-z]Error)\b|\b(?:com|org|java)\.[a-z][\w.]{3,}")


def leaks_in(text: str, known: str = "") -> Iterator[tuple[str, str]]:
    """Yields `(kind, excerpt)` for each kind of internals in a failing text (its first 20,000 characters).

    Args:
        text: what the model saw.
        known: what the caller had sent; an excerpt that stands in it is none.
    """
    head = text[:_SCAN]
    for kind, gate, anchors, pattern in _PATTERNS:
        if not (holds_any(head, gate) and holds_any(head, anchors)) or (
            kind == "stack trace" and not _MAY_BE_TRACE(head)
        ):
            continue
        for hit in pattern.finditer(head):
            found = hit.group(0)
            if found.strip(" \"'") not in known:
                yield kind, found[:120]
                break


def forbidden_in(message: str) -> str | None:
    """What an envelope's message for the model must not hold: internals, or an exception's class name."""
    for kind, _ in leaks_in(message):
        if kind != "server path":
            return kind
    named = holds_any(message, ("Exception", "Error", "com.", "org.", "java."))
    return "an exception's class name" if named and _CLASS.search(message) else None
