"""One record of a segment: its bytes, and how records are found again in a file that may be damaged."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

MAGIC = b"TTj1"
_HEAD = struct.Struct("<4sIIqiBxxx")
"""Magic, checksum of the rest, length of the payload, first arrival number, number of rows, kind."""

_CHECKED_FROM = 8


class Kind(IntEnum):
    """What a payload holds: an Arrow record batch of the schema that this number stands for, for ever."""

    SPANS_1 = 1
    LOGS_1 = 2


@dataclass(slots=True, frozen=True)
class Record:
    """Rows of one kind, with consecutive arrival numbers from `first_seq`."""

    kind: int
    first_seq: int
    rows: int
    payload: bytes | memoryview

    @property
    def last_seq(self) -> int:
        """The arrival number of the last row."""
        return self.first_seq + self.rows - 1


@dataclass(slots=True, frozen=True)
class Damage:
    """Bytes of a segment that are no record. `torn` is the normal end of a file after a kill: nothing is lost there."""

    offset: int
    length: int
    torn: bool


def to_bytes(record: Record) -> list[bytes | memoryview]:
    """The pieces to write, in order."""
    head = _HEAD.pack(MAGIC, 0, len(record.payload), record.first_seq, record.rows, record.kind)
    checksum = zlib.crc32(record.payload, zlib.crc32(head[_CHECKED_FROM:]))
    return [
        _HEAD.pack(MAGIC, checksum, len(record.payload), record.first_seq, record.rows, record.kind),
        record.payload,
    ]


def scan(content: bytes | memoryview) -> Iterator[Record | Damage]:
    """Records in a segment's content, in order; what is unreadable is reported and skipped to the next whole record."""
    view = memoryview(content)
    at = 0
    while at < len(view):
        found = _record_at(view, at)
        if found is not None:
            yield found[0]
            at = found[1]
            continue
        following = _next_record(view, at + 1)
        yield Damage(at, following - at, torn=following == len(view) and _reaches_past_end(view, at))
        at = following


def _record_at(view: memoryview, at: int) -> tuple[Record, int] | None:
    """The record that starts at `at` and where it ends; None where there is no whole one."""
    if len(view) - at < _HEAD.size:
        return None
    magic, checksum, length, first_seq, rows, kind = _HEAD.unpack_from(view, at)
    start, end = at + _HEAD.size, at + _HEAD.size + length
    if magic != MAGIC or end > len(view):
        return None
    payload = view[start:end]
    if zlib.crc32(payload, zlib.crc32(view[at + _CHECKED_FROM : start])) != checksum:
        return None
    return Record(kind, first_seq, rows, payload), end


def _next_record(view: memoryview, at: int) -> int:
    """Where the next whole record starts; the end of the content if there is none."""
    content = view.obj if isinstance(view.obj, bytes) else bytes(view)
    at = content.find(MAGIC, at)
    while at >= 0:
        if _record_at(view, at) is not None:
            return at
        at = content.find(MAGIC, at + 1)
    return len(view)


def _reaches_past_end(view: memoryview, at: int) -> bool:
    """Whether the bytes at `at` begin a record that the file ends within, as a kill during a write leaves it."""
    if len(view) - at < _HEAD.size:
        return MAGIC.startswith(bytes(view[at : at + 4])) or view[at : at + 4] == MAGIC
    magic, _checksum, length, *_rest = _HEAD.unpack_from(view, at)
    return bool(magic == MAGIC and at + _HEAD.size + length > len(view))
