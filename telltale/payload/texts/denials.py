"""Short texts with which programs begin to say that they did not do what they were to do.

Each form stands in the first words or the first sentence of a short text and is held against the call: `Failed to
fetch …`, `Could not reach …` with a verb that tools' names use; a fixed text of a published interface (`Permission
denied - …`); a variable that is not set, a program that is not ready; a value that the call gave, called invalid; and,
of a tool that was to act on something, the denial of the thing that the call named (`Element 9 not found`) or the deed
that failed (`Image upload failed: …`). No form looks for words further on in the text.
"""

from __future__ import annotations

import re
from typing import Any

from telltale.payload.asked.asking import names_a_value
from telltale.payload.asked.verbs import Verb, verb_of
from telltale.payload.codes.infer import REASON_PHRASES
from telltale.payload.codes.phrases import code_of_phrase
from telltale.payload.texts.fixed import refusing_form
from telltale.payload.texts.marks import bears_mark
from telltale.payload.words import DRESS, words
from telltale.vocabulary import Code, code_of_http

_COULD_NOT = re.compile(
    rf"{DRESS}(?:(?:sorry|apologies)[,.!]? (?:but )?)?(?:(?:i|we)(?:['’](?:m|re)| am| are| was| were)? )?"
    r"(?P<mark>(?:(?:fail(?:ed|s)?|unable|not able) to|could not|couldn't|cannot|can't|can not)"
    r" (?P<verb>[a-z]{2,20}))\b",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    rf"{DRESS}(?P<mark>no (?:se (?:pudo|puede|ha podido)|fue posible)|impossible de(?: se)?|n[ãa]o foi poss[íi]vel"
    r"|impossibile|non (?:è|e) stato possibile|не удалось|无法|無法|未能)"
    r" ?(?!encontrar|hallar|trouver|trovare|найти|找到)\w",
    re.IGNORECASE,
)
"""The same in other languages, with any verb but that of finding: `No se pudo conectar con el servidor`."""

_SEEKING = words("find locate match see determine identify tell say think know answer be confirm verify rule")
"""Verbs of which "could not" is an answer: what was looked for is not there, or is not known."""

_TRANSPORT = words(
    """
    access acquire allocate apply authenticate authorize bind build communicate complete compute configure connect
    contact convert copy decode decrypt deserialize detach dispatch encode encrypt establish extract finalize finish
    generate handle import initialize instantiate interact launch leave mount navigate negotiate obtain parse perform
    persist process produce reach recover refresh render resolve respond restore return scale select serialize setup
    spawn switch take translate unmount wake find locate
    """
)
"""Verbs of programs beside those of tools' names; "unable to attend the meeting" is no program's sentence."""

_REASONED = re.compile(r"[^:\n.?!,;]{0,80}: (?=\S)")
_UNSET = re.compile(
    rf"{DRESS}(?:missing |the )?(?:environment variable )?(?P<name>[A-Z][A-Z0-9]{{1,30}}(?:_[A-Z0-9]{{1,30}}){{1,6}})"
    r"(?: \w+){0,2} (?:is |was )?"
    r"(?:not (?:set|found|configured|defined|provided)|missing|required|unset|empty|must be)\b"
)
_NOT_READY = re.compile(
    rf"{DRESS}(?:[\w.-]{{2,20}} ){{0,3}}(?:is |was |are )?not (?P<state>connected|initiali[sz]ed|configured|installed"
    r"|authenticated|logged in|reachable|responding|open|started|running|active)\b",
    re.IGNORECASE,
)

_STANDARD = {
    "unauthorized": Code.PERMISSION_DENIED,
    "unauthenticated": Code.PERMISSION_DENIED,
    "forbidden": Code.PERMISSION_DENIED,
    "authentication required": Code.PERMISSION_DENIED,
    "authentication failed": Code.PERMISSION_DENIED,
    "permission denied": Code.PERMISSION_DENIED,
    "operation not permitted": Code.PERMISSION_DENIED,
    "access denied": Code.PERMISSION_DENIED,
    "the caller does not have permission": Code.PERMISSION_DENIED,
    "caller does not have permission": Code.PERMISSION_DENIED,
    "connection refused": Code.UNAVAILABLE,
    "connection reset": Code.UNAVAILABLE,
    "connection timed out": Code.UNAVAILABLE,
    "operation timed out": Code.UNAVAILABLE,
    "request timed out": Code.UNAVAILABLE,
    "network is unreachable": Code.UNAVAILABLE,
    "no such file or directory": Code.NOT_FOUND,
    "rate limit exceeded": Code.RATE_LIMITED,
    "quota exceeded": Code.RATE_LIMITED,
}
"""Fixed texts of published interfaces: POSIX `strerror`, the default messages of google.rpc.Code, S3's AccessDenied."""

