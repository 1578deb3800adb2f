"""Internals that must not reach the model: stack traces, SQL, inner hosts, server paths, credentials.

The patterns are those of `telltale.redaction`, so that what is masked and what is flagged never differ. A credential
that was masked on arrival leaves its mark, and the mark is the evidence. `leaks_in` names what a failing text gives
away; what the caller itself had sent is no leak. `forbidden_in` is the contract's own check of an envelope's message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from telltale.payload.words import holds_any

if TYPE_CHECKING:
    from telltale.redaction import Redactor

_SCAN = 20_000
_KINDS = {
    "stack_trace": "stack trace",
    "sql": "SQL",
    "internal_host": "inner host",
    "cloud_account": "cloud account",
    "path": "server path",
}
_PERSONAL = frozenset(("email", "card", "iban", "blob"))
"""Kinds of secrets that are a person's or nobody's: masked, but no internals of a system."""

_MARK = re.compile(r"\[REDACTED:(\w{1,40}):[0-9a-f]{8}\]")
_NAMED = re.compile(
    r"\b(?:(?:api|access|account|private|encryption|signing|shared[_-]?access)[_-]?key|(?:client[_-]?)?secret|passw(?:or)?d|pwd"
    r"|(?:auth\w{0,20}[_-]?|access[_-]?|refresh[_-]?)?token)[\"']?\s{0,3}=\s{0,3}[\"']?"
    r"(?!none\b|null\b|true\b|false\b|\[|\*|<)[A-Za-z0-9+/_.~-]{8,}",
    re.IGNORECASE,
)
_QUERY = re.compile(
    r"[?&](?:key|token|sig|signature|auth|access_token|password|pwd)=(?=[A-Za-z._~-]{0,60}\d)[A-Za-z0-9._~-]{12,}",
    re.IGNORECASE,
)
"""A key in an address, which needs no name of its own to be one."""

_NAMES = ("key", "oken", "ecret", "assw", "pwd", "KEY", "Key", "TOKEN", "SECRET", "PASSW", "PWD")
_JDBC = re.compile(r"\bjdbc:\w{1,30}:[^\s\"']{3,300}")
_QUALIFIED = re.compile(r"\b(?!javax?\.)(?:[a-z]\w{1,30}\.){2,10}[A-Z]\w{1,80}(?:Exception|Error)\b")
"""An exception's class with the packages that it lies in, which name the libraries that a service is made of."""

_CLASS = re.compile(r"\b[A-Za-z_][\w.]*(?:Exception|[a-z]Error)\b|\b(?:com|org|java)\.[a-z][\w.]{3,}")


@cache
def _secrets() -> Redactor:
    from telltale.redaction import RedactionConfig, Redactor

    return Redactor(RedactionConfig(off=_PERSONAL))


@cache
def _first_look() -> Callable[[str], Sequence[int]]:
    """Which of all the forms below a text may hold: one pass, where asking each source of forms would take three."""
    from telltale.redaction.keys import KEY_LITERALS, KEY_SHAPE
    from telltale.redaction.patterns import INTERNAL_PATTERNS, PATTERNS, SECRETS
    from telltale.redaction.prefilter import prefilter

    forms = [form for form in PATTERNS if form.profile == SECRETS and form.kind not in _PERSONAL]
    views = [(form.shape, form.literals) for form in (*INTERNAL_PATTERNS, *forms)]
    return prefilter(
        [
            *views,
            (KEY_SHAPE, KEY_LITERALS),
            (
                r"\[REDACTED:|jdbc:|\n\s+at |\n#[0-9]|panicked at ",
                ("[redacted:", "jdbc:", " at ", "\n#", "panicked at "),
            ),
        ]
    )


@cache
def _internals() -> list[tuple[str | None, re.Pattern[str]]]:
    """The forms of internals, which are the first of the first look; None for those of no kind of ours."""
    from telltale.redaction.patterns import INTERNAL_PATTERNS

    return [(_KINDS.get(form.kind), re.compile(form.regex)) for form in INTERNAL_PATTERNS]


@cache
def _class_place() -> int:
    """The place of the form of exception classes among those of the first look."""
    from telltale.redaction.patterns import INTERNAL_PATTERNS

    return next(place for place, form in enumerate(INTERNAL_PATTERNS) if form.kind == "exception_class")


