"""What the counters and flags of a tool that acts say: done, not done, refused."""

from __future__ import annotations

import re
from typing import Any

from telltale.payload.asked.asking import asks_for_state, is_rehearsed
from telltale.payload.asked.verbs import (
    Verb,
    names_a_making,
    names_a_new_deed,
    names_a_removal,
    names_its_thing,
    names_the_deed,
    verb_of,
)
from telltale.payload.codes.infer import code_of, code_of_class
from telltale.payload.codes.phrases import first_code
from telltale.payload.objects.evidence import code_of_parts, short, told_texts
from telltale.payload.objects.fields import ERROR_WORDS, Fields, Role, role_of
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.words import words
from telltale.vocabulary import Code


def nothing_succeeded(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """A batch of which nothing succeeded, by its counters: of what was tried, or asked for, none was done."""
    if verb_of(asked.tool) not in (Verb.CHANGE, Verb.UNKNOWN):
        return None
    done = [inner for _, inner in fields.get(Role.GOOD) if type(inner) is int]
    for key, inner in fields.get(Role.BAD):
        if type(inner) is int and inner > 0 and done and not any(done):
            return Finding("payload.items_failed", Says.HIDDEN, key, inner, code_of_parts(value))
    if len(value) > _MOST_COUNTERS:
        return None
    found = _none_done(value, asked) or _deed_denied(value, fields, asked) or _not_made(value, fields, asked)
    return found or _declined(value, fields, asked) or _came_to_nothing(value, asked)


def _declined(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"result": "declined", "reason_code": "51"}` of a change: one word for a no, beside it only numbers of it."""
    told = value.get("result")
    if verb_of(asked.tool) is not Verb.CHANGE or not isinstance(told, str) or told.lower() not in _NOES:
        return None
    if asks_for_state(asked, told) or not all(key == "result" or _is_number_of(key) for key in fields.keys):
        return None
    return Finding("payload.status_error", Says.HIDDEN, "result", told, first_code(told_texts(value)))


def _came_to_nothing(value: dict[str, Any], asked: Asked) -> Finding | None:
    """`{"bookingStatus": "FAILED"}` of `book_flight`: the status of what the tool was to do, under a name of its own.

    Also a bare state that names a failure nobody asks for (`{"state": "unavailable"}`).
    """
    if verb_of(asked.tool) is not Verb.CHANGE or len(value) > _MOST_COUNTERS:
        return None
    for key, inner in value.items():
        low = key.lower() if isinstance(inner, str) and len(inner) <= _LONGEST_CODE else ""
        if not low.endswith(("status", "state")) or role_of(key) is not None or asks_for_state(asked, inner):
            continue
        noun = low.removesuffix("status").removesuffix("state").rstrip("_-")
        made = len(noun) >= _STEM and names_a_making(asked.tool) and names_the_deed(asked.tool, noun)
        own = made or noun in _OF_ANY_DEED
        if own and (inner.lower() in ERROR_WORDS or inner.lower() in _NOES):
            return Finding("payload.status_error", Says.HIDDEN, key, inner, first_code(told_texts(value)))
        if low == "state" and code_of(inner) in _UNASKED:
            return Finding("payload.status_word", Says.HIDDEN, key, inner, code_of(inner))
    return None


_OF_ANY_DEED = words("transaction operation request delivery execution processing")
_STEM = 4
_UNASKED = frozenset((Code.UNAVAILABLE, Code.PERMISSION_DENIED, Code.RATE_LIMITED))
_NOES = frozenset(("declined", "rejected", "refused", "denied"))


def _is_number_of(key: str) -> bool:
    """Whether a key holds a service's number for its answer, or an id of it."""
    return key.lower().endswith(("code", "id", "ref"))


def _deed_denied(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"submitted": false}` of `submit_job`: the deed that the tool is named after, denied in a flag of its own.

    So is what every such deed leads to (`{"delivered": false}`), where nothing is named that may still come of it. Not
    of deeds that may be unnecessary (an update, a removal), where `false` says that nothing had to be done, and not
    where another flag says what was done in its place (`{"sent": false, "scheduled": true}`).
    """
    if is_rehearsed(value, asked):
        return None
    acts = verb_of(asked.tool) is Verb.CHANGE
    refused = acts and _names_a_code(value, asked)
    replaced = not refused and any(inner is True and _is_a_deed(str(key)) for key, inner in value.items())
    bare = acts and not fields.identity and not fields.has(Role.STATUS)
    for key, inner in value.items():
        denied = role_of(key) is None and inner is False and not replaced
        deed = _LAST_WORD.search(str(key))
        own = names_a_new_deed(asked.tool, str(key)) or (deed is not None and names_a_new_deed(asked.tool, deed[0]))
        if denied and (refused or own or (bare and key.lower() in _ENDS)):
            return Finding("payload.flag_false", Says.FAILED, str(key), False)
        if acts and inner is True and key.lower() in _SAYS_NO and not asks_for_state(asked, key):
            return Finding("payload.flag_error", Says.FAILED, str(key), True, code_of_class(key))
    return None


_LAST_WORD = re.compile(r"(?<=_)[a-z]{3,12}\Z|[A-Z][a-z]{2,11}\Z")
"""The deed in a flag that names its thing first: `invite_sent`, `emailSent`."""

_ENDS = words(
    """
    delivered confirmed paid captured saved accepted acknowledged ack completed executed processed submitted published
    charged refunded booked reserved sent written persisted stored committed uploaded dispatched placed
    """
)
"""The flags with which services say that a deed came to its end."""

_SAYS_NO = words("denied unauthorized unauthenticated forbidden rate_limited ratelimited throttled refused")


def _not_made(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"booking": null, "message": "…"}` of `create_booking`: what was to be made is named, and is not there.

    Also where nothing stands beside it (`{"createBooking": {"booking": null}}`, as GraphQL answers).
    """
    if verb_of(asked.tool) is not Verb.CHANGE or fields.substance:
        return None
    if not fields.has(Role.MESSAGE) and len(value) != 1:
        return None
    if names_a_removal(asked.tool) or any(inner is True for inner in value.values()):
        return None
    for key, inner in value.items():
        if inner is None and role_of(key) is None and names_its_thing(asked.tool, str(key)):
            return Finding("payload.flag_false", Says.HIDDEN, str(key), None, first_code(told_texts(value)))
    return None


def _is_a_deed(flag: str) -> bool:
    """Whether a flag that is set may say what was done or is so already, and not that, or why, it was refused."""
    return role_of(flag) is None and code_of(flag) is None and _REFUSALS.isdisjoint(_PLAIN_WORDS.findall(flag.lower()))


_PLAIN_WORDS = re.compile(r"[a-z]+")
_REFUSALS = words(
    """
    refused rejected failed failure error errors invalid blocked denied limited ratelimited throttled bounced expired
    suspended unavailable unauthorized forbidden retry retryable cancelled canceled disabled unreachable offline
    """
)


def _names_a_code(value: dict[str, Any], asked: Asked) -> bool:
    """Whether a reason or code beside the flags is a known one in capitals (`"reason": "FORBIDDEN"`), and no deed's."""
    for key in ("reason", "code", "cause"):
        told = value.get(key)
        if isinstance(told, str) and told.isupper() and len(told) <= _LONGEST_CODE and code_of(told) is not None:
            return not asks_for_state(asked, told)
    return False


_LONGEST_CODE = 60


def _none_done(value: dict[str, Any], asked: Asked) -> Finding | None:
    """`{"requestedCount": 2, "appliedCount": 0}`: something wanted or refused, and every counter of the done at 0.

    Of a tool that changes something also `{"accepted": [], "rejected": ["…"]}`; others may sort things so.
    """
    lists = verb_of(asked.tool) is Verb.CHANGE
    if not any((type(inner) is int and inner == 0) or (lists and inner == []) for inner in value.values()):
        return None
    counts = [(set(_WORDS.findall(str(key).lower())), str(key), inner) for key, inner in value.items()]
    done = [inner for said, _, inner in counts if _counts(inner, lists) and said & _DONE and not said & _OTHERS]
    if not done or any(done):
        return None
    for said, key, inner in counts:
        if _is_left_undone(said, inner) or (isinstance(inner, list) and inner and _is_other_half(said, counts)):
            return Finding("payload.items_failed", Says.HIDDEN, key, short(inner), code_of_parts(value))
    return None


def _is_left_undone(said: set[str], inner: Any) -> bool:
    """Whether a counter or a list names what was wanted, or what was refused: `{"rows_failed": 12}`."""
    refused = bool(said & _REFUSED) and said - _NEUTRAL <= _REFUSED
    if type(inner) is int:
        return inner > 0 and (refused or bool(said & _WANTED))
    return isinstance(inner, list) and bool(inner) and refused


def _is_other_half(said: set[str], counts: list[tuple[set[str], str, Any]]) -> bool:
    """Whether a list names the refused and another, by the same nouns, the done: `failed_ids` beside `success_ids`."""
    return bool(said & _REFUSED) and any(other & _DONE and other - _DONE == said - _REFUSED for other, _, _ in counts)


def _counts(inner: Any, lists: bool) -> bool:
    """Whether a value counts what was done: a number, or the list of it."""
    return type(inner) is int or (lists and isinstance(inner, list))


_WORDS = re.compile(r"[a-z]+?(?=count\b|total\b)|[a-z]+")
_WANTED = words("requested attempted submitted tried expected")
_NEUTRAL = words("count total number num n rows items records messages entries files lines")
_REFUSED = words("refused rejected failed failures error errors ko unmatched conflicts invalid")
_DONE = words(
    """
    ok accepted applied success succeeded successful sent delivered inserted created updated deleted removed written
    saved stored imported uploaded indexed added processed completed changed modified
    """
)
_OTHERS = words("at by on since last time date not un failed skipped")
_MOST_COUNTERS = 40
