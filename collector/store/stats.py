"""Figures about the store for `/metrics`, `/readyz` and `telltale doctor`."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collector.store.store import DuckDBStore

_FAILURE_COUNTS_S = 10.0
_STUCK_S = 10.0
"""Failures in a row for less than this are a moment of bad luck (an instance that is opened again)."""
_TOLD = 200


@dataclass(slots=True, frozen=True)
class StoreStats:
    """One look at the store. Bytes, rows, seconds; times are seconds since 1970.

    `backlog_*` is what the journal holds and the database does not yet (the journal's lag), `rejected_rows` what the
    database refused for good and a file in the journal's folder keeps.
    """

    appended_spans: int
    appended_logs: int
    duplicates: int
    written_rows: int
    rejected_rows: int
    last_seq: int
    stored_seq: int
    backlog_rows: int
    backlog_bytes: int
    recent_bytes: int
    day_tables: int
    file_bytes: int
    wal_bytes: int
    journal_bytes: int
    free_disk_bytes: int
    checkpoints: int
    failed_checkpoints: int
    last_checkpoint: float
    last_checkpoint_s: float
    failures: int
    reopened: int
    quarantined: int
    last_error: str | None
    damage: str | None


def free_disk(path: Path) -> tuple[int, int]:
    """Free and total bytes of the disk that holds a file."""
    found = os.statvfs(path.parent)
    return found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize


def why_not_taking(store: DuckDBStore) -> str | None:
    """Why a batch would be refused now, as far as can be told without one; None when it would be taken.

    A journal that failed counts for a moment only: whoever waits for a ready service would else never send the batch
    that shows it well again.
    """
    failed_at, failure = store.journal.failure or (0.0, "")
    if store.front.refusal is not None:
        return store.front.refusal
    if store.disk_is_low():
        return "the disk is nearly full"
    if failure and time.monotonic() - failed_at < _FAILURE_COUNTS_S:
        return failure
    return why_not_stored(store) or ("the database has fallen behind the journal" if store.backlog.full else None)


def why_not_stored(store: DuckDBStore) -> str | None:
    """Why acknowledged rows do not get into the database, once that lasts; None while they do.

    They are safe in the journal, but nobody sees them, and what is taken now would only join them.
    """
    since, error = store.drain.failing_since, store.drain.last_error
    if since is None or error is None or time.monotonic() - since < _STUCK_S:
        return None
    return f"acknowledged rows cannot be taken into the database: {' '.join(error.split())[:_TOLD]}"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def look(store: DuckDBStore) -> StoreStats:
    """The figures now; costs microseconds and never touches the database."""
    front, drain, engine = store.front, store.drain, store.engine
    return StoreStats(
        appended_spans=front.spans,
        appended_logs=front.logs,
        duplicates=front.duplicates + drain.duplicates,
        written_rows=drain.rows,
        rejected_rows=drain.rejected_rows,
        last_seq=front.last_seq,
        stored_seq=front.stored_seq,
        backlog_rows=store.backlog.rows,
        backlog_bytes=store.backlog.bytes,
        recent_bytes=front.recent_bytes,
        day_tables=len(store.day_tables()),
        file_bytes=_size(store.path),
        wal_bytes=_size(Path(f"{store.path}.wal")),
        journal_bytes=store.journal.size,
        free_disk_bytes=free_disk(store.path)[0],
        checkpoints=drain.checkpoints,
        failed_checkpoints=drain.failed_checkpoints,
        last_checkpoint=drain.last_checkpoint,
        last_checkpoint_s=drain.last_checkpoint_s,
        failures=drain.failures,
        reopened=engine.reopened,
        quarantined=len(store.recovery.quarantined),
        last_error=drain.last_error,
        damage=engine.damage or why_not_stored(store),
    )
