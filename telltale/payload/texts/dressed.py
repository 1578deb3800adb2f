"""Error marks in the dress that harnesses give them: below a heading, behind a cross, a level or a code in brackets."""

from __future__ import annotations

import re

from telltale.payload.codes.infer import code_of, code_of_class
from telltale.payload.texts.marks import TextMark, mark_of
from telltale.payload.words import DRESS
from telltale.vocabulary import Code

_HEADING = re.compile(
    r"\s*(?:#{1,4} (?:Error|Result|Output)[ \t]*\n|(?:✅|✔\ufe0f?|✓|☑|⚠\ufe0f?)[^\n]{1,80}\n[ \t]*\n)\s*"
)


def headed_mark_of(text: str) -> TextMark | None:
    """The error mark below a harness's heading (`### Error`, `### Result`, `✅ Done`) with which a text begins.

    A text in quotes is a value that a script in a page gave back (`### Result`, then `"Error: card declined"`).
    """
    heading = _HEADING.match(text[:100])
    quoted = heading is not None and text[heading.end() : heading.end() + 1] == '"'
    mark = mark_of(text[heading.end() :]) if heading is not None and not quoted else None
    return mark if mark is not None and not mark.bare else None


_TITLE = re.compile(r"\s*#{1,4} Error[ \t]*\n\s*(?=[^\s#])")
_LONGEST_TITLED = 600


def titled_mark_of(text: str) -> str | None:
    """The heading `# Error` over a short text, in which a tool tells what failed; None for every other text."""
    hit = _TITLE.match(text[:100]) if len(text) <= _LONGEST_TITLED else None
    return hit.group(0).strip() if hit is not None else None


_LINE_CAP = 400
_CROSS = re.compile(r"\s*(?:❌|✖|✗|✘|🚫|⛔)\ufe0f?\s*\w")
_LEVEL = re.compile(r"\s*\[(?:error|fatal|exception|failed|failure)\]:? (?=[^\s\d])", re.IGNORECASE)
_CHECKS = ("✅", "✔", "✓", "☑")
_CODED = re.compile(
    rf"{DRESS}(?P<bracket>\[)?(?P<code>[A-Z][A-Z0-9]{{1,20}}(?:_[A-Z0-9]{{2,20}}){{1,4}})(?(bracket)\]:?|:)\s+(?=[A-Za-z\d'\"])"
)


_CAMEL = re.compile(r"\((?P<code>[A-Z][a-z]{2,30}(?:[A-Z][a-z]{2,30}){1,4})\) (?=[A-Z'])")
"""The same as the Azure CLI prints it: `(AuthorizationFailed) The client …`."""

_SNAKE = re.compile(r"(?P<code>[a-z]{2,20}(?:_[a-z]{2,20}){1,3}|unauthenticated):\s+(?=\S)")
"""The same in the spelling of Connect and of many REST interfaces: `invalid_argument: …`."""


def cross_mark_of(text: str) -> str | None:
    """The one line that a text is, where it begins with a cross and holds no tick; None for every other text."""
    line = text.strip()
    if len(line) > _LINE_CAP or "\n" in line or any(tick in line for tick in _CHECKS):
        return None
    return line if _CROSS.match(line) else None


_NOTE = re.compile(r"\[(?:[A-Z][\w -]{0,40} )?(?:failed|[Ee]rror)\b[^\[\]:\n]{0,30}: [^\[\]\n]{1,300}\]")
"""A harness's note in brackets, and nothing else: `[Search failed: rate limit exceeded]`."""


def level_mark_of(text: str) -> str | None:
    """The level in brackets with which a text of one line begins: `[ERROR] …`; not one of a log, before a time."""
    hit = _LEVEL.match(text[:40]) if len(text) <= _LINE_CAP and "\n" not in text.strip() else None
    if hit is None and len(text) <= _LINE_CAP and text.rstrip()[-1:] == "]":
        hit = _NOTE.fullmatch(text.strip())
    return hit.group(0).strip() if hit is not None else None


def coded_mark_of(text: str) -> tuple[str, Code] | None:
    """A known code in capitals at the beginning (`[PERMISSION_DENIED] …`, `NOT_FOUND: …`), with the code it means."""
    named = _CAMEL.match(text[:100]) if text[:1] == "(" else None
    if named is not None:
        meant = code_of_class(named.group("code"))
        return (named.group(0).strip(), meant) if meant is not None else None
    hit = _CODED.match(text[:200])
    bracketed = hit is not None and hit.group("bracket") is not None
    hit = hit or _SNAKE.match(text[:60])
    name = hit.group("code") if hit is not None else ""
    if hit is not None and not bracketed and name.endswith(("_ERROR", "_EXCEPTION")):
        return hit.group(0).strip(), code_of(name) or code_of_class(name) or Code.INTERNAL
    if hit is None or (not bracketed and "\n" in text.strip()):
        return None
    code = code_of(name) or (code_of_class(name) if name.isupper() else None)
    return (hit.group(0).strip(), code) if code is not None else None
