"""Which stretches of the arrival numbers may hold rows of a trace: so that a question about one reads only those.

There is no index on a span table. Instead memory keeps a fingerprint of 32 bits per trace and 2^18 arrival numbers.
Where there is none, there are certainly no rows; a false one (one in a thousand traces, with four million fingerprints)
costs a look. A trace of which nothing was seen before is complete in memory: what nearly every judging needs.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

CHUNK_BITS = 18
"""Arrival numbers of a chunk, as a power of two: about two DuckDB row groups."""

_MOST_PRINTS = 6_000_000
"""Fingerprints kept (48 MB). A trace that was silent for longer than they reach back counts as new."""

_MULTIPLIER = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1

HASH_SQL = "xor(TRY_CAST('0x' || left(trace_id, 16) AS UBIGINT), TRY_CAST('0x' || right(trace_id, 16) AS UBIGINT))"
"""The same as `trace_hash` in SQL; NULL where the id is not hex."""

Range = tuple[int, int]
"""First and last arrival number of a stretch."""

Prints = npt.NDArray[np.uint32]


def trace_hash(trace_id: str) -> int:
    """64 bits of a trace id; ids are random already, both halves are used since some senders fill one only."""
    try:
        return int(trace_id[:16], 16) ^ int(trace_id[-16:], 16)
    except ValueError:
        return hash(trace_id) & _WORD


class Seen:
    """Fingerprints of all rows' traces by chunk; the newest chunk is exact. Methods may be called from any thread."""

    def __init__(self, last_seq: int, most_prints: int = _MOST_PRINTS) -> None:
        """`last_seq` is the last arrival number that is stored; all chunks count as unknown until `fill` names them.

        `forgetful` says that stored rows exist which `places` leaves out: "none" is then no longer certain.
        """
        self._lock = threading.Lock()
        self._most = most_prints
        self._prints: Prints = np.empty(0, np.uint32)
        self._chunks: Prints = np.empty(0, np.uint32)
        self._chunk = (last_seq + 1) >> CHUNK_BITS
        self._current: set[int] = set()
        self._half_known: dict[int, set[int]] = {}
        self._unknown = set(range(self._chunk + 1)) if last_seq else set()
        self.forgetful = False

    def unknown(self) -> list[int]:
        """Chunks stored before this process, not filled yet; newest first."""
        with self._lock:
            return sorted(self._unknown, reverse=True)

    def fill(self, chunk: int, hashes: Iterable[int] | None) -> None:
        """Say what a stored chunk holds; None leaves it unknown for good (an id that is not hex)."""
        if hashes is None:
            return
        with self._lock:
            if chunk == self._chunk:
                self._current.update(hashes)
            else:
                self._seal(chunk, {*hashes, *self._half_known.pop(chunk, ())})
            self._unknown.discard(chunk)

    def forget(self, chunks: Iterable[int]) -> None:
        """These chunks count as holding nothing."""
        with self._lock:
            self._unknown.difference_update(chunks)
            self.forgetful = True

    @property
    def full(self) -> bool:
        """Whether older chunks would be dropped again at once."""
        return len(self._prints) >= self._most

    def places(self, trace_id: str) -> list[Range]:
        """Stretches that may hold rows of a trace; empty where it has certainly none."""
        hashed = trace_hash(trace_id)
        with self._lock:
            chunks = set(self._unknown)
            if hashed in self._current:
                chunks.add(self._chunk)
            if len(self._prints):
                wanted = np.uint32(_print_of(hashed))
                first = int(self._prints.searchsorted(wanted))
                while first < len(self._prints) and self._prints[first] == wanted:
                    chunks.add(int(self._chunks[first]))
                    first += 1
        return _ranges(chunks) if chunks else []

    def add(self, hashes: Iterable[int], first_seq: int, last_seq: int) -> None:
        """Rows of these traces arrived under these numbers."""
        hashes = list(hashes)
        with self._lock:
            if first_seq >> CHUNK_BITS == self._chunk:
                self._current.update(hashes)
            while last_seq >> CHUNK_BITS > self._chunk:
                if self._chunk in self._unknown:
                    self._half_known[self._chunk] = self._current
                else:
                    self._seal(self._chunk, self._current)
                self._chunk += 1
                self._current = set(hashes)

    def _seal(self, chunk: int, hashes: Iterable[int]) -> None:
        mixed = np.fromiter((h & _WORD for h in hashes), dtype=np.uint64) * np.uint64(_MULTIPLIER)
        prints = np.unique((mixed >> np.uint64(32)).astype(np.uint32))
        at = self._prints.searchsorted(prints)
        self._prints = np.insert(self._prints, at, prints)
        self._chunks = np.insert(self._chunks, at, np.uint32(chunk))
        if len(self._prints) > self._most:
            kept = self._chunks > self._chunks.min()
            self._prints, self._chunks = self._prints[kept], self._chunks[kept]
            self.forgetful = True


def _print_of(hashed: int) -> int:
    return ((hashed * _MULTIPLIER) & _WORD) >> 32


def _ranges(chunks: set[int]) -> list[Range]:
    """Chunks as stretches of arrival numbers, neighbours joined."""
    joined: list[Range] = []
    for chunk in sorted(chunks):
        first, last = chunk << CHUNK_BITS, ((chunk + 1) << CHUNK_BITS) - 1
        if joined and joined[-1][1] == first - 1:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return joined
