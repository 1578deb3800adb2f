"""Why a change was not made, as its result says: a status or a flag that stands alone with its reason."""

from __future__ import annotations

import re
from typing import Any

from telltale.payload.asked.asking import asks_for_state, is_rehearsed
from telltale.payload.asked.verbs import (
    Verb,
    has_word,
    names_a_making,
    names_a_new_deed,
    names_a_rehearsal,
    names_a_removal,
    names_its_thing,
    names_the_deed,
    verb_of,
)
from telltale.payload.codes.infer import code_of
from telltale.payload.codes.phrases import first_code
from telltale.payload.objects.evidence import told_texts
from telltale.payload.objects.fields import ERROR_WORDS, Fields, Role, role_of
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.words import words
from telltale.vocabulary import Code

_NOES = {
    **dict.fromkeys(("rejected", "invalid", "unsupported", "malformed"), Code.INVALID_ARGUMENT),
    **dict.fromkeys(("denied", "refused", "declined", "blocked", "unauthenticated"), Code.PERMISSION_DENIED),
    **dict.fromkeys(("disabled", "unconfigured", "not_configured", "misconfigured", "offline"), Code.UNAVAILABLE),
}
"""States in which nothing can have been made, with the code that is meant where nothing beside them tells one."""

_NEEDS = words(
    """
    configured available authenticated authorized authorised connected enabled allowed permitted reachable logged_in
    loggedin supported initialized initialised installed online ready
    """
)
"""Flags for what a deed needs; one that is false says why it was not done."""

_UNDONE = ("failed to ", "could not ", "unable to ", "cannot ", "can't ")


