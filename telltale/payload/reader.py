"""Reads one result: which rules hit, what it declares, which code, action and message it carries."""

from __future__ import annotations

import json
import re
from typing import Any

from telltale.payload.asked.asking import has_command, is_data_file
from telltale.payload.asked.verbs import Verb, names_documents, verb_of
from telltale.payload.declared import declare
from telltale.payload.envelope import assess_envelope
from telltale.payload.lists import read_items, read_line, read_pair
from telltale.payload.objects.batches import failed_items
from telltale.payload.objects.carried import carried_text, under_its_name
from telltale.payload.objects.empty import is_frame
from telltale.payload.objects.ended import stopped_early
from telltale.payload.objects.fields import Role, is_identity, role_of
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
            read_line(*sole, asked, reading)
    elif isinstance(value, str):
        reading.text = True
        reading.findings = read_text(value, asked)
        reading.retryable = told_retry(value)
        if reading.findings and reading.failed:
            reading.message = value
            reading.code = reading.findings[0].code
    elif isinstance(value, list) and value and isinstance(value[-1], dict):
        read_items(value, asked, reading)
    elif isinstance(value, list) and len(value) == 2 and isinstance(value[1], str):
        read_pair(value[0], value[1], asked, reading)
    elif isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        read_line(value[0], "[0]", asked, reading)
    return reading


_NOBODY = Asked()


def _output(value: Any) -> Any:
    """What an envelope of success holds, and nothing else does; None for everything else.

    A guard puts its `ok` around whatever a tool returned: the output is read as if it stood alone.
    """
    return value["output"] if _is_ok(value) and not _is_ok(value["output"]) else None


def _is_ok(value: Any) -> bool:
    enveloped = isinstance(value, dict) and len(value) == len(_OK_ENVELOPE) and value.keys() == _OK_ENVELOPE
    return enveloped and value["status"] in ("ok", "success")


_OK_ENVELOPE = frozenset(("status", "output"))


def _under_ok(value: dict[str, Any], told: Reading) -> Reading:
    """The reading of an output that failed, as that of the envelope which calls it a success."""
    for finding in told.findings:
        finding.key = f"output.{finding.key}".rstrip(".")
    if told.finding(Says.SUCCESS) is None:
        told.findings.append(Finding("payload.success", Says.SUCCESS, "status", value["status"]))
    told.envelope = None
    return told


def _sole_line(value: dict[str, Any]) -> tuple[str, str] | None:
    """The one text in a list that is all of an object, with its place; None for every other object."""
    if len(value) != 1:
        return None
    key, held = next(iter(value.items()))
    only = held[0] if isinstance(held, list) and len(held) == 1 else None
    return (only, f"{key}[0]") if isinstance(only, str) else None


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
