"""The DuckDB file: how it is made, opened and closed down to what this service needs."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from analytics import schema
from collector.store.relations import named

STORAGE_VERSION = "v1.5.0"
"""Files stay readable by DuckDB 1.5 when 2.0 makes them."""

_RELATIONS_ARE_CHEAP = int(duckdb.__version__.split(".")[0]) >= 2
"""DuckDB 1.5 makes a relation of an answer to a question with parameters, and writes all of it out as text for that:
five times the cost of the answer. DuckDB 2.0 does not, and warns of the other way, which copies there."""


@dataclass(slots=True, frozen=True)
class Limits:
    """What DuckDB may use. `backup_folder` is the only folder beside its own file that it may ever touch.

    One thread a statement: the rows of a round are far too few for two, and a second one only spins while it waits,
    which doubles what an insert and a checkpoint cost. Statements of several callers still run side by side.

    `memory_limit` is what DuckDB accounts for; the process takes about twice as much (`make bench ARGS=memory`).
    """

    memory_limit: str = "450MB"
    threads: int = 1
    checkpoint_threshold: str = "256MB"
    backup_folder: Path | None = None


def connect(path: Path, limits: Limits) -> duckdb.DuckDBPyConnection:
    """Open an existing file with settings that no later statement can widen.

    Raises:
        duckdb.Error: the file is held, damaged, or of a newer format.
    """
    connection = duckdb.connect(str(path), config={"memory_limit": limits.memory_limit, "threads": limits.threads})
    folders = [f"'{quoted(limits.backup_folder.resolve())}/'"] if limits.backup_folder else []
    for setting in (
        "SET GLOBAL TimeZone = 'UTC'",
        f"SET GLOBAL temp_directory = '{quoted(path)}.tmp'",
        f"SET GLOBAL checkpoint_threshold = '{limits.checkpoint_threshold}'",
        "SET GLOBAL allocator_flush_threshold = '16MB'",  # freed memory goes back to the system, not to a cache
        "SET GLOBAL allocator_bulk_deallocation_flush_threshold = '64MB'",
        f"SET GLOBAL allowed_directories = [{', '.join(folders)}]",
        "SET GLOBAL enable_external_access = false",
        "SET GLOBAL lock_configuration = true",
    ):
        connection.execute(setting)
    return connection


def create(path: Path) -> None:
    """Make the file with all tables under another name, then put it in place: a half-made file is never opened."""
    fresh = path.with_name(f"{path.name}.creating-{os.getpid()}")
    for leftover in (fresh, Path(f"{fresh}.wal")):
        leftover.unlink(missing_ok=True)
    connection = duckdb.connect(":memory:")
    try:
        connection.execute(f"ATTACH '{quoted(fresh)}' AS fresh (STORAGE_VERSION '{STORAGE_VERSION}')")
        connection.execute("USE fresh")
        for statement in schema.tables().values():
            connection.execute(statement)
        for version, reason in schema.HISTORY:
            connection.execute("INSERT INTO schema_version VALUES (?, ?, ?)", [version, reason, time.time_ns()])
        connection.execute("CHECKPOINT fresh")
        connection.execute("USE memory")
        connection.execute("DETACH fresh")
    finally:
        connection.close()
    fresh.chmod(0o600)
    with fresh.open("rb") as file:
        os.fsync(file.fileno())
    _put_in_place(fresh, path)
    sync_folder(path.parent)


def _put_in_place(fresh: Path, path: Path) -> None:
    """Give the file its name, unless another process was faster: then its file is the one."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without hard links
        fresh.rename(path)
    fresh.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make a rename or a new name in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def quoted(path: Path) -> str:
    """A path inside single quotes."""
    return str(path).replace("'", "''")


def rows(cursor: duckdb.DuckDBPyConnection, sql: str, params: Mapping[str, Any] | None = None) -> pa.Table:
    """The rows of one statement."""
    wanted = named(sql, params) or None
    if _RELATIONS_ARE_CHEAP:
        result = cursor.sql(sql, params=wanted)
        return pa.table({}) if result is None else result.to_arrow_table()
    cursor.execute(sql, wanted)
    return cursor.to_arrow_table()


def run(cursor: duckdb.DuckDBPyConnection, sql: str, params: Mapping[str, Any] | None = None) -> int:
    """Run one statement; returns the rows that it changed, 0 for one that changes none."""
    cursor.execute(sql, named(sql, params) or None)
    answer = (
        cursor.fetchall() if cursor.description else []
    )  # all: a result left open keeps a snapshot, and checkpoints out
    return answer[0][0] if len(answer) == 1 and len(answer[0]) == 1 and isinstance(answer[0][0], int) else 0
