"""What a message for a model must not hold: SQL, internal hosts, stack traces, paths, exception classes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from telltale.redaction.patterns import INTERNAL_PATTERNS
from telltale.redaction.prefilter import prefilter


@dataclass(frozen=True, slots=True)
class Finding:
    """A piece of a text, by kind and place (characters)."""

    kind: str
    start: int
    end: int


_REGEXES = [re.compile(pattern.regex) for pattern in INTERNAL_PATTERNS]
_hits = prefilter([(pattern.shape, pattern.literals) for pattern in INTERNAL_PATTERNS])


def find_internals(text: str) -> list[Finding]:
    """Internals that a text gives away, in order of place; each kind as `telltale.redaction.patterns` names it."""
    found = [
        Finding(INTERNAL_PATTERNS[index].kind, match.start(), match.end())
        for index in _hits(text)
        for match in _REGEXES[index].finditer(text)
    ]
    return sorted(found, key=lambda finding: (finding.start, finding.end))
