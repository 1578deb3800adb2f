"""`Journal`: append-only segments in a folder, each record durable before `append` returns."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from collector.journal.record import Damage, Record, scan, to_bytes

_SUFFIX = ".ttj"


class JournalError(Exception):
    """The journal cannot be written now; nothing of the records is kept."""


@dataclass(slots=True)
class Recovered:
    """What opening a journal found: readable records per segment, and damage that was set aside."""

    segments: int = 0
    quarantined: list[Path] = field(default_factory=list)
    damaged_bytes: int = 0
    torn_bytes: int = 0
    last_seq: int = 0


@dataclass(slots=True)
class _Segment:
    path: Path
    last_seq: int
    size: int


class Journal:
    """The segments of one folder. `append` may be called from any thread; one process owns the folder."""

    def __init__(self, folder: Path, segment_bytes: int = 64 * 2**20) -> None:
        """Open the folder, made if need be, and look through what is there.

        A segment with damage in it is copied to `<name>.corrupt-<time>` before its readable records are used. New
        records always go to a new segment: an old one is never written again.
        """
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder = folder
        self.segment_bytes = segment_bytes
        self.recovered = Recovered()
        self.failure: tuple[float, str] | None = None
        """Of the last append, if it failed: when (monotonic) and why."""
        self._lock = threading.Lock()
        self._file: int | None = None
        self._segments = [self._look_through(path) for path in sorted(folder.glob(f"*{_SUFFIX}"))]
        self.recovered.last_seq = max((segment.last_seq for segment in self._segments), default=0)

    def append(self, records: Sequence[Record]) -> None:
        """Write records and make them durable.

        Raises:
            JournalError: the disk is full or failing; the segment is as it was, or abandoned.
        """
        pieces = [piece for record in records for piece in to_bytes(record)]
        if not pieces:
            return
        with self._lock:
            if self._file is None or self._segments[-1].size >= self.segment_bytes:
                self._open_segment(records[0].first_seq)
            assert self._file is not None
            segment = self._segments[-1]
            try:
                written = _write_all(self._file, pieces)
                os.fdatasync(self._file)
            except OSError as error:
                self._abandon(segment)
                raise self._failed(error) from error
            self.failure = None
            segment.size += written
            segment.last_seq = max(segment.last_seq, records[-1].last_seq)

    def records(self, after_seq: int) -> Iterator[Record]:
        """Readable records with rows after `after_seq`, in order of arrival."""
        for segment in list(self._segments):
            if segment.last_seq > after_seq:
                for found in scan(segment.path.read_bytes()):
                    if isinstance(found, Record) and found.last_seq > after_seq:
                        yield found

    def ends_before(self, seq: int) -> bool:
        """Whether records up to `seq` were written to the last segment as it was found, and it does not hold them.

        Every segment is kept whole until all of it is in the database, so something else cut it.
        """
        last = self._segments[-1] if self._segments else None
        if last is None or self.recovered.damaged_bytes or last.last_seq >= seq:
            return False
        first = last.path.name.partition("-")[0]
        return first.isdecimal() and int(first) <= seq

    def release(self, up_to_seq: int) -> int:
        """Delete the segments that hold nothing after `up_to_seq`; returns how many bytes that freed."""
        with self._lock:
            held = self._segments[-1:] if self._file is not None and self._segments[-1].last_seq > up_to_seq else []
            done = [s for s in self._segments if s.last_seq <= up_to_seq and s not in held]
            if self._file is not None and self._segments[-1] in done:
                os.close(self._file)
                self._file = None
            self._segments = [s for s in self._segments if s not in done]
        for segment in done:
            segment.path.unlink(missing_ok=True)
        return sum(segment.size for segment in done)

    @property
    def size(self) -> int:
        """Bytes on disk, quarantined copies not counted."""
        return sum(segment.size for segment in self._segments)

    def close(self) -> None:
        """Close the open segment; what was appended is durable already."""
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None

    def _look_through(self, path: Path) -> _Segment:
        content = path.read_bytes()
        segment = _Segment(path, 0, len(content))
        damaged = 0
        for found in scan(content):
            if isinstance(found, Damage):
                self.recovered.torn_bytes += found.length if found.torn else 0
                damaged += 0 if found.torn else found.length
            else:
                segment.last_seq = max(segment.last_seq, found.last_seq)
        if damaged:
            kept = path.with_name(f"{path.name}.corrupt-{int(time.time())}")
            kept.write_bytes(content)
            self.recovered.quarantined.append(kept)
            self.recovered.damaged_bytes += damaged
        self.recovered.segments += 1
        return segment

    def _open_segment(self, first_seq: int) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
        path = self.folder / f"{first_seq:020d}-{time.time_ns():020d}{_SUFFIX}"
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
            _sync_folder(self.folder)
        except OSError as error:
            self._file = None
            raise self._failed(error) from error
        self._segments.append(_Segment(path, 0, 0))

    def _failed(self, error: OSError) -> JournalError:
        said = f"the journal cannot be written: {error.strerror}"
        self.failure = time.monotonic(), said
        return JournalError(said)

    def _abandon(self, segment: _Segment) -> None:
        """After a failed write or sync nobody knows what the file holds: cut it back, and begin another one."""
        assert self._file is not None
        with contextlib.suppress(OSError):
            os.ftruncate(self._file, segment.size)
        os.close(self._file)
        self._file = None
        if segment.size == 0:
            self._segments.remove(segment)
            segment.path.unlink(missing_ok=True)


def _write_all(file: int, pieces: list[bytes | memoryview]) -> int:
    total = 0
    for piece in _joined(pieces):
        view = memoryview(piece).cast("B")
        while view:
            written = os.write(file, view)
            view = view[written:]
            total += written
    return total


def _joined(pieces: list[bytes | memoryview]) -> list[bytes | memoryview]:
    """Small groups go to the file in one write, so that a kill leaves either all or a torn end."""
    if sum(len(piece) for piece in pieces) <= 2**20:
        return [b"".join(pieces)]
    return pieces


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