_STANDARD |= {
    phrase: code
    for phrase, status in REASON_PHRASES.items()
    if " " in phrase and status in (401, 403, 429, 500, 502, 503, 504) and (code := code_of_http(status)) is not None
}
_HEAD = re.compile(
    rf"{DRESS}(?:(?:the )?(?:upstream|server|api|backend|gateway) )?(?P<phrase>[A-Za-z][A-Za-z' ]{{6,40}}?)\s*"
    r"(?:$|[:.,;(\n]|[-–—] | (?:while|when|after|for|by|on|to)\b)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n")
_FAILED_DEED = re.compile(
    rf"{DRESS}(?:[\w.'-]{{2,30}} ){{1,4}}failed(?:(?: [\w ]{{1,30}}?)?(?:: | [-–—] )| (?:due to|because) )",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\s*(?:refus(?:ed|ing)|denied|forbidden|unauthori[sz]ed|not (?:allowed|permitted)): ", re.IGNORECASE
)
_REFUSED = re.compile(
    rf"{DRESS}(?:the )?(?:invalid|unsupported|unrecogni[sz]ed|malformed) "
    r"(?P<named>(?:[\w'\"./:@+-]{1,60} ?){1,5})",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    r"\b(?:(?P<absent>no such|not found|does(?: not|n't) exist|no longer exists|is not known"
    r"|no (?:element|node|item|row|record)s? match\w{0,3}"
    r"|unknown)|(?P<denied>is not (?:allowed|permitted))"
    r"|(?P<unfit>(?:is )?not (?:registered|defined|available|valid|a valid|supported|enabled))"
    r"|(?P<taken>already exists|is already taken))\b",
    re.IGNORECASE,
)
_ABSENT_CODES = {
    "absent": Code.NOT_FOUND,
    "denied": Code.PERMISSION_DENIED,
    "unfit": Code.INVALID_ARGUMENT,
    "taken": Code.CONFLICT,
}
_MOST_VALUES = 20
SHORT = 400
"""Most characters of a text that is read as one sentence or two."""

_MOST_LINES = 4


def could_not(text: str, looks_up: bool, reads: bool = False) -> str | None:
    """The words with which a short text begins to say that something could not be done; None for every other text.

    With a verb that programs use, or any with an error behind a colon (`Failed to record: error …`).

    Args:
        text: the whole result.
        looks_up: whether the tool looks something up, so that "could not find" is an answer.
        reads: whether it hands out what is written in a file or page, so that only the deed of reading is its own.
    """
    if not _is_short(text):
        return None
    foreign = _FOREIGN.match(text)
    if foreign is not None:
        return foreign.group("mark")
    hit = _COULD_NOT.match(text)
    verb = hit.group("verb").lower() if hit is not None else ""
    known = verb in _TRANSPORT or verb_of(verb) not in (Verb.UNKNOWN, Verb.EXAMINE)
    known = known or (hit is not None and verb not in _SEEKING and _gives_an_error(text[hit.end() :]))
    if reads and verb_of(verb) is not Verb.READ and verb not in _TRANSPORT:
        return None
    if hit is None or not known or (looks_up and verb in _SEEKING):
        return None
    if _SENTENCE_END.split(text.strip(), maxsplit=1)[0].endswith("?"):
        return None
    return hit.group("mark")


def _gives_an_error(rest: str) -> bool:
    """Whether the sentence goes on with a colon, and behind it with an error as programs write one."""
    reason = _REASONED.match(rest)
    told = rest[reason.end() :] if reason is not None else ""
    return told[:6].lower() == "error " or (bool(told) and bears_mark(told[:_REASON_CAP]))


_REASON_CAP = 300


def failed_reading(text: str, tool: str, arguments: Any) -> bool:
    """Whether one line says that a log could not be read: a verb of reading, the tool's own noun, what was asked for.

    Lines of a log begin with "failed to" as well, but hardly ever speak of reading the very thing by its kind and name.
    """
    hit = _COULD_NOT.match(text) if _is_short(text) and "\n" not in text.strip() else None
    if hit is None or verb_of(hit.group("verb")) not in (Verb.READ, Verb.EXAMINE):
        return False
    said = text.lower()
    nouns = [word for word in map(str.lower, _NOUNS.findall(tool)) if verb_of(word) is Verb.UNKNOWN]
    return any(noun in said for noun in nouns) and names_a_value(text, arguments)


_NOUNS = re.compile(r"[A-Z]?[a-z]{4,}")


