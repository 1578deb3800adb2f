"""The front of the store: takes batches, makes them durable, and keeps what arrived lately for the judge."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import duckdb

from analytics.spans import LogRecord, Span, Trace
from analytics.store import Batch, Receipt, StoreUnavailable, TraceKey
from collector.journal import Journal, JournalError, Kind, Record
from collector.store.arrivals import Arrival, ArrivalLog
from collector.store.backlog import Backlog, Piece, Place
from collector.store.history import History
from collector.store.recent import Entry, Recent
from collector.store.relations import NS_PER_DAY
from collector.store.rows import Encoded, encode_logs, encode_spans
from collector.store.seen import Range, Seen, trace_hash

_PATIENCE_S = 3.0
"""How long a batch waits for a database that is behind, before its sender is told to come again."""


@dataclass(slots=True, frozen=True)
class Glimpse:
    """What memory held of a trace at one moment; `missing` are the stretches of arrivals where more of it may lie."""

    trace: Trace
    missing: list[Range]
    entry: Entry | None


@dataclass(slots=True)
class _Fresh:
    """Which rows of a batch are new: their indices; and which of these (by place among them) the database may hold."""

    encoded: Encoded
    kept: list[int] = field(default_factory=list)
    doubtful: list[int] = field(default_factory=list)


class Front:
    """Batches in, recent traces out. Methods may be called from any thread."""

    def __init__(self, journal: Journal, backlog: Backlog, history: History, last_seq: int, recent_bytes: int) -> None:
        self.seen = Seen(last_seq)
        self.last_seq = last_seq
        self.stored_seq = last_seq
        self.refusal: str | None = None
        self.spans = self.logs = self.duplicates = 0
        self._journal = journal
        self._backlog = backlog
        self._history = history
        self._recent = Recent(recent_bytes)
        self._arrived = ArrivalLog(last_seq)
        self._lock = threading.Lock()

    def append(self, batch: Batch) -> Receipt:
        """Make a batch durable and known to the judge.

        Raises:
            StoreUnavailable: closed, the disk is full or failing, or the database has fallen too far behind.
        """
        if not self._backlog.wait_for_room(_PATIENCE_S):
            raise StoreUnavailable("the database has fallen behind the journal")
        now = time.time_ns()
        rows: list[Span | LogRecord] = [*batch.spans, *batch.logs]
        for row in rows:
            row.received_ns = row.received_ns or now
        spans, logs = encode_spans(batch.spans), encode_logs(batch.logs)
        stored = self._stored("span", batch.spans, spans) | self._stored("log", batch.logs, logs)
        with self._lock:
            if self.refusal:
                raise StoreUnavailable(self.refusal)
            fresh_spans, fresh_logs = self._fresh(batch.spans, spans, stored), self._fresh(batch.logs, logs, stored)
            duplicates = len(batch.spans) + len(batch.logs) - len(fresh_spans.kept) - len(fresh_logs.kept)
            self._take(batch, fresh_spans, fresh_logs)
            self.spans, self.logs = self.spans + len(batch.spans), self.logs + len(batch.logs)
            self.duplicates += duplicates
            return Receipt(len(batch.spans), len(batch.logs), duplicates, self.last_seq)

    def _take(self, batch: Batch, spans: _Fresh, logs: _Fresh) -> None:
        """Journal the rows, then, once they are durable, give them their numbers and let the judge know."""
        pieces = []
        first = self.last_seq + 1
        for kind, fresh, rows in ((Kind.SPANS_1, spans, batch.spans), (Kind.LOGS_1, logs, batch.logs)):
            if fresh.kept:
                kept = [rows[n] for n in fresh.kept]
                last = first + len(kept) - 1
                doubtful = [first + n for n in fresh.doubtful]
                piece = Piece(kind, first, last, fresh.encoded.record_batch(first), _places(kept), doubtful)
                pieces.append((piece, kept, fresh))
                first = last + 1
        if not pieces:
            return
        self.last_seq = first - 1  # numbers of a failed write are never used again
        try:
            self._journal.append([_record(piece) for piece, _rows, _fresh in pieces])
        except JournalError as error:
            raise StoreUnavailable(str(error)) from error
        for piece, kept, fresh in pieces:
            self._remember(piece, kept, fresh)
            self._backlog.add(piece)
        self._recent.shrink(self.stored_seq)

    def _stored(self, kind: str, rows: Sequence[Span | LogRecord], encoded: Encoded) -> set[int]:
        """Content keys that the database holds, looked for only where rows of the trace may lie outside memory.

        This is what lets the receipt tell duplicates; the writer looks again, so a database that cannot answer now
        costs nothing but the exact number.
        """
        doubts: dict[tuple[str, str], bool] = {}
        doubtful = []
        for n, row in enumerate(rows):
            trace = (row.project, row.trace_id)
            doubt = doubts.get(trace)
            if doubt is None:
                doubt = doubts[trace] = self._may_be_stored(*trace)
            if doubt:
                doubtful.append(n)
        if not doubtful:
            return set()
        with contextlib.suppress(duckdb.Error, StoreUnavailable):
            return self._history.known(kind, [rows[n].project for n in doubtful], encoded.take(doubtful))
        return set()

    def _may_be_stored(self, project: str, trace_id: str) -> bool:
        entry = self._recent.get(project, trace_id)
        return bool(trace_id and (self.seen.places(trace_id) if entry is None else entry.missing))

    def _fresh(self, rows: Sequence[Span | LogRecord], encoded: Encoded, stored: set[int]) -> _Fresh:
        """The rows that are neither stored nor in memory nor earlier in the same batch."""
        fresh = _Fresh(encoded)
        met = set(stored)
        project, trace_id, entry, doubt = "", "", None, True
        for index, (row, key) in enumerate(zip(rows, encoded.keys, strict=True)):
            if index == 0 or row.trace_id != trace_id or row.project != project:  # rows of a trace come together
                project, trace_id = row.project, row.trace_id
                entry = self._recent.get(project, trace_id)
                missing = entry.missing if entry else self.seen.places(trace_id)
                doubt = bool(missing) or not trace_id or self.seen.forgetful
            if key in met or (entry is not None and (key in entry.spans or key in entry.logs)):
                continue
            met.add(key)
            if doubt:
                fresh.doubtful.append(len(fresh.kept))
            fresh.kept.append(index)
        if len(fresh.kept) < len(rows):
            fresh.encoded = encoded.take(fresh.kept)
        return fresh

    def _remember(self, piece: Piece, rows: Sequence[Span | LogRecord], fresh: _Fresh) -> None:
        last: dict[tuple[str, str], int] = {}
        encoded, add = fresh.encoded, self._recent.add
        trace, entry = ("", ""), None
        for seq, row, key, size in zip(
            range(piece.first_seq, piece.last_seq + 1), rows, encoded.keys, encoded.sizes, strict=True
        ):
            row.seq = seq
            if not row.trace_id:
                continue
            if entry is None or row.trace_id != trace[1] or row.project != trace[0]:
                trace = (row.project, row.trace_id)
                entry = self._recent.get(*trace)
                if entry is None:
                    entry = self._recent.open(*trace, self.seen.places(row.trace_id))
            add(entry, key, row, size)
            last[trace] = seq
        for project, trace_id in last:
            self._recent.touch(project, trace_id)
        self.seen.add([trace_hash(trace_id) for _project, trace_id in last], piece.first_seq, piece.last_seq)
        arrived: Iterable[Arrival] = sorted((seq, project, trace_id) for (project, trace_id), seq in last.items())
        self._arrived.add(arrived, self.stored_seq)

    def arrivals(self, after_seq: int, limit: int) -> tuple[list[TraceKey], int] | None:
        """Traces that got rows after a number, and where the answer ends; None where memory does not reach so far."""
        with self._lock:
            if after_seq < self._arrived.known_from_seq:
                return None
            keys, reached = self._arrived.after(after_seq, limit)
            return keys, max(after_seq, self.last_seq) if reached is None else reached

    @property
    def arrivals_known_from(self) -> int:
        """Arrivals up to this number must be asked of the database."""
        return self._arrived.known_from_seq

    def recent(self, key: TraceKey) -> Glimpse:
        """What memory holds of a trace now."""
        with self._lock:
            entry = self._recent.get(key.project, key.trace_id)
            if entry is None:
                return Glimpse(Trace(key.project, key.trace_id), self.seen.places(key.trace_id), None)
            self._recent.touch(key.project, key.trace_id)
            return Glimpse(entry.trace(key), list(entry.missing), entry)

    def complete(self, glimpse: Glimpse, stored: Sequence[tuple[int, Span | LogRecord]]) -> Trace:
        """The whole trace: what memory held, and what was read from the database in the places that were missing.

        Memory may have let go of the trace meanwhile, or taken new rows of it. Then the answer is the trace as it was
        when memory was asked: rows that came since are new arrivals, and have the trace asked for again.
        """
        known = glimpse.trace
        with self._lock:
            entry = self._recent.get(known.project, known.trace_id)
            if entry is not None and entry is glimpse.entry and entry.missing == glimpse.missing:
                entry.missing = []
                for content_key, row in stored:
                    if content_key not in (entry.spans if isinstance(row, Span) else entry.logs):
                        self._recent.add(entry, content_key, row, 1000)
                return entry.trace(TraceKey(known.project, known.trace_id))
        return _merged(known, [row for _content_key, row in stored])

    def forget(self, project: str, before_ns: int) -> None:
        """Rows received before this moment are gone from the database: they must not live on in memory."""
        with self._lock:
            self._recent.forget(project, before_ns)

    def stored(self, seq: int) -> None:
        """The database holds everything up to this number."""
        with self._lock:
            self.stored_seq = max(self.stored_seq, seq)
            self._recent.shrink(self.stored_seq)

    @property
    def recent_bytes(self) -> int:
        """What the recent rows weigh, roughly."""
        return self._recent.size

    def refuse(self, why: str) -> None:
        """Take nothing more."""
        with self._lock:
            self.refusal = why


def _places(rows: Sequence[Span | LogRecord]) -> frozenset[Place]:
    return frozenset({(row.project, row.received_ns // NS_PER_DAY) for row in rows})


def _record(piece: Piece) -> Record:
    return Record(piece.kind, piece.first_seq, piece.rows.num_rows, memoryview(piece.rows.serialize()))


def _merged(known: Trace, stored: Iterable[Span | LogRecord]) -> Trace:
    by_seq = {row.seq: row for row in (*stored, *known.spans, *known.logs)}
    ordered = [by_seq[seq] for seq in sorted(by_seq)]
    spans = [row for row in ordered if isinstance(row, Span)]
    return Trace(known.project, known.trace_id, spans, [row for row in ordered if not isinstance(row, Span)])
