"""Redaction of a decoded batch, in place, before anything of it is written.

Nearly every span is clean, so a span is first looked at as one text; only where that look finds something is each part
masked on its own.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

import msgspec

from analytics.spans import Attributes, LogRecord, Span
from analytics.store import Batch
from telltale.redaction import Redactor

TAIL = 256
"""Characters that a cut value loses at its end, so that no secret survives by being cut in half."""

_KNOWN_NAMES = 20_000

_encode = msgspec.json.Encoder(enc_hook=str).encode


class BatchRedactor:
    """Applies one `Redactor` to batches; keeps the attribute names that it has seen to be innocent."""

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor
        self._innocent: set[str] = set()

    def __call__(self, batch: Batch) -> None:
        """Mask the secrets of a batch in place."""
        resources: dict[int, Attributes] = {}
        for span in batch.spans:
            self._span(span, resources)
        for log in batch.logs:
            self._log(log, resources)

    def _span(self, span: Span, resources: dict[int, Attributes]) -> None:
        span.resource = self._shared(span.resource, resources)
        if span.scope_attributes:
            span.scope_attributes = self._shared(span.scope_attributes, resources)
        if self._is_clean(span) and not span.cut:
            return
        text = self.redactor.text
        span.name, span.status_message, span.trace_state = (
            text(span.name),
            text(span.status_message),
            text(span.trace_state),
        )
        span.attributes = self._attributes(span.attributes, span.cut)
        for event in span.events:
            event.name, event.attributes = text(event.name), self._attributes(event.attributes, span.cut)
        for link in span.links:
            link.attributes = self._attributes(link.attributes, span.cut)

    def _log(self, log: LogRecord, resources: dict[int, Attributes]) -> None:
        log.resource = self._shared(log.resource, resources)
        log.event_name = self.redactor.text(log.event_name)
        log.body = _shortened(self.redactor.value(log.body)) if "body" in log.cut else self.redactor.value(log.body)
        log.attributes = self._attributes(log.attributes, log.cut)

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
        if not all(self.redactor.innocent_name(name) for name in attributes.keys() - self._innocent):
            return False
        if len(self._innocent) < _KNOWN_NAMES:
            self._innocent.update(attributes)
        return True

    def _attributes(self, attributes: Attributes, cut: dict[str, int]) -> Attributes:
        masked = self.redactor.attributes(attributes)
        for name in cut:
            if name in masked:
                masked[name] = _shortened(masked[name])
        return masked

    def _shared(self, attributes: Attributes, done: dict[int, Attributes]) -> Attributes:
        if id(attributes) not in done:
            parts: list[str] = []
            clean = self._collect(attributes, parts) and self.redactor.clean("\n".join(parts))
            done[id(attributes)] = attributes if clean else self.redactor.attributes(attributes)
        return done[id(attributes)]


def redact_batch(batch: Batch, redactor: Redactor) -> None:
    """Mask the secrets of one batch in place; a long-lived `BatchRedactor` does the same faster."""
    BatchRedactor(redactor)(batch)


def _as_text(value: Any) -> str:
    try:
        return _encode(value).decode()
    except (UnicodeEncodeError, OverflowError, TypeError, ValueError):
        return repr(value)


def _shortened(value: Any) -> Any:
    return value[:-TAIL] if isinstance(value, str) and len(value) > 2 * TAIL else value


def site_key(database: Path) -> bytes:
    """The site's own key for redaction marks: made beside the database file at first use, for its owner's eyes only."""
    path = Path(f"{database}.redaction-key")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return bytes.fromhex(path.read_text("ascii").strip())
    key = secrets.token_bytes(32)
    with os.fdopen(descriptor, "w") as file:
        file.write(key.hex())
        file.flush()
        os.fsync(file.fileno())
    return key
