"""Reads one result: which rules hit, what it declares, which code, action and message it carries."""

from __future__ import annotations

import json
import re
from typing import Any

from telltale.payload.asked.asking import has_command, is_data_file, selects
from telltale.payload.asked.verbs import Verb, hands_out_logs, names_documents, names_errors, verb_of
from telltale.payload.declared import declare
from telltale.payload.envelope import assess_envelope
from telltale.payload.objects.batches import failed_items
from telltale.payload.objects.carried import carried_text, under_its_name
from telltale.payload.objects.empty import is_frame
from telltale.payload.objects.ended import stopped_early
from telltale.payload.objects.fields import ERROR_WORDS, Role, fields_of, is_identity, role_of
from telltale.payload.objects.read import read_object
from telltale.payload.reading import Asked, Finding, Reading, Says
from telltale.payload.texts.exits import command_of, shows_text
from telltale.payload.texts.read import read_text
from telltale.payload.texts.retry import told_retry

_NESTING = (
    "data",
    "result",
    "results",
    "response",
    "output",
    "body",
    "payload",
    "details",
    "structuredContent",
    "value",
    "content",
)
_NESTING_KEYS = frozenset(_NESTING)
_TEXTS = frozenset(("result", "response", "output", "data"))
_MAX_LEVELS = 3
_MOST_KEYS = 6
_TEXT_CAP = 20_000


def read_payload(value: Any, asked: Asked | None = None) -> Reading:
    """Reads what a result says of itself.

    Args:
        value: the tool's own value: JSON kinds, already unwrapped (see `telltale.payload.wrappers`).
        asked: the tool's name and arguments and what the maintainer said of it; without it, names and arguments
            cannot excuse anything.

    Returns:
        The reading. Never raises on any JSON value; linear in the value's size.
    """
    asked = asked or _NOBODY
    output = _output(value)
    told = read_payload(output, asked) if output is not None else None
    if told is not None and told.failed:
        return _under_ok(value, told)
    reading = Reading(value, arguments=asked.arguments)
    if isinstance(value, dict):
        _read_levels(value, asked, reading)
        sole = _sole_line(value) if not reading.findings else None
        if sole is not None:
            _read_line(*sole, asked, reading)
    elif isinstance(value, str):
        reading.text = True
        reading.findings = read_text(value, asked)
        reading.retryable = told_retry(value)
        if reading.findings and reading.failed:
            reading.message = value
            reading.code = reading.findings[0].code
    elif isinstance(value, list) and value and isinstance(value[-1], dict):
        _read_items(value, asked, reading)
    elif isinstance(value, list) and len(value) == 2 and isinstance(value[1], str):
        _read_pair(value[0], value[1], asked, reading)
    elif isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        _read_line(value[0], "[0]", asked, reading)
    return reading


_NOBODY = Asked()


def _output(value: Any) -> Any:
    """What an envelope of success holds, and nothing else does; None for everything else.

    A guard puts its `ok` around whatever a tool returned: the output is read as if it stood alone.
    """
    if not isinstance(value, dict) or len(value) != len(_OK_ENVELOPE) or value.keys() != _OK_ENVELOPE:
        return None
    output = value["output"]
    return output if value["status"] in ("ok", "success") and _output(output) is None else None


_OK_ENVELOPE = frozenset(("status", "output"))


def _under_ok(value: dict[str, Any], told: Reading) -> Reading:
    """The reading of an output that failed, as that of the envelope which calls it a success."""
    for finding in told.findings:
        finding.key = f"output.{finding.key}".rstrip(".")
    if told.finding(Says.SUCCESS) is None:
        told.findings.append(Finding("payload.success", Says.SUCCESS, "status", value["status"]))
    told.envelope = None
    return told


def _read_pair(first: Any, told: str, asked: Asked, reading: Reading) -> None:
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


def _read_line(text: str, place: str, asked: Asked, reading: Reading) -> None:
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


def _sole_line(value: dict[str, Any]) -> tuple[str, str] | None:
    """The one text in a list that is all of an object, with its place; None for every other object."""
    if len(value) != 1:
        return None
    key, held = next(iter(value.items()))
    only = held[0] if isinstance(held, list) and len(held) == 1 else None
    return (only, f"{key}[0]") if isinstance(only, str) else None


_MARKED = ("text.error_mark", "text.masking", "text.tool_named", "text.status_line", "text.timed_out")


