"""What an answer says by its own shape: nothing, the deed itself, what was not done, rows; the spans do not count."""

from __future__ import annotations

import re
from typing import Any

from telltale.payload import Reading
from telltale.payload.objects.empty import is_empty, is_frame
from telltale.payload.objects.fields import Role, role_of
from telltale.payload.objects.shapes import ADDRESSES, says_it_went_well
from telltale.payload.words import words

_SHORT_TEXT = 300
_NOT_DONE = words(
    """
    queued failed rejected denied errored declined delayed deferred blocked skipped suspended aborted cached scheduled
    limited expired pending need needed required supported simulated
    """
)
_MOST_KEYS = 20
_BESIDE = words(
    "unit units currency timezone waited waitedms waited_ms elapsedms durationms tookms took_ms latency_ms polls "
    "attempts tries retries skipped ignored unchanged"
)


def denies(reading: Reading) -> bool:
    """`{"found": false, "user": null}`: the result says in a flag of its own that the thing is not there."""
    value = reading.value
    return isinstance(value, dict) and any(
        inner is False and not is_frame(key) and role_of(key) is None for key, inner in list(value.items())[:30]
    )


def is_nothing(value: Any) -> bool:
    """`{"user": null}`: what was looked for is named, and is not there; a bare null or an empty list says nothing."""
    if not isinstance(value, dict):
        return False
    told = [inner for key, inner in value.items() if inner is None or (not is_frame(key) and role_of(key) is None)]
    return bool(told) and all(inner is None for inner in told)


def is_where_it_ended(value: Any, address: str) -> bool:
    """Whether the address in the result is that of the call that failed: a browser that was led to a refusal."""
    failed = address.partition("?")[0]
    if not isinstance(value, dict) or not failed:
        return False
    return any(isinstance(value.get(key), str) and value[key].partition("?")[0] == failed for key in ADDRESSES)


def is_a_yes(value: Any) -> bool:
    """Whether an examining tool answers with yes, and with no flag to the contrary: `{"running": true}`."""
    flags = [inner for key, inner in value.items() if role_of(key) is None] if isinstance(value, dict) else []
    return True in flags and False not in flags and all(isinstance(inner, bool) for inner in flags)


def counts_none(text: str) -> bool:
    """Whether a text is a count of nothing, as checkers close with: `found 0 vulnerabilities`, `No issues found.`"""
    return _COUNTS_NONE.fullmatch(text.strip()) is not None


_COUNTS_NONE = re.compile(
    r"(?:found )?(?:0|no) [a-z-]{3,30}(?: [a-z-]{3,30})?(?: (?:were )?(?:found|detected))?[.!]?", re.IGNORECASE
)


def is_hollow(value: Any, arguments: Any) -> bool:
    """Whether a value is what a swallowed failure leaves: `false`, 0, -1; or an object of nothing else."""
    if isinstance(value, bool | int | float):
        return value in (0, -1)
    if not isinstance(value, dict) or not value or len(value) > _MOST_KEYS:
        return False
    said = list(arguments.values()) if isinstance(arguments, dict) else []
    told = [
        inner for key, inner in value.items() if not _is_measure(key) and role_of(key) is None and inner not in said
    ]
    if not told:  # nothing but its frame: a count of none
        return any(type(inner) is int and inner == 0 for key, inner in value.items() if is_frame(key))
    return all(is_empty(inner) or (not isinstance(inner, str) and inner in (0, -1)) for inner in told)


def _is_measure(key: str) -> bool:
    """Whether a key frames an answer, or only says what it is measured in, or how often and how long it was tried."""
    return is_frame(key) or key.lower() in _BESIDE


def reports_the_deed(reading: Reading) -> bool:
    """`{"sent": true}`, `{"status": "submitted"}`: the result says that what was to be changed is changed."""
    if reading.value is True:
        return True
    value = reading.value[0] if isinstance(reading.value, list) and len(reading.value) == 1 else reading.value
    if not isinstance(value, dict):
        return False
    if says_it_went_well(value) or _lists_successes(value):
        return True
    return _is_done(value) or any(_are_done(inner) for inner in list(value.values())[:_MOST_KEYS])


def _are_done(held: Any) -> bool:
    """`[{"to": "a", "status": "sent"}]`: a list of nothing but things that are told as done."""
    return isinstance(held, list) and bool(held) and all(isinstance(i, dict) and _is_done(i) for i in held[:_MOST_KEYS])


def _is_done(value: dict[str, Any]) -> bool:
    """`{"status": "sent"}`, `{"sent": true}`: one thing that is told as done."""
    for key, inner in list(value.items())[:30]:
        word = key if inner is True else inner if key in ("status", "state", "result") else None
        if isinstance(word, str) and _names_a_deed(word):
            return word.lower() not in _NOT_DONE
    return False


def _names_a_deed(word: str) -> bool:
    return word.lower().endswith("ed") or word.lower() in ("sent", "paid", "done")


def admits(value: Any) -> bool:
    """`{"ok": true, "edited": false}`: beside its claim the result says of itself what was not done."""
    return isinstance(value, dict) and any(
        inner is False and _names_a_deed(str(key)) and str(key).lower() not in _NOT_DONE
        for key, inner in list(value.items())[:30]
    )


def _lists_successes(value: dict[str, Any]) -> bool:
    """`{"success": [{"id": "lamp"}], "failed": []}`, on the result's own level or one below."""
    levels = [value, *(inner for inner in list(value.values())[:_MOST_KEYS] if isinstance(inner, dict))]
    return any(
        isinstance(inner, list) and bool(inner) and role_of(key) == Role.GOOD
        for level in levels
        for key, inner in level.items()
    )


def is_short_text(reading: Reading) -> bool:
    return isinstance(reading.value, str) and len(reading.value) <= _SHORT_TEXT


def holds_rows(value: Any) -> bool:
    """Whether a value is a list of rows, or holds one under a customary key."""
    rows = next((value[key] for key in _ROWS if key in value), None) if isinstance(value, dict) else value
    return isinstance(rows, list) and bool(rows) and all(isinstance(row, dict | list) for row in rows[:_MOST_KEYS])


_ROWS = ("rows", "results", "records", "data", "items")
