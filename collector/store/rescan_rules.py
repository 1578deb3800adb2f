"""What a rescan does to one stored row: the rules of what arrives, on columns instead of spans."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec

from collector.decode.caps import SHORT_CHARS, event_mark
from collector.decode.limits import DEFAULT_LIMITS
from collector.redact import TAIL
from collector.store.rows import encode
from telltale.redaction import PATTERNS, Redactor
from telltale.vocabulary import Payload

ARRIVAL = "arrival"
"""What a row to mask calls the number of its last arrival."""

Cut = dict[str, int] | None
"""What was cut of a row and has not lost its end yet; None where all has."""

_decode = msgspec.json.Decoder().decode

_BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")
_OBJECTS = {"attributes": "", "resource": "resource.", "scope_attributes": "scope."}
"""Columns of attributes, and what the names of their cut values begin with."""

_LISTS = {"events": "event.", "links": "link."}


_CAPS = frozenset({SHORT_CHARS, DEFAULT_LIMITS.value_chars, DEFAULT_LIMITS.payload_chars})


def rules_number(redactor: Redactor) -> int:
    """A number for what a redactor masks, of 63 bits: another one after any change of patterns or settings."""
    config = redactor.config
    parts = [f"{p.kind} {p.profile} {p.regex}" for p in (*PATTERNS, *config.extra_patterns)]
    parts += [repr(sorted(chosen)) for chosen in (config.profiles, config.off, config.extra_keys)]
    parts.append(repr(config.allow))
    return int.from_bytes(sha256("\n".join(parts).encode()).digest()[:8]) >> 1


@dataclass(slots=True, frozen=True)
class Masks:
    """Masks stored rows. Cut values of rows that arrived up to `tails_done_to` have lost their end already."""

    redactor: Redactor
    tails_done_to: int = 0

    def row(self, row: dict[str, Any]) -> dict[str, Any] | None:
        """The row with its secrets masked, None where it has none."""
        cut = None if row[ARRIVAL] <= self.tails_done_to else _cut_in(row)
        new = {name: value and self._column(name, value, cut) for name, value in row.items()}
        return new if new != row else None

    def _column(self, name: str, value: Any, cut: Cut) -> Any:
        if isinstance(value, list):
            return [self._text(entry) for entry in value]
        if not isinstance(value, str):
            return value
        changes: dict[str, Callable[[Any], Any]] = {
            **dict.fromkeys(_OBJECTS, lambda found: self._attributes(found, cut, _OBJECTS[name])),
            **dict.fromkeys(_LISTS, lambda found: [self._part(part, cut, _LISTS[name]) for part in found]),
            "body": lambda found: _shortened(self._said(self.redactor.value(found)), _is(cut, "body")),
            "cut": lambda found: {self.redactor.text(key): length for key, length in found.items()},
        }
        if name in changes:
            return _changed(value, changes[name])
        return _shortened(self._text(value), _is(cut, name))

    def _attributes(self, found: dict[str, Any], cut: Cut, prefix: str) -> dict[str, Any]:
        return {
            self._name(name, cut): _shortened(self._said(self.redactor.attribute(name, value)), _is(cut, prefix + name))
            for name, value in found.items()
        }

    def _name(self, name: str, cut: Cut) -> str:
        """A key that is as long as its cap was cut at it; no column says so."""
        masked = self.redactor.text(name)
        return masked if cut is None or len(name) < SHORT_CHARS else masked[:-TAIL]

    def _part(self, part: dict[str, Any], cut: Cut, prefix: str) -> dict[str, Any]:
        """An event or a link."""
        if "name" not in part:
            return {**part, "attributes": self._attributes(part["attributes"], cut, prefix)}
        attributes = self._attributes(part["attributes"], cut, event_mark(part["name"]))
        return {**part, "name": _shortened(self._text(part["name"]), _is(cut, "event.name")), "attributes": attributes}

    def _text(self, text: str) -> str:
        """A text, and the texts inside it where it is JSON (payloads of calls, evidence, alerts)."""
        masked = self.redactor.text(text)
        if masked[:1] in ("{", "["):
            return _changed(masked, self._said)
        return self._of_bytes(masked)

    def _said(self, value: Any) -> Any:
        """A value in which no text is the base64 of bytes that say a secret."""
        if isinstance(value, str):
            return self._of_bytes(value)
        if isinstance(value, dict):
            return {key: self._said(entry) for key, entry in value.items()}
        return [self._said(entry) for entry in value] if isinstance(value, list) else value

    def _of_bytes(self, text: str) -> str:
        """As `BatchRedactor.of_bytes`; a stored row does not say which of its texts stand for bytes."""
        if not _BASE64.fullmatch(text):
            return text
        plain = text.rstrip("=")
        said = base64.b64decode(plain[: len(plain) // 4 * 4] + _ending(plain)).decode("utf-8", "replace")
        return text if self.redactor.text(said) == said else self.redactor.mark("bytes", said)


def _cut_in(row: dict[str, Any]) -> dict[str, int]:
    """Names of what was cut of a row. What was made of spans has no such column: there a text as long as a cap was cut,
    and the result of a call that says so.
    """
    if "cut" in row:
        return _decode(row["cut"] or "{}")  # type: ignore[no-any-return]
    cut = {name: len(value) for name, value in row.items() if isinstance(value, str) and len(value) in _CAPS}
    return cut | ({"result": 0} if row.get("payload") == Payload.TRUNCATED else {})


def _ending(plain: str) -> str:
    """The last, incomplete group of base64 with its padding; one letter alone says nothing."""
    left = plain[len(plain) // 4 * 4 :]
    return left + "=" * (4 - len(left)) if len(left) > 1 else ""


def _changed(text: str, change: Callable[[Any], Any]) -> str:
    """JSON text after a change of its value; the text itself where nothing changed, or where it is no JSON."""
    try:
        value = _decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text
    new = change(value)
    return text if new == value else encode(new).decode()


def _is(cut: Cut, name: str) -> bool:
    return cut is not None and name in cut


def _shortened(value: Any, was_cut: bool) -> Any:
    """A cut text without its end, as redaction leaves it at the arrival."""
    return value[:-TAIL] if was_cut and isinstance(value, str) and len(value) > 2 * TAIL else value
