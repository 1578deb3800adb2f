"""The text that an object carries as its answer, and the items of a batch: each read as if it stood alone.

An object that claims success, or that counts and times beside its text, is still nothing but that text where no other
value of it could be an answer.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from telltale.payload.asked.asking import has_command
from telltale.payload.asked.verbs import Verb, names_a_state, names_errors, names_logs, names_speech, verb_of
from telltale.payload.codes.phrases import first_code
from telltale.payload.objects.empty import is_empty
from telltale.payload.objects.evidence import code_inside, short, told_texts
from telltale.payload.objects.fields import GOOD_WORDS, Role, fields_of, is_identity, is_truthy_error, role_of
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.texts.exits import exit_stated, is_answer
from telltale.payload.texts.marks import mark_of
from telltale.payload.texts.read import read_text
from telltale.payload.wrappers.blocks import is_block, text_of
from telltale.vocabulary import Code, code_of_http

_CARRIERS = ("result", "output", "response", "content", "text", "body", "html", "answer", "data", "message", "detail")
_LAST_WORDS = ("summary", "final_response", "final_output", "final_answer", "reply")
"""Under these an agent's last words stand; a summary of a record is none, so they count only beside a claim."""

_ANY_CARRIER = frozenset((*_CARRIERS, *_LAST_WORDS))
_MARKED = frozenset(
    (
        *("text.error_mark", "text.masking", "text.tool_named", "text.status_line", "text.xml_error"),
        *("text.says_nothing", "text.timed_out", "text.html_error_page", "text.runtime_message"),
    )
)
"""The rules that rest on a mark, a catalogue or a closed form; a sentence does not outweigh a claim of success."""

_LISTS = ("results", "items", "responses", "outputs", "entry", "entries")
_WORD_CAP = 40
_MOST_ITEMS = 1000


def carried_text(value: dict[str, Any], asked: Asked, claimed: bool) -> Finding | None:
    """The finding on the text that an object carries as its only answer; None where it says nothing of a failure.

    Args:
        value: the result's own level.
        asked: what was asked of the tool.
        claimed: whether the object says of itself that it succeeded; then only a mark counts, and no program's output.
    """
    if value.keys().isdisjoint(_ANY_CARRIER):
        return None if claimed else _only_stderr(value, asked) or _remark(value, asked)
    ended_well = any(inner == 0 and type(inner) is int for key, inner in value.items() if role_of(key) == Role.EXIT)
    if ended_well:
        printed = value.get("output", value.get("stdout"))
        stated = exit_stated(printed, runs=True) if isinstance(printed, str) else None
        if stated is not None and stated[1] != 0 and not is_answer(asked.arguments, stated[1]):
            return Finding("text.exit_code", Says.HIDDEN, "output", stated[0])
        if claimed:
            return None
    for key in (*_CARRIERS, *_LAST_WORDS) if claimed else _CARRIERS:
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
            counts = found.rule in _MARKED if alone or counted else found.rule == "text.html_error_page"
            if counts or (alone and not claimed) or (denied and found.rule == "text.could_not"):
                found.key = key
                return found
    return None


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


def _remark(value: dict[str, Any], asked: Asked) -> Finding | None:
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


def _none_done(value: dict[str, Any]) -> bool:
    """Whether a counter of the result, or of an object in it, is 0: a claim of success that its own number denies."""
    inner = [found for found in value.values() if isinstance(found, dict)]
    return any(type(count) is int and count == 0 for holder in (value, *inner) for count in holder.values())


def _only_stderr(value: dict[str, Any], asked: Asked) -> Finding | None:
    """The mark with which a program's only output begins: what it wrote to stderr, or one line that it printed."""
    stdout, stderr = value.get("stdout"), value.get("stderr")
    ended = any(role_of(key) == Role.EXIT for key in value)
    key, text = ("stderr", stderr) if stdout == "" and not ended else ("stdout", stdout)
    if not isinstance(text, str) or (key == "stdout" and (stderr or _lines(text) > 1)):
        return None
    own = key == "stderr" or not has_command(asked.arguments)
    rules = ("text.error_mark", "text.masking") if own else ("text.masking",)
    found = next((found for found in read_text(text, asked) if found.rule in rules), None)
    if found is not None:
        found.key = key
    return found


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


