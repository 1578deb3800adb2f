"""The text that an object carries as its answer, read as if it stood alone.

An object that claims success, or that counts and times beside its text, is still nothing but that text where no other
value of it could be an answer.
"""

from __future__ import annotations

import re
from typing import Any

from telltale.payload.asked.asking import has_command
from telltale.payload.asked.verbs import Verb, names_speech, verb_of
from telltale.payload.codes.infer import code_of_class
from telltale.payload.objects.empty import is_empty
from telltale.payload.objects.fields import GOOD_WORDS, Role, is_identity, role_of
from telltale.payload.objects.hollow import hollow, remark
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.texts.denials import failed_deed
from telltale.payload.texts.exits import exit_stated, is_answer
from telltale.payload.texts.read import read_text
from telltale.payload.wrappers.blocks import is_block, text_of

CARRIERS = (
    "result",
    "output",
    "response",
    "content",
    "text",
    "body",
    "html",
    "answer",
    "data",
    "message",
    "msg",
    "detail",
)
_LAST_WORDS = ("summary", "final_response", "final_output", "final_answer", "reply")
"""Under these an agent's last words stand; a summary of a record is none, so they count only beside a claim."""

_ANY_CARRIER = frozenset((*CARRIERS, *_LAST_WORDS))
_MARKED = frozenset(
    (
        *("text.error_mark", "text.masking", "text.tool_named", "text.status_line", "text.xml_error"),
        *("text.says_nothing", "text.timed_out", "text.html_error_page", "text.html_sign_in", "text.runtime_message"),
        "text.validator",
    )
)
"""The rules that rest on a mark, a catalogue or a closed form; a sentence does not outweigh a claim of success."""

_PAGES = frozenset(("text.html_error_page", "text.html_sign_in"))
"""The pages that are no answer, whatever stands beside them."""

_WORD_CAP = 40


def carried_text(value: dict[str, Any], asked: Asked, claimed: bool) -> Finding | None:
    """The finding on the text that an object carries as its only answer; None where it says nothing of a failure.

    An observation under the name of the tool that it is of (`{"search_images": "…"}`) is such a text too.

    Args:
        value: the result's own level.
        asked: what was asked of the tool.
        claimed: whether the object says of itself that it succeeded; then only a mark counts, and no program's output.
    """
    found = hollow(value, asked)
    if found is not None:
        return found
    if value.keys().isdisjoint(_ANY_CARRIER) or (value.get("output") == "" and value.get("stderr")):
        return _only_stderr(value, asked, claimed) or (None if claimed else remark(value, asked))
    ended_well = any(inner == 0 and type(inner) is int for key, inner in value.items() if role_of(key) == Role.EXIT)
    if ended_well:
        printed = value.get("output", value.get("stdout"))
        stated = exit_stated(printed, runs=True) if isinstance(printed, str) else None
        if stated is not None and stated[1] != 0 and not is_answer(asked.arguments, stated[1]):
            return Finding("text.exit_code", Says.HIDDEN, "output", stated[0])
        if claimed:
            return None
    for key in (*CARRIERS, *_LAST_WORDS) if claimed else CARRIERS:
        text = text_under(value.get(key))
        if not text:
            continue
        alone = all(
            name == key or role_of(name) is not None or is_empty(inner, 2) or _is_well(name, inner)
            for name, inner in value.items()
        )
        counted = not alone and _only_counted(value, key, asked, claimed)
        denied = claimed and _none_done(value)
        if not (alone or counted or denied or text[:1] == "<"):
            continue
        for found in read_text(text, asked):
            counts = found.rule in (_MARKED if alone or counted else _PAGES)
            undone = found.rule == "text.could_not" and (denied or (alone and _denies_the_deed(text, asked)))
            if counts or (alone and not claimed) or undone:
                found.key = key
                return found
    return None


