"""The caps of one request and of its rows (DESIGN, storage: caps)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class DecodeLimits:
    """Caps on a request and on each row; counts are records, lengths are characters.

    `payload_chars` holds for keys that a convention names as payload, `value_chars` for every other text. `overlap` is
    kept beyond a cap until redaction has run. A value nested deeper than `depth` is replaced by a marker; deeper than
    `depth_refused` refuses the request. `json_objects` bounds the objects of a JSON body before any is built, and
    `wire_messages` the sub-messages of a protobuf body above `wire_walk_bytes`.
    """

    records: int = 50_000
    attributes: int = 512
    events: int = 256
    links: int = 256
    payload_chars: int = 256 * 1024
    value_chars: int = 16 * 1024
    overlap: int = 256
    depth: int = 32
    depth_refused: int = 48
    json_objects: int = 1_500_000
    wire_messages: int = 1_000_000
    wire_walk_bytes: int = 4 * 1024 * 1024


DEFAULT_LIMITS = DecodeLimits()
