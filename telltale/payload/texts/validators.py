"""Whether a text is a validator's sentence about the call's own arguments: `missing required parameter: owner`.

Not a search for words in prose: *every* word of the whole text must belong to the small language in which validators
speak of arguments, be the tool's name, or name an argument; and what it names must fit the call, a missing one absent
from the arguments, a refused one present in them.
"""

from __future__ import annotations

import re
from typing import Any

from telltale.payload.asked.verbs import Verb, verb_of
from telltale.payload.words import words

_LANGUAGE = words(
    """
    a after allowed an and are arg args argument arguments array as at be been before begin between blank bool
    boolean but bytes call calling can cannot character characters chars command contain containing contains
    could date datetime dict digits does either empty end ends equal error errors exceed exceeded exceeds exist
    expected failed false field fields float for format found from function future get given got greater has
    have in input inputs instead int integer invalid is it its json key keys least length less letters limit
    list long longer max maximum min minimum missing more most must name named needs negative no non none not
    null number numeric of on one only option options or param parameter parameters params parse parsed past
    please positive properties property provide provided range received request required requires schema short
    shorter should size space spaces specified specify start starts str string supplied supply than the this to tool
    true type unexpected unknown unrecognised unrecognized unsupported use valid validation value values was
    were when whitespace with without you your zero
    """
)
_NOUNS = words(
    "argument arguments arg args parameter parameters param params field fields property properties input option"
)
_ABSENT = words("missing requires needs provide specify supply")
_REFUSED = words("must invalid unexpected unknown unrecognised unrecognized unsupported should expected exceeds cannot")
_LIMITS = words("must exceeds cannot")
"""Words with which a validator speaks of an argument without calling it one: `title exceeds the length of 80`."""

_TYPES = words("number str string int integer array object bool boolean float list dict")
_COPULA = words("is are was were")
_TOKEN = re.compile(r"[A-Za-z_][\w.-]*|\S")
_PUNCTUATION = frozenset("'\"`.,:;()[]{}!-–—<>=*/")
_COMPOUND = re.compile(r"[a-z][A-Z]|[a-z]_[a-z]")
_CAP = 200
_MOST_NAMES = 3


def refused_argument(text: str, tool: str, arguments: Any) -> str | None:
    """The name of the argument that the text refuses or misses; None where the text is no validator's sentence."""
    if len(text) > _CAP or not isinstance(arguments, dict):
        return None
    tokens = _TOKEN.findall(_without_values(text, arguments))
    low = [token.rstrip(".-").lower() for token in tokens]
    said = set(low)
    needed = "required" in said and bool(said & _COPULA)
    absent, refused = needed or bool(said & _ABSENT), bool(said & _REFUSED)
    if not (absent or refused):
        return None
    own = {word.lower() for word in re.findall(r"[A-Za-z]+", tool)} | {tool.lower()}
    if own & (_ABSENT | _REFUSED):
        return None
    keys = {str(key).lower() for key in arguments}
    names = [token for token in low if _is_name(token, own)]
    quoted = [low[i + 1] for i, mark in enumerate(tokens[:-2]) if mark in ("'", '"', "`") and tokens[i + 2] == mark]
    names += [name for name in quoted if name not in names]
    names += [token for token in low if token in keys and token not in names]
    inner = refused and len(set(names)) == 1 and any(_COMPOUND.search(token) for token in tokens)
    typed = "expected" in said and bool(said & _TYPES) and bool(quoted)
    speaks_of_one = said & _NOUNS or said & _LIMITS or needed or inner or typed
    if not names or len(set(names)) > _MOST_NAMES or not speaks_of_one:
        return None
    unknown = names[0] not in keys
    if all(name in keys for name in names) or (inner and unknown and verb_of(tool) is Verb.CHANGE):
        return names[0] if refused else None
    return names[0] if absent and not any(name in keys for name in names) else None


def _without_values(text: str, arguments: dict[str, Any]) -> str:
    """A text without what it quotes of the arguments' own values: `got str: '861, 365'`."""
    for value in list(arguments.values())[:_MOST_VALUES]:
        if isinstance(value, str) and " " in value and repr(value) in text:
            text = text.replace(repr(value), "value")
    return text


_MOST_VALUES = 20


def _is_name(token: str, own: set[str]) -> bool:
    """Whether a word stands outside the validators' language, and so can only be the name of an argument."""
    return token not in _LANGUAGE and token not in own and token not in _PUNCTUATION and not token.isdigit()