def _read_levels(value: dict[str, Any], asked: Asked, reading: Reading) -> None:
    """Reads an object's own level, and what it merely wraps: one object under a customary key, at most three deep."""
    level, path = value, ""
    for _ in range(_MAX_LEVELS):
        found = _read_one(level, path, asked, claimed=bool(reading.findings))
        if not found or found[0].says is Says.SUCCESS:
            batch = failed_items(level, asked)
            if batch is not None:
                batch.key = path + batch.key
                found.insert(0, batch)
        reading.findings += found
        if reading.findings and reading.findings[0].says is not Says.SUCCESS:
            break
        inner = _wrapped(level, asked)
        if inner is None:
            break
        path += inner[0] + "."
        level = inner[1]
    claimed = bool(reading.findings)
    if not claimed or all(f.says is Says.SUCCESS for f in reading.findings):
        carried = carried_text(under_its_name(value, asked), asked, claimed)
        if carried is None and level is not value:
            carried = _only_below(level, path, asked)
        carried = carried or _printed_error(value, asked) or _stopped_early(level, path, asked)
        if carried is not None:
            reading.findings.insert(0, carried)
    if reading.failed and (is_data_file(value, asked) or _is_shown(value, asked)):
        reading.findings = []
    if reading.failed:
        # Below an object that claims success an envelope is a contradiction, not an answer that keeps the contract.
        if level is value or reading.finding(Says.SUCCESS) is None:
            reading.envelope = assess_envelope(level)
        declare(level, reading)


def _read_one(level: dict[str, Any], path: str, asked: Asked, claimed: bool) -> list[Finding]:
    """The findings on one level, with the place of each."""
    found = read_object(level, asked)
    if claimed and found and _is_listed(level, found[0]):
        found = found[1:]
    for finding in found:
        finding.key = path + finding.key
    return found


def _is_listed(level: dict[str, Any], found: Finding) -> bool:
    """Whether an error is a list of texts: below a claim of success, those of a form that was read or checked."""
    return found.rule == "payload.error_key" and isinstance(level.get(found.key), list)


def _is_shown(value: dict[str, Any], asked: Asked) -> bool:
    """Whether an object is a line that a command showed which does nothing else (`jq … app.log`), not a program's."""
    if not has_command(asked.arguments) or any(role_of(key) in (Role.EXIT, Role.STREAM) for key in value):
        return False
    return shows_text(asked.arguments, "")


def _printed_error(value: dict[str, Any], asked: Asked) -> Finding | None:
    """`{"exitCode": 0, "stdout": "{\\"error\\": …}"}`: all that a program printed is an object that is an error.

    Not of programs that show what is written elsewhere or fetch it.
    """
    text = value.get("stdout")
    if not isinstance(text, str) or text[:1] != "{" or value.get("stderr") or not has_command(asked.arguments):
        return None
    if shows_text(asked.arguments, text) or _FETCHING.search(command_of(asked.arguments)) is not None:
        return None
    printed = _decoded(text)
    found = read_object(printed, asked)[:1] if isinstance(printed, dict) else []
    if not found or found[0].says is not Says.FAILED or found[0].rule != "payload.error_key":
        return None
    return Finding("payload.error_key", Says.HIDDEN, f"stdout.{found[0].key}", found[0].value, found[0].code)


_FETCHING = re.compile(r"\b(?:curl|wget|https?|xh|invoke-webrequest|invoke-restmethod|api|get)\b", re.IGNORECASE)


def _stopped_early(level: dict[str, Any], path: str, asked: Asked) -> Finding | None:
    """What a run's report says of its end, where no text in it says more."""
    found = stopped_early(level, asked)
    if found is not None:
        found.key = path + found.key
    return found


def _only_below(level: dict[str, Any], path: str, asked: Asked) -> Finding | None:
    """What a program's streams say that an object merely wraps: `{"run_result": {"stdout": "", "stderr": "…"}}`."""
    if "stderr" not in level:
        return None
    found = carried_text(level, asked, claimed=False)
    if found is not None:
        found.key = path + found.key
    return found


def _wrapped(level: dict[str, Any], asked: Asked) -> tuple[str, dict[str, Any]] | None:
    """The only inner object that an object holds under a customary key; also one written as JSON text."""
    found: tuple[str, dict[str, Any]] | None = None
    if len(level) > _MOST_KEYS:
        return None
    if len(level) == 1:
        key, only = next(iter(level.items()))
        if isinstance(only, dict):
            return (str(key), only) if only else None
    if verb_of(asked.tool) is Verb.CHANGE:
        inner_objects = [
            (str(key), inner)
            for key, inner in level.items()
            if role_of(key) is None
            and not (is_frame(key) and isinstance(inner, str))
            and (type(inner) is not int or is_identity(key))
        ]
        if len(inner_objects) == 1 and isinstance(inner_objects[0][1], dict) and inner_objects[0][1]:
            return inner_objects[0]
    if level.keys().isdisjoint(_NESTING_KEYS):
        return None
    for name in _NESTING:
        inner = level.get(name)
        if isinstance(inner, str) and inner[:1] == "{" and name in _TEXTS:
            protocol = "isError" in inner or "is_error" in inner
            inner = _decoded(inner) if protocol or not names_documents(asked.tool) else None
        if isinstance(inner, dict) and inner:
            if found is not None:
                return None
            found = (name, inner)
    return found


def _decoded(text: str) -> Any:
    """A JSON text inside a result, where it is small and shallow enough to be read in passing."""
    if len(text) > _TEXT_CAP or text.count("{") + text.count("[") > 500:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _read_items(items: list[Any], asked: Asked, reading: Reading) -> None:
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
