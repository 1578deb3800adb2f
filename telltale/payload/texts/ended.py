"""What a text says of how the run ended that it is of."""

from __future__ import annotations

import re

from telltale.payload.objects.ended import LONGEST_ANSWER, code_of_stop, is_a_stop
from telltale.payload.words import holds_any
from telltale.vocabulary import Code

_STOP_LINE = re.compile(
    r"^[ \t]*(?:[-•] |\* )?[*_`]{0,2}(?:status|outcome|(?:termination|stop|exit|finish|end)[ _]reason"
    r"|reason for (?:termination|stopping))"
    r"[*_`]{0,2}[ \t]*[:=][ \t]*[*_`]{0,2}(?P<reason>\w{3,40})",
    re.IGNORECASE | re.MULTILINE,
)
_LABELS = ("eason", "tatus", "utcome")
_OUT_OF_TIME = ("timeout", "timed_out", "timedout")


def stop_line_of(text: str) -> tuple[str, Code | None] | None:
    """The line with which a short report of a run tells that it was stopped: `Termination Reason: MAX_TURNS`."""
    if len(text) > LONGEST_ANSWER or not holds_any(text, _LABELS):
        return None
    hit = _STOP_LINE.search(text)
    reason = hit.group("reason").lower() if hit is not None else ""
    if hit is None or not (is_a_stop(reason) or reason in _OUT_OF_TIME):
        return None
    return hit.group(0).strip(), Code.UNAVAILABLE if reason in _OUT_OF_TIME else code_of_stop(reason)
