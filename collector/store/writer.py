"""The writer: takes pieces of the backlog into the day tables, once each, in few large inserts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from collector.journal import Kind
from collector.store.backlog import Piece, Place
from collector.store.days import Days
from collector.store.dedupe import TIME_OF, first_of_each, stored_keys
from collector.store.relations import NS_PER_DAY, DayTable, table_name

STORED = "journal"
"""The name under which `job_state` keeps the last arrival number that the day tables hold."""

_KIND_OF = {Kind.SPANS_1: "span", Kind.LOGS_1: "log"}


@dataclass(slots=True)
class Written:
    """What one transaction did, and the tables it wrote as they are after it."""

    rows: int = 0
    duplicates: int = 0
    tables: dict[str, DayTable] = field(default_factory=dict)


def write(
    cursor: duckdb.DuckDBPyConnection, days: Days, pieces: Sequence[Piece], *, look_again: bool = False
) -> Written:
    """Insert the pieces inside the open transaction of `cursor`.

    The last arrival number is stored in the same transaction: pieces up to it are never inserted again. Where the
    outcome of an earlier transaction is not certain, `look_again` has every row looked for, the doubtful or not.
    """
    written = Written()
    doubtful = {kind: None if look_again else _doubtful(pieces, kind) for kind in _KIND_OF.values()}
    for (kind, place), rows in _by_place(pieces).items():
        table = days.find(kind, *place) or _make(cursor, kind, place, pieces[0].first_seq)
        fresh = _without_duplicates(cursor, days, table, rows, doubtful[kind])
        written.duplicates += rows.num_rows - fresh.num_rows
        written.rows += fresh.num_rows
        written.tables[table.name] = _grown(table, fresh)
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
    found = cursor.execute("SELECT max(value) FROM job_state WHERE name = $name", {"name": name}).fetchall()
    return int(found[0][0] or 0)


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


def _grown(table: DayTable, rows: pa.Table) -> DayTable:
    if not rows.num_rows:
        return table
    times, seqs = pc.min_max(rows[TIME_OF[table.kind]]).as_py(), pc.min_max(rows["seq"]).as_py()
    return replace(
        table,
        last_seq=max(table.last_seq, seqs["max"]),
        first_time=min(table.first_time, times["min"]),
        last_time=max(table.last_time, times["max"]),
    )


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


def _doubtful(pieces: Sequence[Piece], kind: str) -> list[int] | None:
    """Arrival numbers of one kind that the database may hold already; None where all have to be looked for."""
    found: list[int] = []
    for piece in pieces:
        if _KIND_OF[piece.kind] == kind:
            if piece.doubtful is None:
                return None
            found += piece.doubtful
    return found


def _without_duplicates(
    cursor: duckdb.DuckDBPyConnection, days: Days, table: DayTable, rows: pa.Table, doubtful: list[int] | None
) -> pa.Table:
    first = first_of_each(rows["content_key"].to_numpy())
    if first is not None:
        rows = rows.take(first)
    asked = rows
    if doubtful is not None:
        if not doubtful:
            return rows
        asked = rows.filter(pc.is_in(rows["seq"], value_set=pa.array(doubtful, pa.int64())))
    present = stored_keys(
        cursor,
        days.of(table.kind, table.project),
        asked["content_key"].combine_chunks(),
        asked[TIME_OF[table.kind]].to_numpy(),
    )
    if len(present):
        rows = rows.filter(pc.invert(pc.is_in(rows["content_key"], value_set=present)))
    return rows
