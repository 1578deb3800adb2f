"""Whether a failure was overcome: the same intent succeeded later in the session, or the user was told."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from analytics.judge.session_call import SessionCall
from analytics.judge.timeline import Timeline
from telltale.vocabulary import Code

_LOOKED_AT = 20
_READ = 600
_FIXABLE = frozenset({Code.INVALID_ARGUMENT.value, Code.CONFLICT.value})
_WORD = re.compile(r"[^\W\d_]{5,}")
_REFERENCE = re.compile(r"\b[0-9a-f]{8}\b")


@dataclass(slots=True, frozen=True)
class Answer:
    """What the agent said to the user: when (nanoseconds since 1970 UTC), and the text."""

    time_ns: int
    text: str


def succeeded_later(call: SessionCall, timeline: Timeline) -> bool:
    """Whether a later call of the same tool did what this one could not.

    The same arguments show the same intent. A wrong argument is corrected by a call that keeps at least one of the
    others, or whose only argument is the one that was wrong.
    """
    if timeline.same_succeeded_after(call):
        return True
    if call.code not in _FIXABLE:
        return False
    later = islice(timeline.good_after(call), _LOOKED_AT)
    if call.arguments is None:
        return any(True for _ in later)
    wrong = _object(call.arguments)
    return any(other.arguments is None or _is_correction(wrong, _object(other.arguments)) for other in later)


def _is_correction(wrong: dict[str, Any] | None, right: dict[str, Any] | None) -> bool:
    if wrong is None or right is None:
        return not (wrong or right)
    common = [key for key in wrong if key in right and wrong[key] == right[key]]
    return bool(common) or len(right) <= 1


def _object(text: str | None) -> dict[str, Any] | None:
    if not text or text[:1] != "{":
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def was_told(call: SessionCall, answers: Sequence[Answer]) -> bool | None:
    """Whether the agent's next words to the user pass the failure on; None while it has not spoken since.

    No list of words of regret: the answer must take up what the error said, its reference, or at least two of its
    longer words (one, where it has no more).

    Args:
        call: a failed call.
        answers: what the agent said, in order of time.
    """
    place = bisect_left(answers, call.ended_ns, key=_time)
    if place >= len(answers):
        return None
    message = call.error_message or ""
    text = answers[place].text.lower()
    if any(reference in text for reference in _REFERENCE.findall(message)):
        return True
    told = {word.lower() for word in _WORD.findall(message[:_READ])} | {w.lower() for w in _WORD.findall(call.tool)}
    taken_up = sum(1 for word in told if word in text)
    return bool(told) and taken_up >= min(2, len(told))


def _time(answer: Answer) -> int:
    return answer.time_ns
