"""Runs that did not come to their own end: stopped at a limit of turns or steps, or on a page that nobody asked for."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlsplit

from telltale.payload.asked.verbs import Verb, verb_of
from telltale.payload.codes.budgets import names_a_spent_budget
from telltale.payload.codes.phrases import first_code
from telltale.payload.objects.fields import ERROR_WORDS
from telltale.payload.objects.shapes import ADDRESS_KEYS, ADDRESSES
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.words import words
from telltale.vocabulary import Code

_REASONS = words(
    """
    stop_reason stopReason exit_reason exitReason finish_reason finishReason end_reason endReason terminate_reason
    terminateReason termination_reason terminationReason subtype
    """
)
_BACK = words(
    """
    continue next return returnurl return_url returnto return_to redirect redirecturl redirect_url redirectto
    redirect_to redirect_uri dest destination goto target callbackurl callback_url backurl back_url relaystate service
    origin_url original_url referer ref
    """
)
LONGEST_ANSWER = 300
"""Characters: what a run says that was cut off on its way; one that answered before its limit says more."""


def stopped_early(value: dict[str, Any], asked: Asked) -> Finding | None:
    """`{"reply": "Now for the tests.", "stop_reason": "max_turns"}`: the run ended at its limit, with little to say.

    Also one that names an error as its end. Not of tools that look up how other runs ended.
    """
    if value.keys().isdisjoint(_REASONS) or verb_of(asked.tool) in (Verb.READ, Verb.EXAMINE):
        return None
    for key, reason in value.items():
        if key not in _REASONS or not isinstance(reason, str) or not is_a_stop(reason):
            continue
        if sum(map(_length, value.values())) <= LONGEST_ANSWER:
            said = first_code([text for text in value.values() if isinstance(text, str)])
            return Finding("payload.stopped_early", Says.HIDDEN, key, reason, said or code_of_stop(reason))
    return None


def is_a_stop(reason: str) -> bool:
    """Whether a word for why a run ended names a limit of its turns or steps, or an error."""
    return names_a_spent_budget(reason) or reason.lower() in ERROR_WORDS


def code_of_stop(reason: str) -> Code | None:
    """The code of such a word: a spent limit is one of a rate; an error tells none."""
    return Code.RATE_LIMITED if names_a_spent_budget(reason) else None


def _length(held: Any) -> int:
    """Of texts their length; whatever else a run hands back besides counts and flags is an answer."""
    if isinstance(held, str):
        return len(held)
    return LONGEST_ANSWER + 1 if isinstance(held, dict | list) and held else 0


def other_page(value: dict[str, Any], asked: Asked) -> Finding | None:
    """`{"url": "https://a.example/login?next=/orders"}` of a browser that was sent to `/orders`: a page in between.

    Its address names the one that was asked for as the way to go on: a sign-in, a consent, a check for robots.
    """
    if ADDRESS_KEYS.isdisjoint(value):
        return None
    sent = asked.arguments.values() if isinstance(asked.arguments, dict) else ()
    wanted = [each for each in sent if isinstance(each, str) and "://" in each[:12]]
    for key in ADDRESSES if wanted else ():
        came = value.get(key)
        if isinstance(came, str) and "?" in came and any(_leads_back(came, each) for each in wanted):
            return Finding("payload.other_page", Says.HIDDEN, key, came[:200], Code.PERMISSION_DENIED)
    return None


def _leads_back(came: str, wanted: str) -> bool:
    """Whether an address is another page than the wanted one, and gives that as the way to go on."""
    try:
        here, there = urlsplit(came), urlsplit(wanted)
        onward = [text for name, text in parse_qsl(here.query, max_num_fields=50) if name.lower() in _BACK]
    except ValueError:
        return False
    if (here.netloc, here.path.rstrip("/")) == (there.netloc, there.path.rstrip("/")):
        return False
    whole, path = _bare(wanted), there.path.rstrip("/")
    return any(_bare(text).startswith(whole) or (len(path) > 1 and text.startswith(path)) for text in onward)


def _bare(address: str) -> str:
    return address.partition("://")[2].removeprefix("www.").partition("#")[0].partition("?")[0].rstrip("/")
