"""Texts that deny the very deed that the tool was called for, by its own verb."""

from __future__ import annotations

import re

from telltale.payload.asked.verbs import Verb, names_a_new_deed, verb_of
from telltale.payload.words import DRESS

_PASSIVE = re.compile(
    rf"{DRESS}(?P<none>no )?(?:[\w'\"#-]{{1,30}} ){{1,6}}?(?:(?P<denied>(?:could|can) ?not be|couldn't be|can't be"
    r"|(?:was|were|has been|have been|is|are) not|wasn't|weren't)|was|were|has been|have been) (?P<deed>[a-z]{3,20})"
    r"(?=[.:;,!]|\s*$| because\b| due to\b| [-–—] )",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    rf"{DRESS}(?:[A-Z][\w'-]{{1,20}} )(?:[\w'-]{{1,20}} ){{0,2}}?not (?:applied|sent|saved|written|created|stored|added"
    r"|delivered|submitted|published|uploaded|posted|booked|placed|committed|executed)(?=: |\.|\s*\Z| because\b)"
)
_FAILED = re.compile(
    rf"{DRESS}(?:[A-Z][\w.]{{1,30}} ){{0,2}}?(?P<verb>[A-Za-z]{{3,20}}) (?:failed|error)(?:: | [-–—] |\.\s)",
    re.IGNORECASE,
)
_FIRST = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_LONGEST = 400


def denied_deed(text: str, tool: str) -> str | None:
    """`Issue was not created because …`, `No mail was sent: …`: the first clause denies what the tool makes.

    Only of deeds that bring something new: that nothing was updated or deleted may be as it should be.
    """
    if len(text) > _LONGEST or text.strip().count("\n") > 1:
        return None
    short = _NOT_DONE.match(text)
    if short is not None:
        return short.group(0).strip()
    hit = _PASSIVE.match(text)
    if hit is None or (hit.group("none") is None) is (hit.group("denied") is None):
        return None
    return hit.group(0).strip() if names_a_new_deed(tool, hit.group("deed").lower()) else None


def failed_by_verb(text: str, tool: str) -> str | None:
    """`Search failed: …` of `search_docs`: the tool's own verb, not the thing that it looks at, is what failed.

    Of `web_search` also `Acme search failed: …`: the first of its words that is a verb.
    """
    hit = _FAILED.match(text) if len(text) <= _LONGEST and "failed" in text[:60] else None
    if hit is None:
        return None
    said = [word.lower() for word in _FIRST.findall(tool[:200].rpartition("__")[2].rpartition(".")[2])]
    own = said[:1] if hit.group("verb").lower() in said[:1] else [word for word in said if _is_verb(word)][:1]
    if hit.group("verb").lower() not in own:
        return None
    return hit.group(0).strip() if verb_of(hit.group("verb")) is not Verb.EXAMINE else None


def _is_verb(word: str) -> bool:
    return verb_of(word) is not Verb.UNKNOWN
