"""What kind of HTML page a text is: none, an error page, a sign-in page, or another page.

Looks at the document's own structure only: how it begins, its `<title>` and first heading, whether it asks for a
password. Reads at most the first 16 KiB.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus

from telltale.vocabulary import Code, code_of_http

_START = re.compile(
    r"\s*(?:\ufeff)?(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,500}?-->\s*)?<(?:!doctype\s+html|html|head)\b", re.I | re.S
)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{0,300})", re.I)
_HEADING = re.compile(r"<h1[^>]{0,200}>([^<]{0,300})", re.I)
_PASSWORD = re.compile(r"<input\b[^>]{0,200}\btype\s*=\s*[\"']?password", re.I)
_STATUS = re.compile(r"\W*(?:http\s+)?(?:error|status|http)?\W*([45]\d\d)(?:\W+(.{0,80}))?\W*$", re.I | re.S)
_SCAN = 16_384

_REASONS = {s.phrase.lower(): s.value for s in HTTPStatus if s.value >= 400}
_REASONS |= {
    "access denied": 403,
    "request blocked": 403,
    "service temporarily unavailable": 503,
    "temporarily unavailable": 503,
    "gateway time-out": 504,
    "gateway timeout": 504,
    "server error": 500,
    "internal server error": 500,
    "too many requests": 429,
    "page not found": 404,
    "web server is down": 521,
    "connection timed out": 522,
    "just a moment...": 403,
    "attention required! | cloudflare": 403,
    "making sure you're not a bot!": 403,
    "checking your browser before accessing": 403,
    "verify you are human": 403,
    "are you a robot?": 403,
    "pardon our interruption": 403,
}
"""Titles that are nothing but a failure: reason phrases of RFC 9110 and the block pages of common gateways."""


@dataclass(slots=True, frozen=True)
class Page:
    """An HTML document: its kind (`error`, `sign_in`, `page`), its title, and the code where it shows one."""

    kind: str
    title: str
    code: Code | None = None


def page_of(text: str) -> Page | None:
    """The page that a text is; None where it does not begin as an HTML document."""
    if _START.match(text) is None:
        return None
    head = text[:_SCAN]
    titles = [" ".join(m.group(1).split()) for m in (_TITLE.search(head), _HEADING.search(head)) if m]
    for title in titles:
        status = _status_of(title)
        if status is not None:
            return Page("error", title, code_of_http(status))
    title = titles[0] if titles else ""
    if _PASSWORD.search(head):
        return Page("sign_in", title, Code.PERMISSION_DENIED)
    return Page("page", title)


def trouble_of_title(title: str) -> Code | None:
    """The code of a page's title that is nothing but a failure: a status with its phrase, a gateway's block page.

    Phrases that may head a document count with their number only.
    """
    status = _status_of(title)
    numbered = title.strip()[:1].isdigit() or status == _BLOCKED
    if status is not None and numbered and title.strip().lower() not in _PLAIN:
        return code_of_http(status)
    return Code.UNAVAILABLE if title.replace("\u2019", "'").lower() in _UNREACHED else None


_UNREACHED = frozenset(("this site can't be reached", "problem loading page", "server not found"))
"""What browsers call the page that stands in the place of one which they could not load."""


def challenge_of(text: str) -> tuple[str, Code] | None:
    """The title of a gateway's block page with which the text of a page begins, where a browser kept the text alone."""
    head = text[:_TITLE_CAP].lstrip()
    title = head.split("\n", 1)[0].strip("# \t\r")
    if len(text) <= _TITLE_CAP and text.strip(" #\n").lower() in _CHALLENGE_TITLES:
        return title, Code.PERMISSION_DENIED
    if len(text) <= _LONGEST_CHALLENGE and head.lower().replace("\n", "").startswith(_CHALLENGES):
        return title[:_TITLE_CAP], Code.PERMISSION_DENIED
    status = _REASONS.get(title.strip(" -–—|:").lower()) if "\n" in text.strip() else None
    return (title, Code.PERMISSION_DENIED) if status == _BLOCKED and title.lower() not in _PLAIN else None


_CHALLENGE_TITLES = ("just a moment...", "attention required! | cloudflare", "ddos-guard", "verify you are human")
_CHALLENGES = (
    "just a moment...enable javascript and cookies to continue",  # Cloudflare
    "enable javascript and cookies to continue",  # Cloudflare
    "verifying you are human. this may take a few seconds",  # Cloudflare
    "please enable js and disable any ad blocker",  # DataDome
    "access to this page has been denied because we believe you are using automation tools",  # HUMAN
    "request unsuccessful. incapsula incident id",  # Imperva
    "access deniedyou don't have permission to access",  # Akamai
)
"""What gateways show in the place of a page to whom they take for a bot, as their own fixed words."""

_LONGEST_CHALLENGE = 1_500
_TITLE_CAP, _BLOCKED = 200, 403
_PLAIN = frozenset(("forbidden", "access denied"))
"""Titles that are headings of documents as well."""


def _status_of(title: str) -> int | None:
    """The HTTP status that a title consists of: `502 Bad Gateway`, `Error 503`, `Service Unavailable`."""
    number = _STATUS.match(title)
    if number:
        rest = (number.group(2) or "").strip(" -–—|:.").lower()
        if not rest or rest in _REASONS or "error" in rest.split() or any(rest.startswith(r) for r in _REASONS):
            return int(number.group(1))
    return _REASONS.get(title.strip(" -–—|:").lower())