def failed_items(value: Any, asked: Asked) -> Finding | None:
    """A batch of which every item failed, by a mark of the item or by the text that it carries.

    A batch is a list as long as one that the arguments hold; or, of a tool that acts, the list of its results whose
    every item is an error and nothing else.
    """
    if isinstance(value, list):
        return _all_failed("", value, asked)
    told = not _SOME_FAILED.isdisjoint(value) and any(value.get(flag) is True for flag in _SOME_FAILED)
    for key, inner in islice(value.items(), 20):
        found = None
        if isinstance(inner, list) and inner:
            found = _all_failed(key, inner, asked, told)
        elif isinstance(inner, dict) and inner and _is_by_name(inner, asked):
            found = _all_failed(key, list(inner.values()), asked)
        if found is not None:
            return found
    return None


_SOME_FAILED = frozenset(("errors", "hasErrors", "has_errors"))
"""The flags of bulk interfaces that say that some of the items failed."""


def _is_by_name(items: dict[str, Any], asked: Asked) -> bool:
    """Whether an object holds one item under the name of each thing that a list in the arguments names."""
    arguments = asked.arguments
    if not isinstance(arguments, dict):
        return False
    for asked_for in arguments.values():
        if isinstance(asked_for, list) and len(asked_for) == len(items) <= _MOST_ITEMS:
            return all(isinstance(name, str) and name in items for name in asked_for)
    return False


def _all_failed(key: str, items: list[Any], asked: Asked, told: bool = False) -> Finding | None:
    batch = verb_of(asked.tool) is not Verb.EXAMINE and (told or _is_batch(items, asked))
    if not batch and not key and _are_errors(items, asked):
        return Finding("payload.items_failed", Says.HIDDEN, "[0]", short(items[0]), _code_of_item(items[0]))
    if _acts(asked) and 0 < len(items) <= _MOST_ERRORS and all(map(_is_only_a_reason, items)):
        return Finding("payload.items_failed", Says.HIDDEN, f"{key}[0]", short(items[0]), _code_of_item(items[0]))
    if not batch and not (key in _LISTS and _acts(asked)):
        return None
    return _batch_failed(key, items, asked, batch) if 0 < len(items) <= _MOST_ITEMS else None


def _batch_failed(key: str, items: list[Any], asked: Asked, batch: bool) -> Finding | None:
    """Every item failed: in a batch by any mark, else only where it is an error and nothing beside."""
    code: Code | None = None
    found: Finding | None = None
    for item in reversed(items):  # the first item's code is the batch's
        if not isinstance(item, dict):
            return None
        found = (_item_text(item, asked) or _marked_item(item)) if batch else _bare_error(item)
        if found is None:
            return None
        code = found.code
    text = items[0].get(found.key) if code is None and found is not None else None
    said = first_code([text]) if isinstance(text, str) else None
    return Finding("payload.items_failed", Says.HIDDEN, f"{key}[0]", short(items[0]), said or code)


def _are_errors(items: list[Any], asked: Asked) -> bool:
    """Whether a list holds nothing but errors, each with a code and a message, or with a flag and no name of its own.

    As Salesforce and Zod answer (`[{"message", "errorCode", "fields"}]`); not where errors or logs were asked for.
    """
    if (
        not 0 < len(items) <= _MOST_ERRORS
        or not isinstance(items[0], dict)
        or (items[0].keys().isdisjoint(_ERROR_CODES) and not items[0].keys() >= _ISSUE)
    ):
        return False
    if verb_of(asked.tool) is Verb.EXAMINE or names_a_state(asked.tool):
        return False
    if names_logs(asked.tool) or names_errors(asked.tool) or (len(items) > 1 and not _acts(asked)):
        return False
    return all(isinstance(item, dict) and _is_error(item) for item in items)


def _is_error(item: dict[str, Any]) -> bool:
    if item.keys() >= _ISSUE and isinstance(item["path"], list):
        return True
    if item.get("error") is True:
        return not any(is_identity(key) for key in item)
    code = next((item[key] for key in _CODED if isinstance(item.get(key), str)), "")
    return bool(code) and isinstance(item.get("message"), str) and not fields_of(item).substance


