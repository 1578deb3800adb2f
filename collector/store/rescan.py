"""`telltale redact --rescan`: new patterns over old rows, while no service runs.

Rows are read in stretches, masked, and written back; afterwards the file is copied into a new one, since a changed
row's old bytes stay in the blocks of the old.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow as pa

from collector.store.database import STORAGE_VERSION, quoted, rows, sync_folder
from collector.store.opening import wal_of
from collector.store.store import DuckDBStore
from telltale.redaction import Redactor

_ROWS_AT_ONCE = 10_000

_NEVER = frozenset({"project", "trace_id", "span_id", "parent_span_id", "cut", "out_of_range", "id", "digest"})
"""Columns that hold no text of a sender."""


@dataclass(slots=True)
class Rescanned:
    """Rows looked at, rows changed (or that would change), and what was found by kind."""

    rows: int = 0
    changed: int = 0
    kinds: Counter[str] = field(default_factory=Counter)


def rescan(path: Path, redactor: Redactor, *, dry_run: bool = False) -> Rescanned:
    """Mask what the patterns of today find in the rows of yesterday; with `dry_run` only report it.

    Raises:
        StoreHeld: a service owns the file.
    """
    done = Rescanned()
    before = Counter(redactor.counts)
    store = DuckDBStore(path)
    try:
        for table in [*(day.name for day in store.day_tables()), "call"]:
            _rescan_table(store, table, redactor, done, dry_run=dry_run)
    finally:
        store.close()
    done.kinds = Counter(redactor.counts) - before
    if done.changed and not dry_run:
        compact(path)
    return done


def _rescan_table(store: DuckDBStore, table: str, redactor: Redactor, done: Rescanned, *, dry_run: bool) -> None:
    columns = [
        row["column_name"]
        for row in store.read(
            "SELECT column_name FROM duckdb_columns() WHERE table_name = $table AND data_type = 'VARCHAR'",
            {"table": table},
        ).to_pylist()
        if row["column_name"] not in _NEVER
    ]
    listed = ", ".join(f'"{column}"' for column in columns)
    last = -1
    while True:
        found = store.read(
            f'SELECT rowid AS row_number, {listed} FROM "{table}" WHERE rowid > $last ORDER BY rowid LIMIT $most',  # noqa: S608
            {"last": last, "most": _ROWS_AT_ONCE},
        )
        if not found.num_rows:
            return
        last = found["row_number"][-1].as_py()
        done.rows += found.num_rows
        changed = _masked(found, columns, redactor)
        done.changed += len(changed)
        if changed and not dry_run:
            _write_back(store, table, columns, changed)


def _masked(found: pa.Table, columns: list[str], redactor: Redactor) -> list[dict[str, object]]:
    changed = []
    for row in found.to_pylist():
        masked = {name: redactor.text(row[name]) if row[name] else row[name] for name in columns}
        if any(masked[name] is not row[name] for name in columns):
            changed.append({"row_number": row["row_number"], **masked})
    return changed


def _write_back(store: DuckDBStore, table: str, columns: list[str], changed: list[dict[str, object]]) -> None:
    schema = pa.schema([("row_number", pa.int64()), *((column, pa.string()) for column in columns)])
    assignments = ", ".join(f'"{column}" = masked_rows."{column}"' for column in columns)
    with store.write() as transaction:
        listed = ", ".join(f'"{column}"' for column in columns)
        transaction.execute(
            f'CREATE TEMP TABLE masked_rows AS SELECT rowid AS row_number, {listed} FROM "{table}" LIMIT 0'  # noqa: S608
        )
        transaction.insert("masked_rows", pa.Table.from_pylist(changed, schema))
        transaction.execute(
            f'UPDATE "{table}" SET {assignments} FROM masked_rows WHERE "{table}".rowid = masked_rows.row_number'  # noqa: S608
        )
        transaction.execute("DROP TABLE masked_rows")


def compact(path: Path) -> None:
    """Copy a closed file into a new one and put it in place: freed blocks, and what stood in them, are gone."""
    fresh = path.with_name(f"{path.name}.compact")
    for leftover in (fresh, wal_of(fresh)):
        leftover.unlink(missing_ok=True)
    session = duckdb.connect(":memory:")
    try:
        session.execute(f"ATTACH '{quoted(path)}' AS old")
        session.execute(f"ATTACH '{quoted(fresh)}' AS fresh (STORAGE_VERSION '{STORAGE_VERSION}')")
        session.execute("COPY FROM DATABASE old TO fresh")
        session.execute("CHECKPOINT fresh")
        assert rows(session, "SELECT count(*) AS n FROM fresh.schema_version")["n"][0].as_py()
    finally:
        session.close()
    fresh.chmod(0o600)
    with fresh.open("rb") as file:
        os.fsync(file.fileno())
    fresh.rename(path)
    sync_folder(path.parent)
