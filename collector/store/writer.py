"""The writer: takes pieces of the backlog into the day tables, once each, in few large inserts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from collector.journal import Kind
from collector.store import database
from collector.store.backlog import Piece, Place
from collector.store.days import Days
from collector.store.relations import NS_PER_DAY, DayTable, table_name

STORED = "journal"
"""The name under which `job_state` keeps the last arrival number that the day tables hold."""

_TIME_OF = {"span": "start_ns", "log": "time_ns"}
_KIND_OF = {Kind.SPANS_1: "span", Kind.LOGS_1: "log"}

DEDUPE_DAYS = 2
"""A row is looked for among its project's rows of the day of receipt and of the days before it, so many in all."""

_GAP_NS = 600 * 10**9
"""Start times further apart than this are looked for separately, so that one late span does not make a day be read."""

_MOST_RANGES = 16


@dataclass(slots=True)
class Written:
    """What one transaction did, and to which tables (some of them made by it)."""

    rows: int = 0
    duplicates: int = 0
    tables: list[DayTable] = field(default_factory=list)


def write(cursor: duckdb.DuckDBPyConnection, days: Days, pieces: Sequence[Piece]) -> Written:
    """Insert the pieces inside the open transaction of `cursor`.

    The last arrival number is stored in the same transaction: pieces up to it are never inserted again.
    """
    written = Written()
    for (kind, place), rows in _by_place(pieces).items():
        table = days.find(kind, *place) or _make(cursor, kind, place, pieces[0].first_seq)
        written.tables.append(table)
        fresh = _without_duplicates(cursor, days, table, rows)
        written.duplicates += rows.num_rows - fresh.num_rows
        written.rows += fresh.num_rows
        if fresh.num_rows:
            cursor.register("incoming_rows", fresh)
            cursor.execute(f'INSERT INTO "{table.name}" BY NAME SELECT * FROM incoming_rows')  # noqa: S608
            cursor.unregister("incoming_rows")
    store_position(cursor, STORED, pieces[-1].last_seq)
    return written


def store_position(cursor: duckdb.DuckDBPyConnection, name: str, value: int) -> None:
    """Set one row of `job_state`."""
    cursor.execute("DELETE FROM job_state WHERE name = $name", {"name": name})
    cursor.execute("INSERT INTO job_state VALUES ($name, $value)", {"name": name, "value": value})


def stored_position(cursor: duckdb.DuckDBPyConnection, name: str) -> int:
    """One row of `job_state`, 0 where there is none."""
    found = cursor.execute("SELECT max(value) FROM job_state WHERE name = $name", {"name": name}).fetchone()
    return int(found[0]) if found and found[0] is not None else 0


def _make(cursor: duckdb.DuckDBPyConnection, kind: str, place: Place, first_seq: int) -> DayTable:
    project, day = place
    table = DayTable(table_name(kind, project, day), kind, project, day, first_seq)
    cursor.execute(f'CREATE TABLE "{table.name}" AS FROM "{kind}" LIMIT 0')
    cursor.execute(
        "INSERT INTO day_table BY NAME SELECT $name AS name, $kind AS kind, $project AS project, $day AS day,"
        " $first_seq AS first_seq",
        {"name": table.name, "kind": kind, "project": project, "day": day, "first_seq": first_seq},
    )
    return table


def _by_place(pieces: Sequence[Piece]) -> dict[tuple[str, Place], pa.Table]:
    """The rows of the pieces per kind, project and day; nothing is copied where all belong to one."""
    whole: dict[str, list[pa.RecordBatch]] = defaultdict(list)
    places: dict[str, set[Place]] = defaultdict(set)
    for piece in pieces:
        kind = _KIND_OF[piece.kind]
        whole[kind].append(piece.rows)
        places[kind] |= piece.places
    answer = {}
    for kind, batches in whole.items():
        table = pa.Table.from_batches(batches)
        for place in sorted(places[kind]):
            answer[kind, place] = table if len(places[kind]) == 1 else table.filter(_belongs(table, place))
    return answer


def _belongs(table: pa.Table, place: Place) -> pa.ChunkedArray:
    project, day = place
    received = table["received_ns"]
    return pc.and_(
        pc.equal(table["project"], project),
        pc.and_(pc.greater_equal(received, day * NS_PER_DAY), pc.less(received, (day + 1) * NS_PER_DAY)),
    )


def _without_duplicates(cursor: duckdb.DuckDBPyConnection, days: Days, table: DayTable, rows: pa.Table) -> pa.Table:
    keys = rows["content_key"].to_numpy()
    _values, first = np.unique(keys, return_index=True)
    if len(first) < len(keys):
        rows = rows.take(np.sort(first))
    present = _present(cursor, days, table, rows)
    if present.num_rows:
        rows = rows.filter(pc.invert(pc.is_in(rows["content_key"], value_set=present["content_key"].combine_chunks())))
    return rows


def _present(cursor: duckdb.DuckDBPyConnection, days: Days, table: DayTable, rows: pa.Table) -> pa.Table:
    """Content keys among `rows` that are stored already. A resent row has its old time, and time prunes the search."""
    time_column = _TIME_OF[table.kind]
    earlier = [days.find(table.kind, table.project, table.day - back) for back in range(DEDUPE_DAYS)]
    names = [found.name for found in earlier if found is not None]
    if not names or not rows.num_rows:
        return pa.table({"content_key": pa.array([], pa.int64())})
    cursor.register("incoming_keys", rows.select(["content_key"]))
    parts = [
        f'SELECT content_key FROM "{name}" WHERE {time_column} BETWEEN {low} AND {high}'  # noqa: S608 (own names, ints)
        for name in names
        for low, high in _ranges(rows[time_column].to_numpy())
    ]
    found = database.rows(
        cursor,
        f"SELECT DISTINCT content_key FROM ({' UNION ALL '.join(parts)}) AS stored"  # noqa: S608
        " WHERE content_key IN (SELECT content_key FROM incoming_keys)",
    )
    cursor.unregister("incoming_keys")
    return found


def _ranges(times: np.ndarray) -> list[tuple[int, int]]:
    """The times as a few ranges, cut at the widest gaps."""
    ordered = np.unique(times)
    gaps = np.diff(ordered)
    wide = np.flatnonzero(gaps > _GAP_NS)
    if len(wide) >= _MOST_RANGES:
        wide = np.sort(wide[np.argsort(gaps[wide])[-(_MOST_RANGES - 1) :]])
    starts = [0, *(wide + 1).tolist()]
    ends = [*wide.tolist(), len(ordered) - 1]
    return [(int(ordered[start]), int(ordered[end])) for start, end in zip(starts, ends, strict=True)]
