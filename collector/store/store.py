"""`DuckDBStore`: the Store protocol on one DuckDB file and its journal.

`append` writes the journal and returns; a thread takes the journal into the day tables in large inserts and checkpoints
when there is time. The judge reads from memory what arrived lately. Every opening takes the journal in first.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from analytics.spans import Trace
from analytics.store import Arrivals, Batch, Receipt, Scope, StoreUnavailable, TraceKey
from collector.journal import Journal
from collector.store import database
from collector.store.backlog import Backlog
from collector.store.database import Limits
from collector.store.days import Days
from collector.store.drain import Drain, Pace
from collector.store.engine import Engine, is_durable
from collector.store.front import Front
from collector.store.history import History
from collector.store.opening import StoreHeld, open_repaired
from collector.store.recovery import Recovery
from collector.store.relations import NS_PER_DAY, DayTable, substitute
from collector.store.replay import take_in_journal
from collector.store.stats import StoreStats, free_disk, look


@dataclass(slots=True, frozen=True)
class Options:
    """How a store is run.

    `backlog_bytes` bounds what is acknowledged and not yet in the database, `recent_bytes` what is kept as objects for
    the judge; `read_timeout_s` stops a question that takes longer. With less than `free_floor_bytes` on the disk
    nothing more is taken.
    """

    limits: Limits = field(default_factory=Limits)
    pace: Pace = field(default_factory=Pace)
    backlog_bytes: int = 48 * 2**20
    recent_bytes: int = 96 * 2**20
    segment_bytes: int = 64 * 2**20
    read_timeout_s: float = 30.0
    free_floor_bytes: int | None = None

    def floor(self, total_bytes: int) -> int:
        """Free bytes below which nothing more is taken: 5 % of the disk or 1 GiB, whichever is less."""
        return min(total_bytes // 20, 2**30) if self.free_floor_bytes is None else self.free_floor_bytes


_QUIET_ROWS = 2000
"""With fewer rows on their way a question waits for them; under load it answers with all but the last moment."""

_QUIET_WAIT_S = 0.5

_DISK_EVERY_S = 0.5

_CLOSING_S = 4.0
"""How long closing waits for rows on their way; what is left is in the journal, and the next opening takes it in."""

_owning = threading.Lock()
_owned: set[Path] = set()


class StoreTransaction:
    """One open transaction on the writing cursor."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
        self._cursor = cursor

    def execute(self, sql: str, params: Mapping[str, Any] | None = None) -> int:
        """Run one statement; returns the number of rows it changed."""
        return database.run(self._cursor, sql, params)

    def query(self, sql: str, params: Mapping[str, Any] | None = None) -> pa.Table:
        """Rows of one statement, as this transaction sees them."""
        return database.rows(self._cursor, sql, params)

    def insert(self, table: str, rows: pa.Table) -> int:
        """Append rows, matched to the table's columns by name; returns how many."""
        name = table.replace('"', '""')
        self._cursor.register("incoming_rows", rows)
        try:
            return database.run(self._cursor, f'INSERT INTO "{name}" BY NAME SELECT * FROM incoming_rows')  # noqa: S608
        finally:
            self._cursor.unregister("incoming_rows")