def _denies_the_deed(text: str, asked: Asked) -> bool:
    """Whether a text says of the deed itself that it failed (`Upload failed: …`), which no claim can stand beside."""
    return verb_of(asked.tool) is Verb.CHANGE and failed_deed(text) is not None


def under_its_name(value: dict[str, Any], asked: Asked) -> dict[str, Any]:
    """A result that is nothing but a text under the tool's own name (`{"search_images": "…"}`), as a plain one."""
    text = value.get(asked.name) if len(value) == 1 else None
    return {"result": text} if isinstance(text, str) else value


def text_under(held: Any) -> str:
    """The text that a carrier holds, also as content blocks; empty where it holds something else."""
    if isinstance(held, str):
        return held
    blocks = isinstance(held, list) and 0 < len(held) <= _MOST_BLOCKS and all(map(is_block, held))
    return (text_of(held) or "") if blocks else ""


_MOST_BLOCKS = 20


def _is_well(name: str, inner: Any) -> bool:
    """Whether a key only says that a run ended well: `"state": "SUCCESS"`."""
    return name == "state" and isinstance(inner, str) and inner.lower() in GOOD_WORDS


def _none_done(value: dict[str, Any]) -> bool:
    """Whether a counter of the result, or of an object in it, is 0: a claim of success that its own number denies."""
    inner = [found for found in value.values() if isinstance(found, dict)]
    return any(type(count) is int and count == 0 for holder in (value, *inner) for count in holder.values())


def _only_stderr(value: dict[str, Any], asked: Asked, claimed: bool) -> Finding | None:
    """The mark with which a program's only output begins: what it wrote to stderr, or one line that it printed.

    Beside a claim of success only the message of an exception counts that nobody caught, and nothing printed.
    """
    stdout, stderr = value.get("stdout", value.get("output")), value.get("stderr")
    if claimed and (stdout != "" or not stderr):
        return None
    ended = any(role_of(key) == Role.EXIT for key in value)
    key, text = ("stderr", stderr) if stdout == "" and not ended else ("stdout", stdout)
    if not isinstance(text, str) or (key == "stdout" and (stderr or _lines(text) > 1)):
        return None
    if key == "stderr" and _CLASS.fullmatch(text.strip()) is not None:
        return Finding("text.runtime_message", Says.HIDDEN, key, text.strip(), code_of_class(text.strip()))
    own = key == "stderr" or not has_command(asked.arguments)
    if claimed and _UNCAUGHT.match(text) is None:
        return None
    rules = ("text.error_mark", "text.masking", "text.runtime_message") if own else ("text.masking",)
    found = next((found for found in read_text(text, asked) if found.rule in rules), None)
    if found is not None:
        found.key = key
    return found


_UNCAUGHT = re.compile(r"Traceback \(most recent|(?:[\w.]{1,80}\.)?[A-Z]\w{2,60}(?:Error|Exception): ")
_CLASS = re.compile(r"[A-Z][a-z]\w{1,60}(?:Error|Exception)")
"""The name of a class alone, which is all that an exception without a message leaves on stderr."""


def _lines(text: str) -> int:
    return text.strip().count("\n") + 1


def _only_counted(value: dict[str, Any], carrier: str, asked: Asked, claimed: bool) -> bool:
    """Whether everything beside a text only counts or labels it, in a result of a tool that acts, or beside a claim."""
    verb = verb_of(asked.tool)
    if verb in (Verb.READ, Verb.EXAMINE) or (verb is Verb.UNKNOWN and not claimed) or names_speech(asked.tool):
        return False
    return not any(
        is_identity(name) or not (role_of(name) is not None or _is_label(inner))
        for name, inner in value.items()
        if name != carrier
    )


def _is_label(inner: Any) -> bool:
    """A number, a flag, nothing, or one word (`max_iterations`)."""
    if isinstance(inner, str):
        return len(inner) <= _WORD_CAP and " " not in inner
    return isinstance(inner, int | float) or is_empty(inner, 2)
