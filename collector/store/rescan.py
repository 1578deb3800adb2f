"""`telltale redact --rescan`: new patterns over old rows, while no service runs.

Rows are read in stretches, masked, and written back; afterwards the file is copied into a new one, since a changed
row's old bytes stay in the blocks of the old.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from collector.store.database import STORAGE_VERSION, quoted, rows, sync_folder
from collector.store.opening import wal_of
from collector.store.rescan_rules import ARRIVAL, Masks, rules_number
from collector.store.store import DuckDBStore
from collector.store.writer import store_position, stored_position
from telltale.redaction import Redactor

_ROWS_AT_ONCE = 10_000

_OWN_TABLES = frozenset(
    {"schema_version", "job_state", "day_table", "trace_join", "pending_trace", "judge_fault", "span", "log"}
)
"""Tables that hold no text of a sender; `span` and `log` are the empty models of the day tables."""

_NEVER = frozenset(
    {"project", "trace_id", "span_id", "span_ids", "parent_span_id", "out_of_range", "id", "digest", "dedupe_key"}
    | {"fingerprint", "arguments_hash", "result_hash"}
)
"""Columns that hold no text of a sender."""

_RULES, _UP_TO = "rescan rules", "rescan up to"
"""Names in `job_state`: the rules of the last rescan, and the last arrival that it looked at."""


@dataclass(slots=True)
class Rescanned:
    """Rows looked at, rows changed (or that would change), and what was found by kind."""

    rows: int = 0
    changed: int = 0
    kinds: Counter[str] = field(default_factory=Counter)


def rescan(path: Path, redactor: Redactor, *, dry_run: bool = False) -> Rescanned:
    """Mask what the patterns of today find in the rows of yesterday; with `dry_run` only report it.

    It reaches as far as the redaction of what arrives: names and values, JSON in text, what bytes say, names of cut
    values; and the texts of calls, sessions and alerts that were made of them. A value that was cut loses its last
    characters once for each change of the rules, as half a secret may stand there.

    Raises:
        StoreHeld: a service owns the file.
    """
    done = Rescanned()
    before = Counter(redactor.counts)
    store = DuckDBStore(path)
    try:
        masks = _masks(store, redactor)
        for table in _tables(store):
            _rescan_table(store, table, masks, done, dry_run=dry_run)
        if not dry_run:
            with store.drain.writing, store.engine.cursor() as cursor:
                store_position(cursor, _RULES, rules_number(redactor))
                store_position(cursor, _UP_TO, store.front.last_seq)
    finally:
        store.close()
    done.kinds = Counter(redactor.counts) - before
    if done.changed and not dry_run:
        compact(path)
    return done


def _masks(store: DuckDBStore, redactor: Redactor) -> Masks:
    with store.engine.cursor() as cursor:
        same = stored_position(cursor, _RULES) == rules_number(redactor)
        return Masks(redactor, tails_done_to=stored_position(cursor, _UP_TO) if same else 0)


def _tables(store: DuckDBStore) -> list[str]:
    found = store.read("SELECT table_name FROM duckdb_tables() WHERE NOT temporary ORDER BY 1")[
        "table_name"
    ].to_pylist()
    return [name for name in found if name not in _OWN_TABLES]


def _rescan_table(store: DuckDBStore, table: str, masks: Masks, done: Rescanned, *, dry_run: bool) -> None:
    found = store.read(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = $table", {"table": table}
    ).to_pylist()
    types = {row["column_name"]: row["data_type"] for row in found}
    kinds = {"VARCHAR": pa.string(), "VARCHAR[]": pa.list_(pa.string())}
    columns = {name: kinds[kind] for name, kind in types.items() if kind in kinds and name not in _NEVER}
    arrival = next((name for name in ("seq", "judged_seq") if name in types), str(2**63 - 1))
    listed = ", ".join([f"{arrival} AS {ARRIVAL}", *(f'"{column}"' for column in columns)])
    last = -1
    while columns:
        stretch = store.read(
            f'SELECT rowid AS row_number, {listed} FROM "{table}" WHERE rowid > $last ORDER BY rowid LIMIT $most',  # noqa: S608
            {"last": last, "most": _ROWS_AT_ONCE},
        )
        if not stretch.num_rows:
            return
        last = stretch["row_number"][-1].as_py()
        done.rows += stretch.num_rows
        changed = [new for row in stretch.to_pylist() if (new := masks.row(row)) is not None]
        done.changed += len(changed)
        if changed and not dry_run:
            _write_back(store, table, columns, changed)


def _write_back(store: DuckDBStore, table: str, columns: dict[str, pa.DataType], changed: list[dict[str, Any]]) -> None:
    schema = pa.schema([("row_number", pa.int64()), *columns.items()])
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
