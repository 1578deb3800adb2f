"""Which stretches of the arrival numbers may hold rows of a trace: so that a question about one reads only those.

There is no index on a span table. Instead a small Bloom filter per 2^18 arrival numbers says where a trace has no rows,
with certainty. A trace of which nothing was seen before is complete in memory: what nearly every judging needs.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

CHUNK_BITS = 18
"""Arrival numbers a filter, as a power of two: about two DuckDB row groups."""

_FILTER_BITS = 19
_CHUNKS = 256
"""Filters kept (16 MiB): the last 67 million rows. A trace that was silent for longer counts as new."""

_PROBES = 4
_MASK = (1 << _FILTER_BITS) - 1
_MULTIPLIER = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1

HASH_SQL = "xor(TRY_CAST('0x' || left(trace_id, 16) AS UBIGINT), TRY_CAST('0x' || right(trace_id, 16) AS UBIGINT))"
"""The same as `trace_hash` in SQL; NULL where the id is not hex."""

Range = tuple[int, int]
"""First and last arrival number of a stretch."""


def trace_hash(trace_id: str) -> int:
    """64 bits of a trace id; ids are random already, both halves are used since some senders fill one only."""
    try:
        return int(trace_id[:16], 16) ^ int(trace_id[-16:], 16)
    except ValueError:
        return hash(trace_id) & _WORD


class Seen:
    """Filters over the arrival numbers of all rows, the newest stretch exact."""

    def __init__(self, last_seq: int) -> None:
        """`last_seq` is the last arrival number that is stored; all chunks count as unknown until `fill` names them."""
        self._lock = threading.Lock()
        self._bits: npt.NDArray[np.uint8] = np.zeros((1 << (_FILTER_BITS - 3), _CHUNKS), dtype=np.uint8)
        self._chunk = (last_seq + 1) >> CHUNK_BITS
        self._current: set[int] = set()
        self._sealed: dict[int, int] = {}
        self._half_known: dict[int, set[int]] = {}
        self._unknown = set(range(max(0, self._chunk - _CHUNKS + 1), self._chunk + 1)) if last_seq else set()
        self._last_seq = last_seq

    def unknown(self) -> list[int]:
        """Chunks stored before this process, not filled yet; newest first."""
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

    def places(self, trace_id: str) -> list[Range]:
        """Stretches that may hold rows of a trace; empty where it has certainly none."""
        hashed = trace_hash(trace_id)
        with self._lock:
            chunks = set(self._unknown)
            if hashed in self._current:
                chunks.add(self._chunk)
            if self._sealed:
                found: npt.NDArray[np.uint8] = np.full(_CHUNKS, 255, dtype=np.uint8)
                for byte, bit in _probes(hashed):
                    found &= self._bits[byte] >> bit
                hits = np.flatnonzero(found & 1).tolist()
                if hits:
                    columns = set(hits)
                    chunks.update(chunk for chunk, column in self._sealed.items() if column in columns)
        return _ranges(chunks)

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
            self._last_seq = last_seq

    def _seal(self, chunk: int, hashes: Iterable[int]) -> None:
        column = chunk % _CHUNKS
        self._bits[:, column] = 0
        for gone in [c for c, taken in self._sealed.items() if taken == column]:
            del self._sealed[gone]
        self._unknown.discard(chunk - _CHUNKS)
        mixed = np.fromiter((h & _WORD for h in hashes), dtype=np.uint64)
        mixed = mixed * np.uint64(_MULTIPLIER)
        first, step = mixed >> np.uint64(64 - _FILTER_BITS), (mixed >> np.uint64(20)) | np.uint64(1)
        for n in range(_PROBES):
            place = (first + np.uint64(n) * step) & np.uint64(_MASK)
            bits = np.left_shift(np.uint8(1), (place & np.uint64(7)).astype(np.uint8))
            np.bitwise_or.at(self._bits[:, column], (place >> np.uint64(3)).astype(np.int64), bits)
        self._sealed[chunk] = column


def _probes(hashed: int) -> list[tuple[int, int]]:
    mixed = (hashed * _MULTIPLIER) & _WORD
    first, step = mixed >> (64 - _FILTER_BITS), (mixed >> 20) | 1
    return [(place >> 3, place & 7) for place in ((first + n * step) & _WORD & _MASK for n in range(_PROBES))]


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
