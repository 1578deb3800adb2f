"""`Engine`: the one connection to the file. Lends cursors, notices when the instance is dead, opens it again."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from analytics.store import StoreUnavailable
from collector.store.database import Limits, connect
from collector.store.opening import marker_of

_DURABLE = "COMMIT succeeded and is durable"
"""DuckDB's words where only the checkpoint after a commit failed: the rows are there, a retry would double them."""

_DEAD = ("database has been invalidated", "Failed: database", "restarted prior to being used again")
_DAMAGE = ("Corrupt database file", "computed checksum")
_WAIT_FOR_READERS_S = 5.0


def is_durable(error: BaseException) -> bool:
    """Whether a failed commit succeeded all the same."""
    return isinstance(error, duckdb.Error) and _DURABLE in str(error)


class Engine:
    """Owns the connection. Cursors are lent for one piece of work each."""

    def __init__(self, path: Path, limits: Limits, connection: duckdb.DuckDBPyConnection) -> None:
        self.path = path
        self.reopened = 0
        self.damage: str | None = None
        self._limits = limits
        self._connection: duckdb.DuckDBPyConnection | None = connection
        self._lent: dict[int, tuple[duckdb.DuckDBPyConnection, float]] = {}
        self._lock = threading.Condition()
        self._dead = False
        self._inode = _inode(path)

    def is_displaced(self) -> bool:
        """Whether the file that is open is no longer the one at the path: removed or replaced behind our back."""
        return _inode(self.path) != self._inode

    @contextmanager
    def cursor(self, timeout_s: float = float("inf")) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor for one piece of work; interrupted after `timeout_s` (checked by `interrupt_overdue`).

        Raises:
            StoreUnavailable: the instance is closed or being reopened, died at this work, or the work took too long.
        """
        cursor = self._lend(timeout_s)
        try:
            yield cursor
        except duckdb.InterruptException as error:
            raise StoreUnavailable("the question took too long and was stopped") from error
        except duckdb.Error as error:
            if self._is_deadly(error):
                raise StoreUnavailable("the database is being opened again") from error
            self._note_damage(error)
            raise
        finally:
            self._give_back(cursor)

    def _lend(self, timeout_s: float) -> duckdb.DuckDBPyConnection:
        with self._lock:
            if self._connection is None or self._dead:
                raise StoreUnavailable("the database is closed or being opened again")
            cursor = self._connection.cursor()
            self._lent[id(cursor)] = (cursor, time.monotonic() + timeout_s)
            return cursor

    def _give_back(self, cursor: duckdb.DuckDBPyConnection) -> None:
        with self._lock:
            self._lent.pop(id(cursor), None)
            with contextlib.suppress(duckdb.Error):
                cursor.close()
            self._lock.notify_all()

    def _is_deadly(self, error: duckdb.Error) -> bool:
        text = str(error)
        if not isinstance(error, duckdb.FatalException | duckdb.InternalException) and not any(
            d in text for d in _DEAD
        ):
            return False
        with self._lock:
            self._dead = True
        return True

    def _note_damage(self, error: duckdb.Error) -> None:
        """A block that fails its checksum: nothing wrong was answered; the next opening salvages the rest."""
        text = str(error)
        if any(sign in text for sign in _DAMAGE) and self.damage is None:
            self.damage = text
            with contextlib.suppress(OSError):
                marker_of(self.path).write_text(text, "utf-8")

    @property
    def dead(self) -> bool:
        """Whether the instance must be opened again before it can be used."""
        return self._dead

    def interrupt_overdue(self) -> None:
        """Stop work that was lent a cursor for a limited time and overran it."""
        now = time.monotonic()
        with self._lock:
            for cursor, until in self._lent.values():
                if until < now:
                    cursor.interrupt()

    def reopen(self) -> None:
        """Close the dead instance, once nobody uses it, and open the file again in this process.

        Raises:
            StoreUnavailable: it cannot be opened now; to be tried again.
        """
        if self.is_displaced():
            raise StoreUnavailable("the database file was removed or replaced")
        self._close(interrupt=True)
        try:
            connection = connect(self.path, self._limits)
        except duckdb.Error as error:
            raise StoreUnavailable(f"the database cannot be opened again: {error}") from error
        with self._lock:
            self._connection, self._dead = connection, False
            self.reopened += 1

    def close(self) -> None:
        """Close the file; waits a moment for work in progress, then stops it."""
        self._close(interrupt=False)

    def _close(self, *, interrupt: bool) -> None:
        deadline = time.monotonic() + _WAIT_FOR_READERS_S
        with self._lock:
            self._dead = True
            while self._lent and time.monotonic() < deadline:
                if interrupt:
                    for cursor, _until in self._lent.values():
                        cursor.interrupt()
                self._lock.wait(0.2)
                interrupt = True
            connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(duckdb.Error):
                connection.close()


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0