def _is_only_a_reason(item: Any) -> bool:
    """`{"image": {}, "filteredReason": "…"}`: an item of a result that holds nothing but why it is not there."""
    if not isinstance(item, dict) or len(item) < 2 or not any(_is_reason(key) for key in item):
        return False
    return all(bool(inner) if _is_reason(key) else is_empty(inner, 2) for key, inner in item.items())


def _is_reason(key: Any) -> bool:
    return isinstance(key, str) and key.endswith(("Reason", "_reason"))


def _code_of_item(item: dict[str, Any]) -> Code | None:
    """The code of an error in a list: its own, else what its texts say."""
    own = code_inside(item, fields_of(item))
    return (first_code(told_texts(item)) or own) if own is None or own is Code.INTERNAL else own


_ISSUE = frozenset(("code", "path", "message"))
"""The keys of what Zod says of each argument that it refused."""

_CODED = ("errorCode", "error_code")
_ERROR_CODES = frozenset((*_CODED, "error"))
_MOST_ERRORS = 20


def _is_batch(items: list[Any], asked: Asked) -> bool:
    """Whether the arguments hold a list of the same length: one item for each thing that was asked for."""
    arguments = asked.arguments
    return isinstance(arguments, dict) and any(
        isinstance(inner, list) and len(inner) == len(items) for inner in arguments.values()
    )


def _acts(asked: Asked) -> bool:
    """Whether the tool hands out results of its own work, not records, logs or errors that it was asked for."""
    verb = verb_of(asked.tool)
    return verb not in (Verb.READ, Verb.EXAMINE) and not names_logs(asked.tool) and not names_errors(asked.tool)


def _marked_item(item: dict[str, Any]) -> Finding | None:
    """An item that bears an error or says of itself that it did not succeed, whatever else it holds."""
    if len(item) == 1:  # `{"index": {"status": 400, "error": {…}}}`: an item under the name of what was done
        only = next(iter(item.values()))
        item = only if isinstance(only, dict) else item
        if _is_status(item.get("status")):
            return Finding(
                "payload.items_failed", Says.HIDDEN, "", short(item), code_of_http(int(str(item["status"])[:3]))
            )
    fields = fields_of(item)
    held = next((item[key] for key in _CARRIERS if isinstance(item.get(key), dict)), None)
    if held is not None and (
        _is_status(held.get("status")) or held.get("isError") is True or held.get("is_error") is True
    ):
        return Finding("payload.items_failed", Says.HIDDEN, "", short(item), code_inside(held))
    good = [inner for _, inner in fields.get(Role.GOOD)]
    if True in good:
        return None
    if False in good or any(is_truthy_error(inner) for _, inner in fields.get(Role.ERROR)):
        return Finding("payload.items_failed", Says.HIDDEN, "", short(item), code_inside(item, fields))
    listed = next((inner for _, inner in fields.get(Role.ERRORS) if isinstance(inner, list) and inner), None)
    if listed is not None and not fields.substance:
        return Finding("payload.items_failed", Says.HIDDEN, "", short(item), code_inside(listed[0]))
    return None


def _is_status(value: Any) -> bool:
    """An HTTP status of a failure, as a number or as text (FHIR writes `"504"` or `"404 Not Found"`)."""
    digits = str(value)[:3] if isinstance(value, str) or type(value) is int else ""
    return digits.isdigit() and 400 <= int(digits) < 600 and (isinstance(value, str) or value == int(digits))


def _item_text(item: dict[str, Any], asked: Asked) -> Finding | None:
    """The mark in the only text of an item: `{"status": "completed", "summary": "HTTP 401: …"}`."""
    return carried_text(item, asked, claimed=True)


def _bare_error(item: dict[str, Any]) -> Finding | None:
    """An item that is an error and nothing else: a truthy error, or `type: error` beside what it tells."""
    fields = fields_of(item)
    typed = any(isinstance(inner, str) and inner.lower() == "error" for _, inner in fields.get(Role.TYPE))
    if typed and fields.substance <= 1:
        holder = next((inner for inner in item.values() if isinstance(inner, dict)), item)
        return Finding("payload.items_failed", Says.HIDDEN, "", short(item), code_inside(holder))
    response = len(item) == 1 and isinstance(item.get("response"), dict)
    named = all(map(is_identity, fields.keys))
    return _marked_item(item) if named or response else None
