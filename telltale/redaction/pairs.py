"""Secrets that are named beside their value: `{"name": "Authorization", "value": …}`, `["--password", …]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

KindOfKey = Callable[[str], str | None]

_NAMES = ("name", "key", "Name", "Key")
_VALUES = ("value", "Value")
_HEADER_KINDS = frozenset({"authorization", "cookie"})
_HEADER_NAME = re.compile(r"[A-Za-z][A-Za-z-]{0,40}\Z")
_LONGEST_NAME = 64


def named_value(entry: dict[Any, Any], kind_of_key: KindOfKey) -> tuple[str, str] | None:
    """The member of an object that holds the secret which another member names, and the secret's kind.

    So are headers and cookies written in HAR, and attributes in OTLP.
    """
    for value in _VALUES:
        if value not in entry:
            continue
        for name in _NAMES:
            named = entry.get(name)
            kind = kind_of_key(named) if isinstance(named, str) and len(named) <= _LONGEST_NAME else None
            if kind is not None:
                return value, kind
    return None


def following(entries: Sequence[Any], kind_of_key: KindOfKey) -> dict[int, str]:
    """Places of a list whose value the entry before them names as a secret, with the secret's kind.

    That is the argument after `--password` of a command, and the value after a header's name in a flat list.
    """
    found: dict[int, str] = {}
    for place, entry in enumerate(entries[:-1]):
        value = entries[place + 1]
        if not isinstance(entry, str) or len(entry) > _LONGEST_NAME or not isinstance(value, str | list | dict | tuple):
            continue
        kind = kind_of_key(entry.lstrip("-"))
        if kind is None:
            continue
        if entry.startswith("-"):
            told = not (isinstance(value, str) and value.startswith("-"))
        else:
            told = kind in _HEADER_KINDS and not names_a_header(value)
        if told:
            found[place + 1] = kind
    return found


def names_a_header(value: Any) -> bool:
    """Whether a value could be the next name of a list of header names (`["authorization", "content-type"]`)."""
    return isinstance(value, str) and _HEADER_NAME.match(value) is not None