class DuckDBStore:
    """The store of the service on one DuckDB file, which this process owns until `close`."""

    def __init__(self, path: Path, options: Options | None = None) -> None:
        """Open or make the file, repair what can be repaired, take in the journal. `recovery` says what was found.

        Raises:
            StoreHeld: another process owns the file.
            StoreUnavailable: it cannot be opened now (no space, no permission, made by a newer release).
        """
        started = time.monotonic()
        self.path = path
        self.options = options or Options()
        self.recovery = Recovery()
        self._disk_low, self._disk_looked_at, self._closed = False, 0.0, False
        self._own()
        try:
            self._open()
        except (duckdb.Error, OSError) as error:
            self._disown()
            raise StoreUnavailable(f"{path} cannot be opened: {error}") from error
        except BaseException:
            self._disown()
            raise
        self.recovery.seconds = time.monotonic() - started
        atexit.register(self.close)

    def _own(self) -> None:
        """DuckDB's lock keeps other processes out; a second store in this one would share its instance unseen."""
        with _owning:
            if self.path.resolve() in _owned:
                raise StoreHeld(f"{self.path} is held by PID {os.getpid()}, this process")
            _owned.add(self.path.resolve())

    def _disown(self) -> None:
        with _owning:
            _owned.discard(self.path.resolve())

    def _open(self) -> None:
        path = self.path
        connection = open_repaired(path, self.options.limits, self.recovery)
        self.engine = Engine(path, self.options.limits, connection)
        try:
            self._days = Days(self.engine)
            self.journal = Journal(Path(f"{path}.journal"), self.options.segment_bytes)
            self._note_journal()
            last_seq = take_in_journal(self.engine, self._days, self.journal, self.recovery)
        except BaseException:
            self.engine.close()
            raise
        self._days.load()
        self.backlog = Backlog(self.options.backlog_bytes)
        self._history = History(self.engine, self._days)
        self.front = Front(self.journal, self.backlog, self._history, last_seq, self.options.recent_bytes)
        self.drain = Drain(self.engine, self._days, self.journal, self.backlog, self.options.pace)
        self.drain.start(self.front)

    def _note_journal(self) -> None:
        found = self.journal.recovered
        self.recovery.quarantined += found.quarantined
        self.recovery.journal_damaged_bytes += found.damaged_bytes
        self.recovery.torn_bytes += found.torn_bytes

    def append(self, batch: Batch) -> Receipt:
        """Make a batch durable; returns only then. See `analytics.store.Store`."""
        self._check_disk()
        return self.front.append(batch)

    def disk_is_low(self) -> bool:
        """Whether the disk is too full to take more; looked at twice a second at most."""
        now = time.monotonic()
        if now - self._disk_looked_at > _DISK_EVERY_S:
            free, total = free_disk(self.path)
            self._disk_low, self._disk_looked_at = free < self.options.floor(total), now
        return self._disk_low

    def _check_disk(self) -> None:
        """Stop taking before the disk is full: a database that cannot checkpoint is slower to recover."""
        if self.disk_is_low():
            raise StoreUnavailable("the disk is nearly full")

    def arrivals(self, after_seq: int, limit: int = 1000) -> Arrivals:
        """Traces that got rows after `after_seq`, oldest first."""
        found = self.front.arrivals(after_seq, limit)
        if found is None:
            found = self._history.arrivals(after_seq, self.front.arrivals_known_from, limit)
        return Arrivals(found[0], found[1])

    def traces(self, keys: Sequence[TraceKey]) -> list[Trace]:
        """All rows of these traces, from memory where they are complete there."""
        known = {key: self.front.recent(key) for key in keys}
        wanted = {key: glimpse.missing for key, glimpse in known.items() if glimpse.missing}
        stored = self._history.rows(wanted) if wanted else {}
        whole = {
            key: self.front.complete(glimpse, stored[key]) if glimpse.missing else glimpse.trace
            for key, glimpse in known.items()
        }
        return [whole[key] for key in keys]

    def read(self, sql: str, params: Mapping[str, Any] | None = None, scope: Scope | None = None) -> pa.Table:
        """Rows of one question on a snapshot.

        A question about spans on a quiet store sees everything that was acknowledged before it: it waits for the few
        rows on their way. On a busy one the last moment may be missing.
        """
        if "{" in sql and 0 < self.backlog.rows < _QUIET_ROWS:
            self.backlog.wait_for(self.front.last_seq, _QUIET_WAIT_S)
        return self._days.ask(lambda: self._read(sql, params, scope))

    def _read(self, sql: str, params: Mapping[str, Any] | None, scope: Scope | None) -> pa.Table:
        with self.engine.cursor(self.options.read_timeout_s) as cursor:
            return database.rows(cursor, substitute(sql, self._days.all(), scope), params)

    @contextmanager
    def write(self) -> Iterator[StoreTransaction]:
        """A transaction over the derived tables; commits on leaving, rolls back on an exception."""
        with self.drain.writing, _unavailable(), self.engine.cursor() as cursor:
            cursor.execute("BEGIN")
            try:
                yield StoreTransaction(cursor)
                cursor.execute("COMMIT")
            except BaseException as error:
                if is_durable(error):
                    return
                with contextlib.suppress(duckdb.Error):
                    cursor.execute("ROLLBACK")
                raise

    def day_tables(self) -> list[DayTable]:
        """Every table of spans and logs, oldest first."""
        return self._days.all()

    def day_sizes(self) -> dict[str, int]:
        """Bytes that each day table takes, roughly: used blocks shared out by rows."""
        [size] = self.read("SELECT used_blocks * block_size AS used FROM pragma_database_size()").to_pylist()
        counted = self.read("SELECT table_name, estimated_size AS rows FROM duckdb_tables()").to_pylist()
        days = {row["table_name"]: row["rows"] for row in counted if row["table_name"].startswith(("span_", "log_"))}
        total = max(1, sum(days.values()))
        return {name: size["used"] * count // total for name, count in days.items()}

    def drop_days(self, names: Sequence[str]) -> None:
        """Drop day tables whole."""
        known = {table.name: table for table in self._days.all()}
        gone = [known[name] for name in names if name in known]
        try:
            with self.write() as transaction:
                for table in gone:
                    transaction.execute(f'DROP TABLE "{table.name}"')
                    transaction.execute("DELETE FROM day_table WHERE name = $name", {"name": table.name})
                self._days.remove(table.name for table in gone)  # before the commit: a question names none that is gone
        except BaseException:
            self._days.load()
            raise
        for table in gone:
            self.front.forget(table.project, (table.day + 1) * NS_PER_DAY)

    def stats(self) -> StoreStats:
        """Figures for an operator; costs microseconds."""
        return look(self)

    def flush(self, timeout_s: float = 30.0) -> bool:
        """Wait until everything acknowledged is in the day tables; returns whether it is."""
        return self.backlog.wait_for(self.front.last_seq, timeout_s)

    def checkpoint(self) -> None:
        """Take the write-ahead log into the file now."""
        with _unavailable():
            self.drain.checkpoint()

    def close(self) -> None:
        """Finish what was acknowledged, checkpoint, release the file. What cannot be finished waits in the journal."""
        if self._closed:
            return
        self._closed = True
        self.front.refuse("the store is closed")
        self.drain.stop(_CLOSING_S)
        with contextlib.suppress(duckdb.Error, StoreUnavailable):
            self.drain.checkpoint()
        self.engine.close()
        self.journal.close()
        self._disown()
        atexit.unregister(self.close)
        with contextlib.suppress(OSError):
            self.journal.folder.rmdir()  # only if empty


@contextmanager
def _unavailable() -> Iterator[None]:
    """Failures of disk and memory are told as what they are for the caller: to be tried again later."""
    try:
        yield
    except (duckdb.IOException, duckdb.OutOfMemoryException, duckdb.TransactionException) as error:
        raise StoreUnavailable(f"the database cannot be written now: {error}") from error