def standard_text(text: str) -> tuple[str, Code] | None:
    """The standard text of POSIX or HTTP that a short text begins with, with the code it means."""
    form = refusing_form(text)
    if form is not None and form is not Code.NOT_FOUND:
        return text.strip()[:120], form
    hit = _HEAD.match(text) if _is_short(text) else None
    if hit is not None and "\n" in text.strip() and hit.group(0)[-1:] != ":":
        return None
    code = _STANDARD.get(hit.group("phrase").lower()) if hit is not None else None
    return (hit.group("phrase"), code) if hit is not None and code is not None else None


_GAVE_UP = re.compile(
    r"((?:[\w.'/-]{1,40} ){0,6}failed after (?:\d{1,3}|several|multiple|all|max(?:imum)?)"
    r" (?:retr(?:y|ies)|attempts?|tries))"
    r"(?:[ :;,.(-]{1,3}.{1,300})?",
    re.IGNORECASE,
)
"""One line of whoever tried again and gave up: `API call failed after 3 retries: …`."""


def gave_up(text: str) -> tuple[str, Code] | None:
    """What a short text says that is nothing but the word of whoever tried again in vain, with the code it means."""
    hit = _GAVE_UP.fullmatch(text.strip()) if _is_short(text) else None
    if hit is None:
        return None
    said = code_of_phrase(text)
    return hit.group(1), said[0] if said is not None else Code.UNAVAILABLE


def failed_deed(text: str) -> str | None:
    """`Image upload failed: …` at the beginning of a short text; only asked of tools that change or run something."""
    hit = _FAILED_DEED.match(text) if _is_short(text) else None
    return hit.group(0).strip() if hit is not None else None


def refusal(text: str) -> str | None:
    """`refusing: …` at the beginning of one line: it was not let; only asked of tools that change something."""
    hit = _REFUSAL.match(text[:60]) if _is_short(text) and "\n" not in text.strip() else None
    return hit.group(0).strip() if hit is not None else None


def refused_value(text: str, arguments: Any) -> str | None:
    """The argument, by name or by value, that a short text begins by calling invalid: `Invalid date format. …`."""
    hit = _REFUSED.match(text) if _is_short(text) and isinstance(arguments, dict) else None
    if hit is None:
        return None
    named = hit.group("named").lower()
    for key, value in list(arguments.items())[:_MOST_VALUES]:
        for said in (str(key).lower(), value.lower() if isinstance(value, str) else ""):
            if len(said) >= 2 and re.search(rf"(?<!\w){re.escape(said)}(?!\w)", named):
                return said
    return None


def not_ready(text: str) -> tuple[str, Code] | None:
    """The beginning with which a short text says that a program is not ready to work, and the code that it means."""
    hit = _NOT_READY.match(text) if _is_short(text) else None
    if hit is None:
        return None
    denied = hit.group("state").lower() in ("authenticated", "logged in")
    return hit.group(0).strip(), Code.PERMISSION_DENIED if denied else Code.UNAVAILABLE


def unset_variable(text: str, arguments: Any) -> str | None:
    """The environment variable that a short text says is not set; None where the call had asked for it."""
    hit = _UNSET.match(text) if _is_short(text) else None
    if hit is None or (isinstance(arguments, dict) and hit.group("name") in arguments.values()):
        return None
    return hit.group("name")


def absent_thing(text: str, arguments: Any, acts: bool) -> tuple[str, Code] | None:
    """The argument's value of which a short text's first sentence says that it is not there: `Element 9 not found`.

    Of a tool that `acts`, also that it is not available or allowed, or there already; with the code that this means.
    Never asked of tools that look something up: they may answer so.
    """
    if not _is_short(text) or not isinstance(arguments, dict):
        return None
    sentence = _SENTENCE_END.split(text.strip(), maxsplit=1)[0]
    hit = _ABSENT.search(sentence)
    if hit is None or not (acts or hit.lastgroup == "absent"):
        return None
    for value in _given(arguments):
        if isinstance(value, bool) or not isinstance(value, str | int):
            continue
        said = str(value)
        if 0 < len(said) <= 120 and re.search(rf"(?<!\w){re.escape(said)}(?!\w)", sentence):
            return said, _ABSENT_CODES[hit.lastgroup or "absent"]
    return None


def _given(arguments: dict[str, Any]) -> list[Any]:
    """The values that a call gave, those of an object or list one level down included; the first few."""
    found: list[Any] = []
    for value in list(arguments.values())[:_MOST_VALUES]:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else (value,)
        found += list(inner)[:_MOST_VALUES]
    return found


def _is_short(text: str) -> bool:
    return len(text) <= SHORT and text.strip().count("\n") < _MOST_LINES
