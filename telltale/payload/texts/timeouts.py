"""Whether a whole text says that time ran out, and nothing else: `Execution timed out after 30 seconds.`

Not a search for words in prose: *every* word must belong to the small language in which programs speak of a call that
took too long, be the tool's own name, or be a number; and among them must be the form that says so.
"""

from __future__ import annotations

import re

from telltale.payload.texts.catalogues import SAYING_NOTHING
from telltale.payload.words import words

_LANGUAGE = (SAYING_NOTHING - {"no"}) | words(
    """
    aborted after agent ago allowed before budget canceled cancelled client command connect connection
    deadline duration elapsed exceeded exceeding exceeds expired finish finished h hit hour hours its killed
    limit limits long m max maximum millisecond milliseconds min minute minutes ms network out passed per
    query reached read s sec second seconds seems session stopped terminated than time timed timeout timeouts
    too took upstream wait waited waiting within write
    """
)
_RAN_OUT = re.compile(
    r"\btimed[ -]out\b|\bexceeded (?:the |its )?(?:\w+ ){0,2}(?:time ?(?:limit|out)|deadline)\b"
    r"|\b(?:timeout|deadline)(?: of)?(?: [\d.]+ ?\w+)? (?:was |has been )?"
    r"(?:exceeded|reached|expired|hit|occurred|error)\b"
    r"|\btimeout (?:while|when|during|executing|waiting|after)\b|\b(?:error|failed)\W{1,3}timeout\b|\btook too long\b"
)
_KILLED = re.compile(r"\n\[(?:process|command|program) (?:was )?(?:killed|terminated|stopped)\]$", re.IGNORECASE)
_SHOWN = re.compile(
    r"The (?:last |previous )?(?:command|process|script)\b.{1,2000}? timed out(?: after [\d.]+ ?\w+)?"
    r" and (?:has been|was) killed\b",
    re.DOTALL,
)
"""A harness's word on the command that it shows, before what the command had printed."""

_WORD = re.compile(r"[^\W\d_]+")
_CAP = 160


def closing_line(text: str) -> str | None:
    """The harness's own last line in brackets below a program's output (`[Command timed out after 2s]`)."""
    tail = text[-_CAP:].rstrip()
    if tail[-1:] != "]":
        return None
    line = tail.rsplit("\n", 1)[-1].strip()
    return line[1:-1] if _HARNESS.match(line) is not None and len(line) < len(text.strip()) else None


_HARNESS = re.compile(r"\[(?:the )?(?:command|process|program|script|execution|timed|timeout)\b", re.IGNORECASE)


def ran_out_of_time(text: str, tool: str) -> bool:
    """Whether a short text is nothing but the statement that the call took too long."""
    if text.startswith("The ") and _SHOWN.match(text) is not None:
        return True
    if len(text) > _CAP or "\n" in _KILLED.sub("", text.strip()):
        return False
    low = text.lower()
    hit = _RAN_OUT.search(low)
    if hit is None:
        return False
    rest = low.replace(tool.lower(), " ") if tool else low
    own = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+", tool)}
    return all(word in _LANGUAGE or word in own for word in _WORD.findall(rest))
