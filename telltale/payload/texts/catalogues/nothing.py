"""The words with which a text says that something failed, and not what."""

from __future__ import annotations

import re

from telltale.payload.asked.verbs import Verb, verb_of
from telltale.payload.words import words

SAYING_NOTHING = words(
    """
    a action administrator again agent an and apologies apologize are as at be been by call called calling can
    cannot code complete completed completing contact could did do due during encountered engineers err error
    errors exception execute executed executing execution fail failed failing fails failure false fatal fehler for
    from function generate generating generic handled handling happened has have in inconvenience internal
    internally invocation invoke invoked invoking is issue it item job later mcp message method name no node none
    not notified null object occured occurred of on oops operation or our performing please plugin problem process
    processing raise raised raising request response result resulted returned run running server service something
    sorry status step support target task team that the there this thrown to tool true try trying unable undefined
    unexpected unexpectedly unhandled unknown unspecified using was went were when while with workflow wrong you
    your
    """
)
"""The words with which a text says that something failed, and not what."""

_REFERRING = words("check command details exit exited information log logs more output program see")
"""The words with which such a text sends its reader elsewhere: `Check the server logs for details.`"""

_WORD = re.compile(r"[A-Za-z]+|(?<!\d)(?!32\d{3}(?!\d))\d+")


_UNTELLING = re.compile(
    r"^[a-z]{3,6}\d{3,5}[a-z]?: "
    r"|\s[\[(](?:(?:ref|id|error|trace|request)\w{0,6}[ :#=-]{1,2})?(?:\w-)?[0-9a-f-]{6,40}[\])]\.?$"
    r"|\b(?:tool|server|function|action|agent) [\"'`][\w.:/-]{1,80}[\"'`]"
    r"|the operation couldn't be completed\. \([\w.]{2,80} error -?\d{1,6}\.\)"
)
"""A product's message number, an error's id in brackets, and what Foundation says of an `NSError` without a text."""

_SMALL_CODE = re.compile(r"\b(?:code|status)\s?[:=]?\s?[1-9]?\d\b")
"""A program's exit code, or a number as small, tells no reason."""


_KINDS_OF_FAILURE = words(
    """
    access argument arguments bad connection data database execution file input inputs internal invalid network
    parameter parameters parse parsing query received sql system validation
    """
)
"""The words with which a text names the kind of a failure and no more: `The tool received an invalid argument.`"""


def says_nothing(message: str, tool: str = "", kinds: bool = False) -> bool:
    """Whether a failing message gives no reason: every word of it is a word for failing itself, or the tool's name.

    Args:
        message: what was told of the failure.
        tool: the tool's name.
        kinds: whether words for kinds of failures say nothing either; for what is told less than is known.
    """
    if len(message) > 200:
        return False
    message = message.replace("\u2019", "'")
    if not message.isascii() and _OTHER_LETTERS.search(message) is not None:
        return False
    low = _UNTELLING.sub("", message.lower())
    if "code" in low or "status" in low:
        low = _SMALL_CODE.sub("code", low)
    if " is not " in low or " are not " in low:
        return False
    if tool:
        low = low.replace(tool.lower(), " ")
    own: list[str] | None = None
    for found in _WORD.finditer(low):
        word = found.group()
        if word not in SAYING_NOTHING and word not in _REFERRING and not (kinds and word in _KINDS_OF_FAILURE):
            if "_" in message and " " not in message:
                return False  # a code of its own, which may share a word with the tool's name
            own = own if own is not None else _own_words(tool)
            if word not in own and not _is_own_deed(low, found.start(), word, tool):
                return False
    return True


def _is_own_deed(low: str, place: int, word: str, tool: str) -> bool:
    """Whether a word only says again what the tool is for: `Failed to save` or `Error saving` of a store."""
    if low.endswith((" to ", " not "), 0, place):
        return verb_of(word) is verb_of(tool) in _DEEDS
    if not word.endswith("ing") or _BEFORE_A_DOING.search(low[max(0, place - 20) : place]) is None:
        return False
    stem = word[:-3]
    return any(verb_of(deed) is verb_of(tool) in _DEEDS for deed in (stem, f"{stem}e", stem[:-1]))


_BEFORE_A_DOING = re.compile(r"\b(?:error|errors|exception|problem|trouble|issue|failed|while|when|during)\s+$")
_DEEDS = (Verb.CHANGE, Verb.READ)
_OTHER_LETTERS = re.compile(r"[^\W\d_a-zA-Z]")
"""Letters of other alphabets: what is written in them is not in the list above, and so says something."""

_NAME_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


def _own_words(tool: str) -> list[str]:
    """The words of a tool's name, split at its capitals too: `triggerAgreement`."""
    return [*_WORD.findall(tool.lower()), *(word.lower() for word in _NAME_WORD.findall(tool))]


_FAILING = words("error errors exception failed failure failing wrong fatal")
_NO_FAILURE = _REFERRING | words("none null true false no not")


def says_it_failed(text: str, tool: str = "") -> bool:
    """Whether a text says that something failed and nothing else, in at least two words: `Tool execution failed`."""
    if text.lstrip()[:1] == "<":
        return False
    if _IN_DOING.fullmatch(text.strip()) is not None:
        return True
    said = _WORD.findall(text.lower())
    if len(said) < 2 or _FAILING.isdisjoint(said) or not _NO_FAILURE.isdisjoint(said):
        return False
    return _UNTELLING.search(text.lower().replace("\u2019", "'")) is None and says_nothing(text, tool)


_IN_DOING = re.compile(
    r"(?:an?|some) (?:\w+ ){0,2}(?:error|exception|problem)s? (?:has |have |was |were )?"
    r"(?:occurr?ed|encountered|raised|thrown) (?:while|when|during) [^.,:;\n]{3,60}[.!]?"
    r"|error (?:while |when )?(?:fetch|retriev|load|gett|creat|updat|delet|send|process|execut|call|runn|search|quer"
    r"|read|writ|sav|connect)ing (?:the )?[^.,:;\n]{2,40}[.!]?",
    re.IGNORECASE,
)
"""A mask that says in which deed: `An error occurred while querying the database.`; one `r` is often missing."""

_CONTENT = re.compile(r"[A-Za-z]{4,}|\d{2,}")


def tells_more(truth: str, told: str, tool: str) -> bool:
    """Whether what is known of a failure holds two words of content or more, and what was told of it none of them."""
    known = {word.lower() for word in _CONTENT.findall(truth[:1000])} - SAYING_NOTHING
    known -= set(_own_words(tool))
    return len(known) >= 2 and known.isdisjoint(word.lower() for word in _CONTENT.findall(told))