def not_made(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """The first of the rules below that finds something; only of tools that were to make or run something."""
    verb = verb_of(asked.tool)
    if verb not in (Verb.CHANGE, Verb.RUN) or is_rehearsed(value, asked) or names_a_rehearsal(asked.tool):
        return None
    return (
        _concluded(value, asked)
        or _says_no(value, fields, asked)
        or _lacks(value, fields, asked)
        or _left_out(value, asked)
        or _without_an_id(value, fields, asked)
        or _none_placed(value, fields, asked)
    )


def _without_an_id(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"status": "created", "id": null}`: what is said to be made has no id, and nothing else of it is there."""
    if not names_a_making(asked.tool) or len(value) > _MOST_CLAIMED or not (_claims(fields) or _is_bare(value)):
        return None
    lacking = [key for key, inner in value.items() if inner in (None, "") and _is_its_id(asked.tool, key)]
    others = [key for key, inner in value.items() if key not in lacking and inner and role_of(key) is None]
    return Finding("payload.flag_false", Says.HIDDEN, lacking[0], value[lacking[0]]) if lacking and not others else None


def _none_placed(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"status": "ok", "replaced_count": 0}`: a claim whose only figure says that nothing was done.

    Of deeds that an update, a removal or a fetch may find unnecessary, 0 is an answer.
    """
    if verb_of(asked.tool) is not Verb.CHANGE or len(value) > _MOST_CLAIMED or not _claims(fields):
        return None
    left = [(key, inner) for key, inner in value.items() if role_of(key) is None]
    if len(left) != 1 or type(left[0][1]) is not int or left[0][1] != 0:
        return None
    told = set(_SPLIT.findall(left[0][0].lower()))
    return Finding("payload.items_failed", Says.HIDDEN, left[0][0], 0) if told & _PLACED and told <= _FIGURE else None


_SPLIT = re.compile(r"[a-z]+?(?=count\b|total\b)|[a-z]+")
_PLACED = words("replaced inserted sent written uploaded applied created delivered placed")
_FIGURE = _PLACED | words("count total number num n rows items records messages files lines occurrences matches")


def _claims(fields: Fields) -> bool:
    made = any(isinstance(inner, str) and inner.lower() in _MADE for _, inner in fields.get(Role.STATUS))
    return made or any(inner is True for _, inner in fields.get(Role.GOOD))


def _is_its_id(tool: str, key: str) -> bool:
    """Whether a key is the id of what a tool makes: `id`, or `event_id` of `create_event`."""
    low = key.lower()
    thing = low.removesuffix("id").rstrip("_")
    return low in _IDS or (low.endswith("id") and names_its_thing(tool, thing))


def _is_bare(value: dict[str, Any]) -> bool:
    """Whether an object holds nothing at all under any of its keys."""
    return bool(value) and all(inner in (None, "") for inner in value.values())


_IDS = words("id uuid url html_url htmlurl uri link permalink message_id messageid")
_MOST_CLAIMED = 6
_MADE = words(
    """
    created ok success successful succeeded completed complete done added registered booked sent submitted
    uploaded published
    """
)


def _says_no(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"status": "rejected", "reason": "…"}`: the state of what was to be made, and nothing made beside it.

    So is a sentence in its place (`{"status": "failed to create", "result": null}`).
    """
    for key in ("status", "state", "outcome"):
        told = value.get(key)
        low = told.lower() if isinstance(told, str) else ""
        if low.startswith(_UNDONE):
            return Finding("payload.status_error", Says.HIDDEN, key, low[:200], first_code([low, *told_texts(value)]))
        if low not in _NOES or fields.identity or not _is_alone(value, key):
            continue
        if asks_for_state(asked, low) or names_the_deed(asked.tool, low) or not names_a_making(asked.tool):
            continue
        said = first_code(told_texts(value)) or code_of(low) or _NOES[low]
        return Finding("payload.status_error", Says.HIDDEN, key, told, said)
    return None


def _concluded(value: dict[str, Any], asked: Asked) -> Finding | None:
    """`{"status": "completed", "conclusion": "failure"}` of a run that the tool started and waited for."""
    told = value.get("conclusion")
    low = told.lower() if isinstance(told, str) else ""
    if low in ERROR_WORDS or low in _ENDS:
        return Finding("payload.status_error", Says.HIDDEN, "conclusion", told, code_of(low))
    state = value.get("state")
    begins = verb_of(asked.tool) is Verb.RUN or has_word(asked.tool, _BEGINNING)
    if begins and isinstance(state, str) and state.lower() in ERROR_WORDS and not asks_for_state(asked, state):
        return Finding("payload.status_error", Says.FAILED, "state", state, first_code(told_texts(value)))
    return None


_ENDS = ("timed_out", "startup_failure")
_BEGINNING = words("start launch trigger submit create")


def _is_alone(value: dict[str, Any], state: str) -> bool:
    """Whether beside a state there is only why, and when: no thing, no list, no count."""
    return all(
        key == state or inner is None or isinstance(inner, str | bool) or role_of(key) in (Role.META, Role.MESSAGE)
        for key, inner in value.items()
    )


def _lacks(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"configured": false, "message": "…"}`: what the deed needs is not there, and why is told beside it."""
    makes = names_a_making(asked.tool) or verb_of(asked.tool) is Verb.RUN
    if not fields.has(Role.MESSAGE) or fields.identity or not makes:
        return None
    for key, inner in value.items():
        if inner is False and key.lower() in _NEEDS and not asks_for_state(asked, key) and _is_alone(value, key):
            said = first_code(told_texts(value)) or Code.UNAVAILABLE
            return Finding("payload.flag_false", Says.HIDDEN, key, False, said)
    return None


def _left_out(value: dict[str, Any], asked: Asked) -> Finding | None:
    """`{"created": null, "problem": "…"}`: the deed is named and has no outcome, and a text stands beside it."""
    if len(value) < 2 or names_a_removal(asked.tool):
        return None
    for key, inner in value.items():
        if inner is None and names_a_new_deed(asked.tool, key) and _is_alone(value, key):
            texts = [told for told in value.values() if isinstance(told, str) and " " in told]
            return Finding("payload.flag_false", Says.HIDDEN, key, None, first_code(texts)) if texts else None
    return None
