"""Reads results that are lists: pairs of a value and its error, a list of one text, items and batches of them."""

from __future__ import annotations

from typing import Any

from telltale.payload.asked.asking import selects
from telltale.payload.asked.verbs import Verb, hands_out_logs, names_errors, verb_of
from telltale.payload.declared import declare
from telltale.payload.objects.batches import failed_items
from telltale.payload.objects.fields import ERROR_WORDS, fields_of
from telltale.payload.objects.read import read_object
from telltale.payload.reading import Asked, Finding, Reading, Says
from telltale.payload.texts.read import read_text


def read_pair(first: Any, told: str, asked: Asked, reading: Reading) -> None:
    """`[false, "…"]`: the pair of a flag and what it says of it, which functions in Python like to return.

    So are `["error", "…"]`, as a value and its error `[null, "…"]`, and as a driver's number `[1146, "Table …"]`.
    """
    worded = isinstance(first, str) and first.lower() in ERROR_WORDS
    numbered = type(first) is int
    hollow = first in ([], {})
    if first is not None and first is not False and not worded and not numbered and not hollow:
        return
    found = read_text(told, asked)
    acts = verb_of(asked.tool) in (Verb.CHANGE, Verb.RUN)
    if not found and (numbered or hollow or not acts):
        return
    code = found[0].code if found else None
    reading.findings = [Finding("payload.flag_false", Says.FAILED, "[0]", first, code)]
    reading.message, reading.code = told, code


def read_line(text: str, place: str, asked: Asked, reading: Reading) -> None:
    """`["[ERROR: …]"]`: a list of one text, of a tool that acts; where texts were sought, it is what was found.

    So is `{"Results": ["Failed to …"]}`, where the tool was to change something.
    """
    if verb_of(asked.tool) not in (Verb.CHANGE, Verb.RUN, Verb.UNKNOWN) or names_errors(asked.tool):
        return
    found = read_text(text, asked)
    told = bool(found) and (found[0].rule in _MARKED or (place != "[0]" and verb_of(asked.tool) is Verb.CHANGE))
    if told and not hands_out_logs(asked.tool):
        found[0].key = place
        reading.findings, reading.message, reading.code = found, text, found[0].code


_MARKED = ("text.error_mark", "text.masking", "text.tool_named", "text.status_line", "text.timed_out")


def read_items(items: list[Any], asked: Asked, reading: Reading) -> None:
    """A list of one object may stand for that object; a batch of which every item failed has failed.

    So may the arguments of an exception written out: its text, then the answer's bare error object; and a value that is
    none with its error, as Go returns them.
    """
    if len(items) == 1 or (len(items) == 2 and (items[0] is None or isinstance(items[0], str))):
        _read_sole_item(items[-1], len(items) - 1, asked, reading)
    batch = failed_items(items, asked) if not reading.failed else None
    if batch is not None:
        reading.findings = [batch]
        declare(items[0], reading)
    elif len(items) == 1 and not reading.failed:
        reading.findings = [found for found in read_object(items[0], asked) if found.says is Says.SUCCESS]


def _read_sole_item(item: dict[str, Any], place: int, asked: Asked, reading: Reading) -> None:
    """A list of nothing but one bare error object stands for that error, unless errors or logs were asked for."""
    if names_errors(asked.tool) or hands_out_logs(asked.tool) or fields_of(item).substance:
        return
    if verb_of(asked.tool) is Verb.EXAMINE and "path" in item:  # one finding of a validator
        return
    found = [f for f in read_object(item, asked) if f.rule in ("payload.error_key", "payload.error_object")]
    if any(selects(asked.arguments, f.key) for f in found):
        return
    for finding in found:
        finding.key = f"[{place}]." + finding.key
        if finding.says is Says.FAILED:
            finding.says = Says.HIDDEN
    reading.findings = found
    if reading.failed:
        declare(item, reading)
