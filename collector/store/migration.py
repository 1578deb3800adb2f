"""The shape of a file: a newer one is refused, an older one is brought up to this release's, with a copy from before.

Each step runs in one transaction with its row in `schema_version`, so a kill in the middle leaves the step undone and
the next opening does it; a CHECKPOINT follows at once: schema changes do not belong in a log that is replayed later.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb

from analytics import schema
from analytics.store import StoreUnavailable
from collector.store.database import Limits, connect, sync_folder
from collector.store.recovery import Recovery
from collector.store.relations import PLACE


def shape_of(connection: duckdb.DuckDBPyConnection) -> int | None:
    """The version of the file's tables; None for a file that is not Telltale's."""
    try:
        found = connection.execute("SELECT max(version) FROM schema_version").fetchall()
    except duckdb.CatalogException:
        return None
    return int(found[0][0]) if found[0][0] is not None else None


def up_to_date(
    path: Path, limits: Limits, connection: duckdb.DuckDBPyConnection, recovery: Recovery
) -> duckdb.DuckDBPyConnection:
    """A connection to the file in this release's shape.

    Raises:
        StoreUnavailable: the file is not Telltale's, or of a newer release; it is untouched.
    """
    shape = shape_of(connection)
    if shape is None:
        connection.close()
        raise StoreUnavailable(f"{path} is a DuckDB file, but not one of Telltale's")
    if shape > schema.SCHEMA_VERSION:
        connection.close()
        raise StoreUnavailable(
            f"{path} was written by a newer release: its shape is {shape}, this one knows {schema.SCHEMA_VERSION}"
        )
    if shape == schema.SCHEMA_VERSION:
        return connection
    recovery.migrated_from = shape
    recovery.migration_backup = _copy(path, shape, connection)
    connection = connect(path, limits)
    for version, reason in schema.HISTORY:
        if version > shape:
            _step(connection, version, reason)
    return connection


def _copy(path: Path, shape: int, connection: duckdb.DuckDBPyConnection) -> Path:
    """A copy from before, made once: a migration that was killed finds its own copy again."""
    connection.execute("CHECKPOINT")
    connection.close()
    kept = path.with_name(f"{path.name}.shape-{shape}")
    if not kept.exists():
        partial = kept.with_name(f"{kept.name}.partial")
        shutil.copy2(path, partial)
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        partial.rename(kept)
        sync_folder(path.parent)
    return kept


def _step(connection: duckdb.DuckDBPyConnection, version: int, reason: str) -> None:
    connection.execute("BEGIN")
    try:
        for statement in _statements(connection, schema.migration(version)):
            connection.execute(statement)
        connection.execute("INSERT INTO schema_version VALUES (?, ?, ?)", [version, reason, time.time_ns()])
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("CHECKPOINT")


def _statements(connection: duckdb.DuckDBPyConnection, text: str) -> Iterator[str]:
    """Single statements; one about `{span}` or `{log}` is said of the empty shape and of every day table."""
    for statement in duckdb.extract_statements(PLACE.sub(r"place_of_\1", text)):
        query = statement.query
        kind = next((kind for kind in ("span", "log") if f"place_of_{kind}" in query), None)
        if kind is None:
            yield query
            continue
        days = connection.execute("SELECT name FROM day_table WHERE kind = ?", [kind]).fetchall()
        for name in (kind, *(row[0] for row in days)):
            yield query.replace(f"place_of_{kind}", f'"{name}"')
