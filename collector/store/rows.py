"""Span and log rows as Arrow columns: how a row is laid out in the store (`rows_back` is the way back).

Structures travel as JSON text (VARCHAR is the fastest to insert and portable), empty ones as NULL. JSON text never
holds a NUL or half a surrogate pair: DuckDB's JSON functions refuse a column that has a single one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha1
from typing import Any

import msgspec
import pyarrow as pa

from analytics.spans import Event, Link, LogRecord, Span

LARGEST = 2**63 - 1
"""Times beyond it (the year 2262) are held at it; the number sent stands in `out_of_range`."""

_TEXT = pa.string()

SPAN_SCHEMA = pa.schema(
    [
        ("project", _TEXT),
        ("trace_id", _TEXT),
        ("span_id", _TEXT),
        ("parent_span_id", _TEXT),
        ("name", _TEXT),
        ("kind", pa.uint8()),
        ("start_ns", pa.int64()),
        ("end_ns", pa.int64()),
        ("status_code", pa.uint8()),
        ("status_message", _TEXT),
        ("attributes", _TEXT),
        ("events", _TEXT),
        ("links", _TEXT),
        ("resource", _TEXT),
        ("scope_name", _TEXT),
        ("scope_version", _TEXT),
        ("scope_attributes", _TEXT),
        ("schema_url", _TEXT),
        ("trace_state", _TEXT),
        ("flags", pa.uint32()),
        ("dropped_attributes", pa.uint32()),
        ("dropped_events", pa.uint32()),
        ("dropped_links", pa.uint32()),
        ("cut", _TEXT),
        ("out_of_range", _TEXT),
        ("received_ns", pa.int64()),
        ("seq", pa.int64()),
        ("content_key", pa.int64()),
    ]
)

LOG_SCHEMA = pa.schema(
    [
        ("project", _TEXT),
        ("trace_id", _TEXT),
        ("span_id", _TEXT),
        ("event_name", _TEXT),
        ("time_ns", pa.int64()),
        ("severity", pa.int32()),
        ("body", _TEXT),
        ("attributes", _TEXT),
        ("resource", _TEXT),
        ("scope_name", _TEXT),
        ("scope_version", _TEXT),
        ("dropped_attributes", pa.uint32()),
        ("cut", _TEXT),
        ("out_of_range", _TEXT),
        ("received_ns", pa.int64()),
        ("seq", pa.int64()),
        ("content_key", pa.int64()),
    ]
)

_encode = msgspec.json.Encoder().encode


def encode(value: Any) -> bytes:
    """JSON text of an attribute value; what JSON in DuckDB cannot hold is shown instead (NUL as U+2400)."""
    try:
        text = _encode(value)
    except (UnicodeEncodeError, OverflowError, TypeError, ValueError):
        return _encode_odd(value)
    return _encode_odd(value) if b"\\u0000" in text else text


def _encode_odd(value: Any) -> bytes:
    return json.dumps(_clean(value), ensure_ascii=False, separators=(",", ":"), default=str).encode()


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "\u2400").encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_clean(str(key)): _clean(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(entry) for entry in value]
    if isinstance(value, float) and not float("-inf") < value < float("inf"):
        return None
    return value


def _events(events: list[Event]) -> bytes:
    return encode([{"name": e.name, "time_ns": e.time_ns, "attributes": e.attributes} for e in events])


def _links(links: list[Link]) -> bytes:
    return encode([{"trace_id": k.trace_id, "span_id": k.span_id, "attributes": k.attributes} for k in links])


class _Shared:
    """Encodes a dictionary that many rows share (a resource) once."""

    def __init__(self) -> None:
        self._texts: dict[int, bytes] = {}

    def __call__(self, value: dict[str, Any]) -> bytes:
        text = self._texts.get(id(value))
        if text is None:
            text = self._texts[id(value)] = encode(value)
        return text


def _key(head: str, first: bytes | None, second: bytes | None, third: bytes | None, fourth: bytes | None) -> int:
    """64 bits of a hash of a row's content; no secret and no signature, only a fast way to tell rows apart.

    The order of attributes counts: a span sent again with its attributes in another order is another row, and still one
    call, told by its span id. SDKs and the OpenTelemetry Collector send a retry as it was. An order of its own would be
    a second encoding of each row, 2.6 of 11 microseconds; stored in that order, a payload would not read as sent.
    """
    content = b"\x1f".join((head.encode("utf-8", "replace"), first or b"", second or b"", third or b"", fourth or b""))
    return int.from_bytes(sha1(content, usedforsecurity=False).digest()[:8], "little", signed=True)


def _out_of_range(**times: int) -> bytes:
    return encode({name: time for name, time in times.items() if not 0 <= time <= LARGEST})


@dataclass(slots=True)
class Encoded:
    """Rows ready for the journal but for their arrival numbers: columns up to `received_ns`, keys, sizes of texts."""

    schema: pa.Schema
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    keys: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def take(self, kept: Sequence[int]) -> Encoded:
        """Some of the rows, by index."""
        return Encoded(
            self.schema,
            [self.rows[n] for n in kept],
            [self.keys[n] for n in kept],
            [self.sizes[n] for n in kept],
        )

    def record_batch(self, first_seq: int) -> pa.RecordBatch:
        """The rows as Arrow columns, with arrival numbers from `first_seq`."""
        columns: Sequence[Sequence[Any]] = list(zip(*self.rows, strict=True)) or [()] * (len(self.schema) - 2)
        arrays = [_array(column, kind) for column, kind in zip(columns, self.schema.types, strict=False)]
        arrays.append(pa.array(range(first_seq, first_seq + len(self.rows)), type=pa.int64()))
        arrays.append(pa.array(self.keys, type=pa.int64()))
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _array(column: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """A column; one value all along, as in most columns of a batch, costs next to nothing."""
    try:
        if column and column[0] == column[-1] and column.count(column[0]) == len(column):
            return (
                pa.nulls(len(column), kind) if column[0] is None else pa.repeat(pa.scalar(column[0], kind), len(column))
            )
        return pa.array(column, type=kind)
    except (UnicodeEncodeError, OverflowError, pa.ArrowInvalid):
        return pa.array([_fitting(value, kind) for value in column], type=kind)


def _fitting(value: Any, kind: pa.DataType) -> Any:
    """A value that no well-made sender sends, as near as the column can hold it: odd rows must not stop others."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, int):
        bits = kind.bit_width
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if pa.types.is_signed_integer(kind) else (0, 2**bits - 1)
        return max(low, min(value, high))
    return value


