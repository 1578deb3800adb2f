"""What a text says of how the run ended that it is of."""

from __future__ import annotations

import re

from telltale.payload.objects.ended import LONGEST_ANSWER, code_of_stop, is_a_stop
from telltale.vocabulary import Code

_STOP_LINE = re.compile(
    r"^[ \t]*(?:[*_`]{0,2})(?:(?:termination|stop|exit|finish|end)[ _]reason|reason for (?:termination|stopping))"
    r"[*_`]{0,2}[ \t]*[:=][ \t]*[*_`]{0,2}(?P<reason>\w{3,40})",
    re.IGNORECASE | re.MULTILINE,
)


def stop_line_of(text: str) -> tuple[str, Code | None] | None:
    """The line with which a short report of a run tells that it was stopped: `Termination Reason: MAX_TURNS`."""
    if len(text) > LONGEST_ANSWER or "eason" not in text:
        return None
    hit = _STOP_LINE.search(text)
    if hit is None or not is_a_stop(hit.group("reason")):
        return None
    return hit.group(0).strip(), code_of_stop(hit.group("reason"))
