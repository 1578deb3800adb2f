"""Backup of a live store into the configured folder, and restoring one while no service runs.

A backup is a consistent snapshot made by DuckDB itself (COPY FROM DATABASE); copying the live files is none. It goes to
the one folder that the opened database may touch, under a name of its own making.
"""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from analytics.store import StoreUnavailable
from collector.store.database import STORAGE_VERSION, quoted, rows, sync_folder
from collector.store.migration import shape_of
from collector.store.opening import wal_of
from collector.store.store import DuckDBStore


class BackupError(Exception):
    """A backup or a restore that was not done; the text says why."""


@dataclass(slots=True, frozen=True)
class BackupDone:
    """A finished backup."""

    path: Path
    bytes: int
    seconds: float


def backup(store: DuckDBStore) -> BackupDone:
    """Copy everything acknowledged so far into a new file of the backup folder, while the service goes on.

    Raises:
        BackupError: no folder is configured, or it cannot be written.
    """
    folder = store.options.limits.backup_folder
    if folder is None:
        raise BackupError("no backup folder is configured")
    folder = folder.resolve()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BackupError(f"the backup folder {folder} cannot be made: {error.strerror}") from None
    started = time.monotonic()
    name = f"telltale-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}.db"
    partial = folder / f"{name}.partial"
    store.flush()
    try:
        _copy(store, partial)
    except (duckdb.Error, StoreUnavailable, OSError) as error:
        for leftover in (partial, wal_of(partial)):
            leftover.unlink(missing_ok=True)
        raise BackupError(f"the backup failed: {error}") from error
    partial.chmod(0o600)
    _sync(partial)
    done = folder / name
    partial.rename(done)
    sync_folder(folder)
    return BackupDone(done, done.stat().st_size, time.monotonic() - started)


def _copy(store: DuckDBStore, target: Path) -> None:
    with store.engine.cursor() as cursor:
        [source] = rows(cursor, "SELECT current_database() AS name").to_pylist()
        alias = f"backup_{time.time_ns()}"
        cursor.execute(f"ATTACH '{quoted(target)}' AS {alias} (STORAGE_VERSION '{STORAGE_VERSION}')")
        try:
            cursor.execute(f'COPY FROM DATABASE "{source["name"]}" TO {alias}')
            cursor.execute(f"CHECKPOINT {alias}")
        finally:
            cursor.execute(f"DETACH {alias}")


def restore(source: Path, path: Path, *, replace: bool = False) -> list[Path]:
    """Put a backup in place of the database file; no service may hold it.

    The file that was there, and its journal, are kept under other names: they belong together and not to the backup.

    Returns:
        What was kept.

    Raises:
        BackupError: the source is no backup, the place is taken (and `replace` not given), or in use.
    """
    _check(source)
    if path.exists() and not replace:
        raise BackupError(f"{path} exists; `--replace` puts the backup in its place and keeps what was there")
    _check_free(path)
    partial = path.with_name(f"{path.name}.restoring")
    shutil.copyfile(source, partial)
    partial.chmod(0o600)
    _sync(partial)
    kept = []
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    for old in (wal_of(path), Path(f"{path}.journal"), path):
        if old.exists():
            kept.append(old.with_name(f"{old.name}.before-restore-{stamp}"))
            old.rename(kept[-1])
    partial.rename(path)
    sync_folder(path.parent)
    return kept


def _check(source: Path) -> None:
    if not source.is_file():
        raise BackupError(f"there is no file {source}")
    try:
        with duckdb.connect(str(source), read_only=True) as connection:
            shape = shape_of(connection)
    except duckdb.Error as error:
        raise BackupError(f"{source} cannot be read: {error}") from error
    if shape is None:
        raise BackupError(f"{source} is not a backup of Telltale")


def _check_free(path: Path) -> None:
    if path.exists():
        try:
            duckdb.connect(str(path), read_only=True).close()
        except duckdb.Error as error:
            if any(sign in str(error) for sign in ("lock", "different configuration")):
                raise BackupError(f"{path} is in use; stop the service first") from error


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
