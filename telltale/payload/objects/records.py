"""Whether an object is a record or a report that was asked for, so that the status and the error in it are its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from telltale.payload.asked.verbs import Verb, names_work, verb_of
from telltale.payload.objects.empty import is_frame
from telltale.payload.objects.fields import Fields, Role
from telltale.payload.reading import Asked


def is_looked_up(fields: Fields, asked: Asked) -> bool:
    """Whether the object is a record that was asked for, so that its status is the record's own."""
    verb = verb_of(asked.tool)
    if asked.changes_state or verb is Verb.CHANGE or verb is Verb.RUN or not fields.identity:
        return False
    return (verb is not Verb.UNKNOWN or _names_an_id(asked)) and (fields.substance >= 2 or fields.has(Role.STATUS))


def is_record(value: dict[str, Any], fields: Fields, asked: Asked) -> bool:
    """Whether an error beside an identity is the record's own: the record tells more than what the caller had said.

    `{"customer_id": 7, "error": "not found"}` only echoes the question; a job with a status of its own does not.
    """
    if not is_looked_up(fields, asked):
        return False
    if any(isinstance(s, str) and s.lower() not in ("error", "ok", "success") for _, s in fields.get(Role.STATUS)):
        return True
    if any(isinstance(value.get(key), str) and value[key] for key in _STATES):
        return True
    said = asked.arguments.values() if isinstance(asked.arguments, dict) else ()
    facts = sum(1 for key in fields.keys if not is_frame(key) and not _is_echo(value[key], said))
    return facts >= (1 if names_work(asked.tool) and fields.has(Role.STATUS) else 2)


_STATES = ("state", "phase", "stage", "conclusion")


def _is_echo(inner: Any, said: Iterable[Any]) -> bool:
    if isinstance(inner, bool) or not isinstance(inner, str | int | float):
        return False
    return any(inner == each or str(inner) == str(each) for each in said)


def _names_an_id(asked: Asked) -> bool:
    return isinstance(asked.arguments, dict) and any(
        isinstance(key, str) and (key == "id" or key.endswith(("_id", "Id"))) for key in asked.arguments
    )


def is_reported(fields: Fields, asked: Asked) -> bool:
    """A reading or examining tool that answers with a status and facts reports on something else."""
    facts = fields.substance + (1 if fields.has(Role.EXIT) else 0)
    verb = verb_of(asked.tool)
    return facts >= 1 if verb is Verb.EXAMINE else verb is Verb.READ and facts >= 2