def encode_spans(spans: Sequence[Span]) -> Encoded:
    """Spans, with `received_ns` set."""
    encoded = Encoded(SPAN_SCHEMA)
    shared = _Shared()
    for s in spans:
        attributes = encode(s.attributes) if s.attributes else None
        events = _events(s.events) if s.events else None
        links = _links(s.links) if s.links else None
        resource = shared(s.resource) if s.resource else None
        start, end = s.start_ns, s.end_ns
        odd = not (0 <= start <= LARGEST and 0 <= end <= LARGEST)
        head = (
            f"{s.project}\x1f{s.trace_id}{s.span_id}{s.parent_span_id}{start} {end} {s.status_code}"
            f"{s.name}\x1f{s.status_message}"
        )
        encoded.keys.append(_key(head, attributes, events, links, resource))
        encoded.sizes.append(len(attributes or b"") + len(events or b""))
        encoded.rows.append(
            (
                s.project,
                s.trace_id,
                s.span_id,
                s.parent_span_id,
                s.name,
                s.kind & 0xFF,
                _held(start) if odd else start,
                _held(end) if odd else end,
                s.status_code & 0xFF,
                s.status_message,
                attributes,
                events,
                links,
                resource,
                s.scope_name,
                s.scope_version,
                shared(s.scope_attributes) if s.scope_attributes else None,
                s.schema_url,
                s.trace_state,
                s.flags,
                s.dropped_attributes,
                s.dropped_events,
                s.dropped_links,
                encode(s.cut) if s.cut else None,
                _out_of_range(start_ns=start, end_ns=end) if odd else None,
                s.received_ns,
            )
        )
    return encoded


def encode_logs(logs: Sequence[LogRecord]) -> Encoded:
    """Log records, with `received_ns` set."""
    encoded = Encoded(LOG_SCHEMA)
    shared = _Shared()
    for r in logs:
        body, attributes = encode(r.body), encode(r.attributes) if r.attributes else None
        resource = shared(r.resource) if r.resource else None
        odd = not 0 <= r.time_ns <= LARGEST
        head = f"{r.project}\x1f{r.trace_id}{r.span_id}{r.event_name}\x1f{r.time_ns} {r.severity}"
        encoded.keys.append(_key(head, body, attributes, resource, None))
        encoded.sizes.append(len(body) + len(attributes or b""))
        encoded.rows.append(
            (
                r.project,
                r.trace_id,
                r.span_id,
                r.event_name,
                _held(r.time_ns),
                r.severity,
                body,
                attributes,
                resource,
                r.scope_name,
                r.scope_version,
                r.dropped_attributes,
                encode(r.cut) if r.cut else None,
                _out_of_range(time_ns=r.time_ns) if odd else None,
                r.received_ns,
            )
        )
    return encoded


def _held(time_ns: int) -> int:
    return max(0, min(time_ns, LARGEST))