def leaks_in(text: str, known: str = "") -> Iterator[tuple[str, str]]:
    """Yields `(kind, excerpt)` for each kind of internals in a failing text (its first 20,000 characters).

    Args:
        text: what the model saw.
        known: what the caller had sent; an excerpt that stands in it is none.
    """
    head = text[:_SCAN]
    held, named = _first_look()(head), _may_be_named(head)
    if not held and not named:
        return
    internals = _internals()
    if named or any(place >= len(internals) for place in held):
        credential = _credential(head, known)
        if credential is not None:
            yield "credential", credential
    if "jdbc:" in head:
        address = _JDBC.search(head)
        if address is not None and address.group(0) not in known:
            yield "connection string", address.group(0)[:40]
    first: dict[str, tuple[int, str]] = {}
    frames = _FRAMES.search(head) if "\n" in head and holds_any(head, _FRAME_ANCHORS) else None
    if frames is not None:
        first["stack trace"] = -1, frames.group(0).strip()
    for place in held:
        kind, form = internals[place] if place < len(internals) else (None, _FRAMES)
        found = _first_unknown(form, head, known) if kind is not None else None
        if kind is not None and found is not None and (kind not in first or found < first[kind]):
            first[kind] = found
    qualified = _QUALIFIED.search(head) if _class_place() in held else None
    if qualified is not None and qualified.group(0) not in known:
        first["exception class"] = qualified.start(), qualified.group(0)
    for kind, (_, excerpt) in sorted(first.items(), key=lambda each: each[1]):
        yield kind, excerpt[:120]


def _first_unknown(form: re.Pattern[str], head: str, known: str) -> tuple[int, str] | None:
    """The place and the text of a form's first hit that the caller had not sent itself."""
    for hit in form.finditer(head):
        if hit.group(0).strip(" \"'") not in known:
            return hit.start(), hit.group(0)
    return None


_FRAMES = re.compile(
    r"(?:^|\n)\s{1,8}at (?:[A-Za-z_][\w`<>+]*\.){1,12}[\w`<>\[\],.]{1,100}\([^\n]{0,300}\)(?=\s|$)"
    r"|\n#\d{1,3} (?:\{main\}|[^\s()]{1,200}\(\d{1,6}\): )|\bpanicked at [^\s:]{1,200}:\d{1,6}:\d{1,6}"
)
"""A frame of .NET, which has no line number where the program was built without them; of PHP; where Rust panicked."""
_FRAME_ANCHORS = (" at ", "\n#")

_STACKS = frozenset(("stack", "stackTrace", "StackTrace", "stacktrace", "stack_trace", "traceback"))
_FRAME = re.compile(r"\s*at [\w.$<>]{3,200}.{0,300}:(?:line )?\d+\)?", re.DOTALL)


def holds_stack(value: Any, depth: int = 3) -> bool:
    """Whether a result hands out stack frames: a filled list, or a text of frames or lines, under a key for them."""
    if isinstance(value, list):
        return depth > 0 and any(holds_stack(item, depth - 1) for item in value[:3])
    if not isinstance(value, dict):
        return False
    for key, inner in list(value.items())[:40]:
        if key in _STACKS and ((isinstance(inner, list) and inner) or (isinstance(inner, str) and _is_stack(inner))):
            return True
        if depth > 0 and isinstance(inner, dict | list) and holds_stack(inner, depth - 1):
            return True
    return False


def is_foreign_stack(text: str, tool: str) -> bool:
    """Whether a stack is the service's own, not that of the code it was given.

    So of a Python stack that starts in an installed package, and of one whose first frame names the tool.
    """
    head = text[:_SCAN]
    first = _PYTHON_FRAME.search(head)
    if first is not None:
        return "site-packages" in first.group(1)
    frame = _AT_FRAME.search(head)
    named = [word.lower() for word in _NAME_WORDS.findall(tool[:200])]
    return frame is not None and len(named) > 1 and all(word in frame.group(1).lower() for word in named)


_AT_FRAME = re.compile(r"\n\s{1,8}at ([^\n]{1,300})")
_NAME_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_PYTHON_FRAME = re.compile(r'\n\s{0,8}File "([^"\n]{1,300})", line \d')


def _is_stack(text: str) -> bool:
    return "\n" in text or _FRAME.match(text) is not None


def _credential(head: str, known: str) -> str | None:
    """A credential by its mark, by its form, or by the name before it; never its value."""
    secrets = _secrets()
    masked = secrets.text(head)
    if "[REDACTED:" in masked:
        sent = secrets.text(known[:_SCAN]) if known else ""
        for mark in _MARK.finditer(masked):
            if mark.group(1) not in _PERSONAL and mark.group(0) not in sent:
                return mark.group(1)
    if _may_be_named(head):
        for form in (_NAMED, _QUERY):
            named = form.search(head)
            if named is not None and named.group(0) not in known:
                return named.group(0).partition("=")[0].strip(" \"'?&")[:40]
    return None


def _may_be_named(head: str) -> bool:
    return "=" in head and holds_any(head, _NAMES)


def forbidden_in(message: str) -> str | None:
    """What an envelope's message for the model must not hold: internals, or an exception's class name."""
    for kind, _ in leaks_in(message):
        if kind != "server path":
            return kind
    named = holds_any(message, ("Exception", "Error", "com.", "org.", "java."))
    return "an exception's class name" if named and _CLASS.search(message) else None
