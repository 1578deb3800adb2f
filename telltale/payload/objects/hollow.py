"""Empty answers that tell beside them why they are empty: a warning, a list of silent sources, a degraded mode."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from telltale.payload.asked.verbs import Verb, names_errors, names_logs, verb_of
from telltale.payload.codes.infer import code_of_class
from telltale.payload.codes.phrases import first_code
from telltale.payload.objects.empty import is_empty
from telltale.payload.objects.evidence import code_inside, short, told_texts
from telltale.payload.objects.fields import Role, fields_of, is_truthy_error, role_of
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.texts.marks import mark_of
from telltale.vocabulary import Code

Rule = Callable[[str, Any, dict[str, Any]], Finding | None]
_WARNING_KEYS = ("warning", "warnings", "notice", "notices")
_SILENT_SOURCES = re.compile(r"(?:unresponsive|unreachable|errored|timed_?out|failed)_?[A-Za-z_]{0,30}")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SOURCE = (
    r"(?:source|provider|engine|shard|backend|host|server|endpoint|upstream|connector|feed|region|query|request|fetch"
    r"|search|api|partial|lookup|retrieval|gateway|service)(?:e?s)?"
)
_ERRORS_OF_SOURCES = re.compile(rf"{_SOURCE}_errors?")
_FAILED_SOURCES = re.compile(rf"(?:failed|failing|errored)_{_SOURCE}|{_SOURCE}_(?:failed|failures?)")
_ERRORS_COUNTED = re.compile(r"(?:errors?_(?:count|total)|(?:num|number_of)_errors)")
_DEGRADED = ("degraded", "fallback", "partial", "is_fallback", "isFallback", "stale")
_REASONS = ("reason", "degraded_reason", "fallback_reason", "degradedReason", "fallbackReason", "cause")
_ABOUT = ("_meta", "meta", "metadata")
_GRAVE = frozenset({Code.UNAVAILABLE, Code.RATE_LIMITED, Code.PERMISSION_DENIED})
_MOST_TOLD = 20
_MOST_KEYS = 40


def hollow(value: dict[str, Any], asked: Asked) -> Finding | None:
    """The first of the rules below that finds something; none of them speaks of an object that answers anything."""
    if len(value) > _MOST_KEYS:
        return None
    for key, told in value.items():
        rule = _rule_of(key, told) if key[:1] in _INITIALS or "rror" in key else _RULES.get(key)
        if rule is None or not told or not is_empty({name: inner for name, inner in value.items() if name != key}):
            continue
        if verb_of(asked.tool) is Verb.EXAMINE or names_logs(asked.tool) or names_errors(asked.tool):
            return None
        found = rule(key, told, value)
        if found is not None:
            return found
    return None


def _rule_of(key: str, told: Any) -> Rule | None:
    """The rule that a key asks for which is like those of silent sources, or like those of errors that were met."""
    if key in _RULES or role_of(key) is not None:
        return _RULES.get(key)
    low = _CAMEL.sub("_", key).lower()
    if _ERRORS_OF_SOURCES.fullmatch(low) or _FAILED_SOURCES.fullmatch(low):
        return _failed_sources
    if _ERRORS_COUNTED.fullmatch(low):
        return _errors_counted
    return _silent_sources if type(told) in (list, dict) and _SILENT_SOURCES.fullmatch(key) else None


def _warned(key: str, told: Any, value: dict[str, Any]) -> Finding | None:
    """`{"flights": [], "warnings": ["provider A timed out"]}`: nothing, and a warning that a source gave no answer."""
    texts = [told] if isinstance(told, str) else told if isinstance(told, list) else []
    code = first_code([text for text in texts[:_MOST_TOLD] if isinstance(text, str)])
    return Finding("payload.warned_empty", Says.HIDDEN, key, short(told), code) if code in _GRAVE else None


def _silent_sources(key: str, told: Any, value: dict[str, Any]) -> Finding | None:
    """`{"results": [], "unresponsive_engines": [["a", "timeout"]]}`: nothing, and who was asked and did not answer."""
    texts = told_texts({"errors": told})
    pairs = (
        [text for item in told[:_MOST_TOLD] if isinstance(item, list) for text in item] if type(told) is list else []
    )
    texts += [text for text in pairs if isinstance(text, str)]
    code = first_code(texts)
    return Finding("payload.warned_empty", Says.HIDDEN, key, short(told), code) if code is not None else None


def _failed_sources(key: str, told: Any, value: dict[str, Any]) -> Finding | None:
    """`{"results": [], "failed_sources": ["a"]}`, `{"data": null, "upstream_error": "…"}`: nothing, and who failed."""
    if not is_truthy_error(told):
        return None
    code = code_inside(told) or first_code(told_texts({"errors": told}))
    return Finding("payload.warned_empty", Says.HIDDEN, key, short(told), code)


def _errors_counted(key: str, told: Any, value: dict[str, Any]) -> Finding | None:
    """`{"contacts": [], "error_count": 1}`: nothing, and how many errors were met on the way."""
    if type(told) is not int or [] not in value.values():
        return None
    return Finding("payload.warned_empty", Says.HIDDEN, key, told)


def _degraded(key: str, told: Any, value: dict[str, Any]) -> Finding | None:
    """`{"user": null, "degraded": true, "reason": "upstream_timeout"}`: nothing, in a mode that is said to be worse."""
    if not isinstance(told, str) or not any(value.get(flag) is True for flag in _DEGRADED):
        return None
    code = (code_of_class(told) if " " not in told else None) or first_code([told.replace("_", " ")])
    return Finding("payload.warned_empty", Says.HIDDEN, key, told[:200], code) if code in _GRAVE else None


def _told_aside(key: str, told: Any, value: dict[str, Any]) -> Finding | None:
    """`{"user": {}, "_meta": {"error": "timeout"}}`: nothing, and an error in what is told about the answer."""
    for name, error in fields_of(told if isinstance(told, dict) else {}).get(Role.ERROR):
        if is_truthy_error(error):
            code = code_inside(error) or first_code(told_texts(told))
            return Finding("payload.error_key", Says.HIDDEN, f"{key}.{name}", short(error), code)
    return None


_RULES: dict[str, Rule] = {
    **dict.fromkeys(_WARNING_KEYS, _warned),
    **dict.fromkeys(_REASONS, _degraded),
    **dict.fromkeys(_ABOUT, _told_aside),
}
_INITIALS = "ueft"


def remark(value: dict[str, Any], asked: Asked) -> Finding | None:
    """`{"elements": [], "remark": "runtime error: …"}`: a text that begins with a mark, beside empty lists."""
    if [] not in value.values() or len(value) > _MOST_REMARKED or verb_of(asked.tool) is Verb.EXAMINE:
        return None
    if any(inner for inner in value.values() if isinstance(inner, list)):
        return None
    if names_logs(asked.tool) or names_errors(asked.tool):
        return None
    for key, inner in value.items():
        mark = mark_of(inner) if isinstance(inner, str) and inner and role_of(key) is None else None
        if mark is not None and not mark.bare:
            return Finding("text.error_mark", Says.HIDDEN, key, mark.text.strip()[:120], mark.code)
    return None


_MOST_REMARKED = 12

_MOST_REMARKED = 12
