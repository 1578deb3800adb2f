"""The thread behind the front: takes the backlog into the database, checkpoints, and opens a dead instance again."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import duckdb
import pyarrow as pa
import structlog

from analytics.store import StoreUnavailable
from collector.journal import Journal
from collector.store import writer
from collector.store.backlog import Backlog, Piece
from collector.store.days import Days
from collector.store.engine import Engine, is_durable
from collector.store.front import Front
from collector.store.history import History
from collector.store.opening import wal_of

log = structlog.get_logger("collector.store")

_REFUSALS = (
    duckdb.ConversionException,
    duckdb.ConstraintException,
    duckdb.InvalidInputException,
    duckdb.OutOfRangeException,
    duckdb.TypeMismatchException,
    pa.ArrowInvalid,
)
"""Errors that are about the rows themselves. Any other (no space, no memory, a dead instance, a commit that could not
be written) may pass, so the rows stay in the backlog and the journal until it does."""

ROWS_A_TRANSACTION = 20_000
_LONGEST_PAUSE_S = 5.0
_POSTPONED_S = 2.0
_FILE_EVERY_S = 2.0


@dataclass(slots=True, frozen=True)
class Pace:
    """When the drain works: a lone batch at once, under load every `gather_s`; when it checkpoints, busy or at rest.

    At rest means that nothing was written for `idle_s`, by the drain or by the judge.
    """

    gather_s: float = 0.5
    busy_checkpoint_bytes: int = 128 * 2**20
    idle_checkpoint_bytes: int = 16 * 2**20
    idle_s: float = 2.0
    checkpoint_every_s: float = 60.0


class Drain:
    """Works on its own thread between `start` and `stop`; `writing` is held whenever the database is changed.

    `failing_since` is the monotonic time, in seconds, of the first of the failures in a row that keep rows out of the
    database; None while rows get in or none wait.
    """

    def __init__(
        self, engine: Engine, days: Days, journal: Journal, backlog: Backlog, pace: Pace | None = None
    ) -> None:
        self.writing = threading.RLock()
        self.failures = 0
        self.last_error: str | None = None
        self.failing_since: float | None = None
        self._told: set[str] = set()
        self.rejected_rows = 0
        self.duplicates = 0
        self.rows = 0
        self.checkpoints = 0
        self.failed_checkpoints = 0
        self.last_checkpoint = time.time()
        self.last_checkpoint_s = 0.0
        self._pace = pace or Pace()
        self._engine = engine
        self._days = days
        self._journal = journal
        self._backlog = backlog
        self._front: Front | None = None
        self._history = History(engine, days)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="telltale-store", daemon=True)
        self._last_work = time.monotonic()
        self._wal_size, self._last_growth = 0, self._last_work
        self._not_before = 0.0
        self._stored_seq = self._released_seq = 0
        self._look_again = False
        self._file_looked_at, self._displaced = time.monotonic(), False

    def start(self, front: Front) -> None:
        """Serve this front."""
        self._front = front
        self._thread.start()
        threading.Thread(target=self._learn, args=(front,), name="telltale-store-learning", daemon=True).start()

    def stop(self, timeout_s: float) -> None:
        """Take in what is left, as far as the time allows."""
        if self._thread.is_alive() and not self._stopping.is_set():
            deadline = time.monotonic() + timeout_s
            while not self._backlog.wait_for(2**63, 0.1) and time.monotonic() < deadline and not self._engine.dead:
                pass
            self._stopping.set()
            self._backlog.end()
            self._thread.join(timeout_s)

    def _run(self) -> None:
        pause = 0.1
        while not self._stopping.is_set():
            try:
                self._engine.interrupt_overdue()
                self._check_file()
                if self._engine.dead:
                    self._reopen()
                if self._backlog.wait(self._pace.gather_s):
                    self.once()
                    self._checkpoint_if_due()
                    self._backlog.gather(self._rest(), ROWS_A_TRANSACTION)
                else:
                    self._checkpoint_if_due()
                pause = 0.1
                self._goes_on()
            except (duckdb.Error, StoreUnavailable, OSError) as error:
                self._failed(error)
                self._stopping.wait(pause)
                pause = min(pause * 2, _LONGEST_PAUSE_S)

    def _failed(self, error: Exception) -> None:
        """Told once for each class of error while it lasts: a disk may be full for days."""
        self.failures += 1
        kind = type(error).__name__
        self.last_error = f"{kind}: {error}"
        if self._backlog.rows and self.failing_since is None:
            self.failing_since = time.monotonic()
        if kind not in self._told:
            log.warning("store_writing_failed", error=self.last_error[:500], failures=self.failures)
            self._told.add(kind)

    def _goes_on(self) -> None:
        self.last_error = self.failing_since = None
        if self._told:
            log.warning("store_writing_goes_on", failures=self.failures)
            self._told.clear()

    def _check_file(self) -> None:
        """A file that was removed or replaced can be asked to the end; what is taken must not go down with it."""
        if time.monotonic() < self._file_looked_at + _FILE_EVERY_S or self._displaced:
            return
        self._file_looked_at = time.monotonic()
        if self._engine.is_displaced() and self._front is not None:
            self._displaced = True
            self._front.refuse("the database file was removed or replaced; restart the service")
            log.critical("store_file_displaced", path=str(self._engine.path))

    def _rest(self) -> float:
        """A lone batch is taken in at once; when batches follow each other they are gathered."""
        quiet = time.monotonic() - self._last_work > 2 * self._pace.gather_s
        self._last_work = time.monotonic()
        return 0.0 if quiet else self._pace.gather_s

    def once(self) -> int:
        """Take in the oldest pieces of the backlog; returns how many rows that were."""
        pieces = self._backlog.first(ROWS_A_TRANSACTION)
        if not pieces:
            return 0
        try:
            self._write(pieces)
        except _REFUSALS as error:
            self._write_one_by_one(pieces, error)
        self._done(pieces[-1].last_seq)
        return sum(piece.rows.num_rows for piece in pieces)

    def _write(self, pieces: Sequence[Piece]) -> None:
        with self.writing, self._engine.cursor() as cursor:
            cursor.execute("BEGIN")
            look_again, self._look_again = self._look_again, True  # until it is certain what became of it
            try:
                written = writer.write(cursor, self._days, pieces, look_again=look_again)
                cursor.execute("COMMIT")
            except duckdb.Error as error:
                if not is_durable(error):
                    _roll_back(cursor)
                    raise
            self._look_again = False
            self._days.committed(written.tables)
        self.rows += written.rows
        self.duplicates += written.duplicates

    def _write_one_by_one(self, pieces: Sequence[Piece], first_error: Exception) -> None:
        """Rows that the database refuses for good must not stop the rest: they are kept in a file of their own."""
        log.error("store_refused_rows", error=str(first_error)[:500], pieces=len(pieces))
        for piece in pieces:
            try:
                self._write([piece])
            except _REFUSALS as error:
                self._reject(piece, error)
            self._done(piece.last_seq)

    def _reject(self, piece: Piece, error: Exception) -> None:
        kept = self._journal.folder / f"rejected-{piece.first_seq:020d}.arrow"
        with pa.OSFile(str(kept), "wb") as file, pa.ipc.new_file(file, piece.rows.schema) as arrow:
            arrow.write_batch(piece.rows)
        self.rejected_rows += piece.rows.num_rows
        log.error("store_rejected_rows", rows=piece.rows.num_rows, kept_in=kept.name, error=str(error)[:500])
        with self.writing, self._engine.cursor() as cursor:
            writer.store_position(cursor, writer.STORED, piece.last_seq)

    def _done(self, stored_seq: int) -> None:
        if stored_seq > self._stored_seq:
            self.failing_since = None
        self._stored_seq = stored_seq
        self._backlog.done(stored_seq)
        if self._front is not None:
            self._front.stored(stored_seq)

    def _reopen(self) -> None:
        with self.writing:
            self._engine.reopen()
            self._days.load()
            with self._engine.cursor() as cursor:
                stored = writer.stored_position(cursor, writer.STORED)
        log.warning("store_reopened", stored_seq=stored)
        self._done(stored)

    def _checkpoint_if_due(self) -> None:
        stored, wal = self._stored_seq, wal_bytes(self._engine)
        if wal == 0 and stored > self._released_seq:
            self._release(stored)  # DuckDB has checkpointed of its own accord: all that was stored is in the file
        since = time.time() - self.last_checkpoint
        idle = self._at_rest(wal)
        due = wal > self._pace.busy_checkpoint_bytes or (
            idle and wal > 0 and (wal > self._pace.idle_checkpoint_bytes or since > self._pace.checkpoint_every_s)
        )
        if due and time.monotonic() > self._not_before:
            try:
                self.checkpoint()
            except duckdb.TransactionException:
                self._not_before = (
                    time.monotonic() + _POSTPONED_S
                )  # a question holds an older snapshot; nothing is wrong

    def _at_rest(self, wal: int) -> bool:
        """Whether nobody has written for a while, neither this thread nor the judge.

        A checkpoint keeps writers waiting, and packs the last rows of every table anew however few came since the last.
        """
        now = time.monotonic()
        if self._backlog.rows or wal != self._wal_size:
            self._wal_size, self._last_growth = wal, now
        return now - self._last_growth > self._pace.idle_s

    def checkpoint(self) -> None:
        """Take the write-ahead log into the file, and let the journal go that is older.

        Raises:
            duckdb.Error: it failed; the rows are safe in the log and in the journal.
        """
        started = time.monotonic()
        with self.writing, self._engine.cursor() as cursor:
            stored = writer.stored_position(cursor, writer.STORED)
            try:
                cursor.execute("CHECKPOINT")
            except duckdb.Error as error:
                self.failed_checkpoints += not isinstance(error, duckdb.TransactionException)
                raise
        self._release(stored)
        self.checkpoints += 1
        self.last_checkpoint = time.time()
        self.last_checkpoint_s = time.monotonic() - started

    def _release(self, stored_seq: int) -> None:
        if not self._engine.is_displaced():
            self._journal.release(stored_seq)
            self._released_seq = stored_seq

    def _learn(self, front: Front) -> None:
        """After the opening, on a thread of its own: which traces lie where among the rows stored before it.

        Until then every trace may have rows anywhere: right, and slow. What memory cannot hold counts as nothing.
        """
        for chunk in front.seen.unknown():
            if self._stopping.is_set():
                return
            if front.seen.full:
                front.seen.forget(range(chunk + 1))
                return
            try:
                front.seen.fill(chunk, self._history.hashes(chunk))
            except (duckdb.Error, StoreUnavailable) as error:
                log.warning("store_learning_failed", error=str(error)[:200])
                return


def wal_bytes(engine: Engine) -> int:
    """Size of DuckDB's write-ahead log."""
    try:
        return wal_of(engine.path).stat().st_size
    except OSError:
        return 0


def _roll_back(cursor: duckdb.DuckDBPyConnection) -> None:
    try:
        cursor.execute("ROLLBACK")
    except duckdb.Error:
        return
