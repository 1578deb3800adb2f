"""Failing texts that name the call's own tool: `search_crm failed: …`, `Unknown tool: search_crm`.

The name of the tool that was called is no word of prose: a result that begins with it, or consists of it and of the
few words in which registries speak of tools, speaks of the call itself.
"""

from __future__ import annotations

import re
from functools import lru_cache

from telltale.payload.words import DRESS, words

_QUOTE = r"[\"'`]?"
_NOUNS = words("tool tools function functions command method operation action handler")
_DENIALS = words("unknown undefined unregistered unavailable unrecognized unrecognised no not invalid missing")
_REGISTRY = (
    _NOUNS
    | _DENIALS
    | words(
        """
        a an any are available be called cannot could does defined enabled error exist exists find for found in is
        it known list lookup mcp name named of on recognized recognised registered registry requested server such
        supported the this to was with
        but call callback callbacks have i my of part provided there tried try trying use used using you your
        """
    )
)
_NOT_KNOWN = words("tool function unknown not found is was does exist registered unavailable available")
_BARE_CAP = 40
_SENTENCE = re.compile(r"\n|[.!](?=\s|$)")
_TOKEN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_SENTENCE_CAP = 240


@lru_cache(maxsize=1024)
def names_of(tool: str) -> tuple[str, ...]:
    """The forms under which a text may name a tool: its name, and what follows a server's prefix, also spoken."""
    short = re.split(r"[./:]|__", tool)[-1]
    spoken = short.replace("_", " ").replace("-", " ")
    return tuple(name for name in dict.fromkeys((tool, short, spoken)) if len(name) >= 2)


_last: list[tuple[str, str, bool]] = [("", "", False)]
"""The last question: of a failed call the rules and the flags ask the same."""


def denies_tool(text: str, tool: str) -> bool:
    """As `_denies_tool`, remembered for the same text."""
    known, named, denied = _last[0]
    if known is not text or named != tool:
        denied = _denies_tool(text, tool)
        _last[0] = (text, tool, denied)
    return denied


def _denies_tool(text: str, tool: str) -> bool:
    """Whether the first sentence of a text says that no tool of the called name is known, and nothing else.

    Also where the whole text is that (`Tool not found`), unless the tool itself deals in tools.
    """
    head = text[:_SENTENCE_CAP]
    if len(text) <= _BARE_CAP and _NOUNS.isdisjoint(word.lower() for word in _TOKEN.findall(tool)):
        words_said = [word.lower() for word in _TOKEN.findall(text)]
        if len(words_said) >= 2 and set(words_said) <= _NOT_KNOWN and words_said[0] in _NOUNS | _DENIALS:
            return not _NOUNS.isdisjoint(words_said) and not _DENIALS.isdisjoint(words_said)
    named = [name for name in names_of(tool) if name in head]
    sentence = _SENTENCE.split(head.strip(), maxsplit=1)[0] if named else ""
    for name in named:
        if name not in sentence:
            continue
        said = {word.lower() for word in _TOKEN.findall(sentence.replace(name, " ", 1))}
        if said <= _REGISTRY and not said.isdisjoint(_NOUNS) and not said.isdisjoint(_DENIALS):
            return True
    return False


def names_compound(line: str, tool: str) -> bool:
    """Whether a line names the called tool, by a name that is no plain word of the language."""
    return any(name in line and _is_compound(name) for name in names_of(tool[:200]))


def failing_tool(text: str, tool: str) -> str | None:
    """The beginning of a text that says of the called tool that it failed; None for every other text.

    A name of one plain word (`build`) is a thing as well: it counts only where the text calls it a tool.
    """
    head = text[:400]
    low = head.lower()
    if not any(name.lower() in low for name in names_of(tool)):
        return None
    pattern = _pattern(tool)
    if pattern is None:
        return None
    hit = pattern.match(head)
    if hit is None and len(text) <= len(head) and " not " in low:
        hits = (pattern.match(sentence) for sentence in _SENTENCE.split(head)[1:_SENTENCES])
        hit = next((found for found in hits if found is not None and " not " in found.group(0)), None)
    return hit.group(0).strip() if hit is not None else None


_SENTENCES = 4
"""So many sentences of a short text may come before and with the one that says that the tool was not run."""


@lru_cache(maxsize=1024)
def _pattern(tool: str) -> re.Pattern[str] | None:
    names = names_of(tool[:200])
    if not names:
        return None
    any_name = "|".join(re.escape(name) for name in names)
    compound = "|".join(re.escape(name) for name in names if _is_compound(name)) or r"(?!)"
    called = rf"(?:the )?(?:mcp )?(?:tool|function)(?: call)?(?: with name| named| to)? {_QUOTE}(?:{any_name}){_QUOTE}"
    alone = rf"{_QUOTE}(?:{compound}){_QUOTE}(?: (?:tool|call|execution|invocation))?"
    failed = (
        r"(?:error(?: in [^:\n]{1,60})?\s?:|errored\b|failed\b(?! (?:tests?|jobs?|runs?|builds?|checks?)\b)|raised\b"
        r"|(?:was |is |has been )?not (?:executed|called|invoked|run|performed)\b"
        r"|is (?:currently |temporarily )?(?:disabled|unavailable|not (?:available|configured|enabled))\b)"
    )
    refused = (
        r"(?:invalid|missing|bad) (?:parameters?|arguments?|inputs?|params|args) "
        rf"(?:for|to|in) (?:{called}|{alone})\s{{0,2}}[:.\n]"
    )
    return re.compile(rf"{DRESS}(?:(?:{called}|{alone})\s(?:has |call |execution )?{failed}|{refused})", re.IGNORECASE)


def _is_compound(name: str) -> bool:
    return re.search(r"[_\-.\d ]|[a-z][A-Z]", name) is not None
