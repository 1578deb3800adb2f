"""Redaction of a decoded batch, in place, before anything of it is written.

Nearly every span is clean, so a span is first looked at as one text; only where that look finds something is each part
masked on its own.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from analytics.spans import Attributes, LogRecord, Span
from analytics.store import Batch
from collector.decode.caps import SHORT_CHARS, base64_of, event_mark
from telltale.redaction import Redactor

TAIL = 256
"""Characters that a cut value loses at its end, so that no secret survives by being cut in half."""

_KNOWN_NAMES = 20_000

_BYTES_LOOKED_AT = 256 * 1024
"""More than is kept of any bytes: their base64 text, a third longer, is cut at as many characters."""

_SHORTEST_BYTES = 5

_encode = msgspec.json.Encoder(enc_hook=str).encode


_Scope = tuple[str, str, str]
"""Name, version and schema URL."""


@dataclass(slots=True)
class _Done:
    """What many rows of a batch share, masked once: attributes by the id of what was sent, scopes by their texts."""

    attributes: dict[int, Attributes] = field(default_factory=dict)
    scopes: dict[_Scope, _Scope] = field(default_factory=dict)


class BatchRedactor:
    """Applies one `Redactor` to batches; keeps the attribute names that it has seen to be innocent."""

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor
        self._innocent: set[str] = set()

    def __call__(self, batch: Batch) -> None:
        """Mask the secrets of a batch in place."""
        done = _Done()
        for span in batch.spans:
            self._span(span, done)
        for log in batch.logs:
            self._log(log, done)

    def of_bytes(self, raw: bytes) -> str:
        """The text that stands for bytes: base64, or one mark where what they say, read as UTF-8, holds a secret."""
        if len(raw) >= _SHORTEST_BYTES:
            said = raw[:_BYTES_LOOKED_AT].decode("utf-8", "replace")
            if self.redactor.text(said) != said:
                return self.redactor.mark("bytes", said)
        return base64_of(raw)

    def _span(self, span: Span, done: _Done) -> None:
        cut = span.cut
        span.resource = self._shared(span.resource, done, cut, "resource.")
        if span.scope_attributes:
            span.scope_attributes = self._shared(span.scope_attributes, done, cut, "scope.")
        scope = span.scope_name, span.scope_version, span.schema_url
        span.scope_name, span.scope_version, span.schema_url = done.scopes.get(scope) or self._scope(scope, done)
        if not cut and self._is_clean(span):
            return
        span.name = self._text(span.name, was_cut="name" in cut)
        span.status_message = self._text(span.status_message, was_cut="status_message" in cut)
        span.trace_state = self._short(span.trace_state)
        span.attributes = self._attributes(span.attributes, cut)
        for event in span.events:
            prefix = event_mark(event.name)
            event.name = self._text(event.name, was_cut="event.name" in cut)
            event.attributes = self._attributes(event.attributes, cut, prefix)
        for link in span.links:
            link.attributes = self._attributes(link.attributes, cut, "link.")
        if cut:
            span.cut = self._marks(cut)

    def _log(self, log: LogRecord, done: _Done) -> None:
        cut = log.cut
        log.resource = self._shared(log.resource, done, cut, "resource.")
        scope = log.scope_name, log.scope_version, ""
        log.scope_name, log.scope_version, _ = done.scopes.get(scope) or self._scope(scope, done)
        log.event_name = self._short(log.event_name)
        log.body = _shortened(log.body, self.redactor.value(log.body), was_cut="body" in cut)
        log.attributes = self._attributes(log.attributes, cut)
        if cut:
            log.cut = self._marks(cut)

    def _text(self, text: str, *, was_cut: bool) -> str:
        masked = _shortened(text, self.redactor.text(text), was_cut=was_cut)
        return masked if isinstance(masked, str) else text

    def _short(self, text: str) -> str:
        """A masked key, scope, schema or state: where it is longer than its cap, decoding has cut it."""
        masked = self.redactor.text(text)
        return masked if len(text) <= SHORT_CHARS else masked[:-TAIL][:SHORT_CHARS]

    def _scope(self, scope: _Scope, done: _Done) -> _Scope:
        name, version, url = scope
        masked = done.scopes[scope] = self._short(name), self._short(version), self._short(url)
        return masked

    def _marks(self, cut: dict[str, int]) -> dict[str, int]:
        """What was cut, by name: a name may hold a secret itself."""
        return {self._short(name): length for name, length in cut.items()}

    def _is_clean(self, span: Span) -> bool:
        parts = [span.name, span.status_message, span.trace_state]
        if not self._collect(span.attributes, parts):
            return False
        for event in span.events:
            parts.append(event.name)
            if not self._collect(event.attributes, parts):
                return False
        for link in span.links:
            if not self._collect(link.attributes, parts):
                return False
        return self.redactor.clean("\n".join(parts))

    def _collect(self, attributes: Attributes, parts: list[str]) -> bool:
        """Add the texts among the attributes to `parts`; False where a name alone calls for a closer look."""
        if not attributes.keys() <= self._innocent and not self._learn(attributes):
            return False
        for value in attributes.values():
            kind = type(value)
            if kind is str:
                parts.append(value)
            elif kind is dict or kind is list:
                parts.append(_as_text(value))
            elif kind is int and value > 10**12:
                parts.append(str(value))
        return True

    def _learn(self, attributes: Attributes) -> bool:
        unknown = attributes.keys() - self._innocent
        if not all(len(name) <= SHORT_CHARS and self.redactor.innocent_name(name) for name in unknown):
            return False
        if len(self._innocent) < _KNOWN_NAMES:
            self._innocent.update(attributes)
        return True

    def _attributes(self, attributes: Attributes, cut: dict[str, int], prefix: str = "") -> Attributes:
        if not cut and all(len(name) <= SHORT_CHARS for name in attributes):
            return self.redactor.attributes(attributes)
        return {
            self._short(name): _shortened(value, self.redactor.attribute(name, value), was_cut=prefix + name in cut)
            for name, value in attributes.items()
        }

    def _shared(self, attributes: Attributes, done: _Done, cut: dict[str, int], prefix: str) -> Attributes:
        masked = done.attributes.get(id(attributes))
        if masked is None:
            parts: list[str] = []
            clean = not cut and self._collect(attributes, parts) and self.redactor.clean("\n".join(parts))
            masked = attributes if clean else self._attributes(attributes, cut, prefix)
            done.attributes[id(attributes)] = masked
        return masked


def _as_text(value: Any) -> str:
    try:
        return _encode(value).decode()
    except (UnicodeEncodeError, OverflowError, TypeError, ValueError):
        return repr(value)


def _shortened(sent: Any, masked: Any, *, was_cut: bool) -> Any:
    """A masked text without its tail, where decoding had cut it; marks may have made it shorter than its cap."""
    if was_cut and isinstance(sent, str) and len(sent) > 2 * TAIL and isinstance(masked, str):
        return masked[:-TAIL]
    return masked


_KEY_BYTES = 32


def site_key(database: Path) -> bytes:
    """The site's own key for redaction marks: made beside the database file at first use, for its owner's eyes only.

    Raises:
        ValueError: the file is there and holds no key; the text says what to do.
    """
    path = Path(f"{database}.redaction-key")
    if not path.exists():
        _make_key(path)
    try:
        key = bytes.fromhex(path.read_text("ascii").strip())
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:
        raise ValueError(
            f"{path} holds no key of {2 * _KEY_BYTES} hexadecimal digits: put it back from a backup, or delete it; "
            "with the new key that is made then, new marks do not compare with older ones"
        )
    return key


def _make_key(path: Path) -> None:
    """Written whole under another name first: a kill on the way leaves no half of a key."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_bytes(_KEY_BYTES).hex())
        file.flush()
        os.fsync(file.fileno())
    with suppress(FileExistsError):  # another process was first: its key is the site's
        os.link(fresh, path)
    fresh.unlink()
