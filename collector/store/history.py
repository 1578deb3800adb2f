"""Reading back what left memory: traces and arrivals out of the day tables, by stretches of arrival numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from analytics.spans import LogRecord, Span
from analytics.store import TraceKey
from collector.store import database
from collector.store.days import Days
from collector.store.dedupe import TIME_OF, stored_keys
from collector.store.engine import Engine
from collector.store.relations import DayTable
from collector.store.rows import Encoded
from collector.store.rows_back import logs_of, spans_of
from collector.store.seen import CHUNK_BITS, HASH_SQL, Range

_ARRIVALS_AT_ONCE = 50_000
_NEAR = 1024
_MOST_PLACES = 48

StoredRow = tuple[int, Span | LogRecord]
"""Content key and row."""


class History:
    """The day tables, read by arrival number; a table that retention drops meanwhile has no rows any more."""

    def __init__(self, engine: Engine, days: Days) -> None:
        self._engine = engine
        self._days = days

    def rows(self, wanted: dict[TraceKey, list[Range]]) -> dict[TraceKey, list[StoredRow]]:
        """Stored rows of traces, each looked for in its stretches only."""
        return self._days.ask(lambda: self._rows(wanted))

    def _rows(self, wanted: dict[TraceKey, list[Range]]) -> dict[TraceKey, list[StoredRow]]:
        answer: dict[TraceKey, list[StoredRow]] = {key: [] for key in wanted}
        with self._engine.cursor() as cursor:
            for project in {key.project for key in wanted}:
                ids = [key.trace_id for key, places in wanted.items() if key.project == project and places]
                ranges = _joined(place for key in wanted if key.project == project for place in wanted[key])
                for kind in ("span", "log"):
                    for content_key, row in self._rows_of(cursor, kind, project, ids, ranges):
                        answer[TraceKey(project, row.trace_id)].append((content_key, row))
        return answer

    def _rows_of(
        self, cursor: duckdb.DuckDBPyConnection, kind: str, project: str, ids: list[str], ranges: list[Range]
    ) -> Iterable[StoredRow]:
        """First where the rows lie, by two narrow columns; then only those stretches with all columns.

        Asking for everything at once would unpack the payloads of every row that is looked at.
        """
        tables, wanted = self._days.of(kind, project), f"trace_id IN ({', '.join(map(_literal, ids))})"
        where = _union("seq", tables, ranges, wanted)
        if not ids or not where:
            return []
        seqs = sorted(database.rows(cursor, where)["seq"].to_pylist())
        places = _clusters(seqs)
        if not places:
            return []
        found = database.rows(cursor, f"SELECT * FROM ({_union('*', tables, places, wanted)}) AS s ORDER BY seq")  # noqa: S608
        rows: Sequence[Span | LogRecord] = spans_of(found) if kind == "span" else logs_of(found)
        return zip(found["content_key"].to_pylist(), rows, strict=True)

    def known(self, kind: str, projects: Sequence[str], encoded: Encoded) -> set[int]:
        """Content keys among these rows that are stored; `projects` are the rows' own."""
        return self._days.ask(lambda: self._known(kind, projects, encoded))

    def _known(self, kind: str, projects: Sequence[str], encoded: Encoded) -> set[int]:
        column = encoded.schema.get_field_index(TIME_OF[kind])
        found: set[int] = set()
        with self._engine.cursor() as cursor:
            for project in set(projects):
                own = [n for n, name in enumerate(projects) if name == project]
                keys = pa.array([encoded.keys[n] for n in own], pa.int64())
                times = np.array([encoded.rows[n][column] for n in own], dtype=np.int64)
                found.update(stored_keys(cursor, self._days.of(kind, project), keys, times).to_pylist())
        return found

    def arrivals(self, after_seq: int, until_seq: int, limit: int) -> tuple[list[TraceKey], int]:
        """Traces that got rows after a number, oldest first, and where the answer ends."""
        return self._days.ask(lambda: self._arrivals(after_seq, until_seq, limit))

    def _arrivals(self, after_seq: int, until_seq: int, limit: int) -> tuple[list[TraceKey], int]:
        low = after_seq
        while low < until_seq:
            high = min(low + _ARRIVALS_AT_ONCE, until_seq)
            sql = _union("project, trace_id, seq", self._days.all(), [(low + 1, high)])
            found: list[dict[str, Any]] = []
            if sql:
                with self._engine.cursor() as cursor:
                    found = database.rows(
                        cursor,
                        f"SELECT project, trace_id, max(seq) AS last FROM ({sql}) AS stored WHERE trace_id <> ''"  # noqa: S608
                        " GROUP BY project, trace_id ORDER BY last LIMIT $limit",
                        {"limit": limit + 1},
                    ).to_pylist()
            if found:
                reached = high if len(found) <= limit else int(found[limit - 1]["last"])
                return [TraceKey(row["project"], row["trace_id"]) for row in found[:limit]], reached
            low = high
        return [], until_seq

    def hashes(self, chunk: int) -> list[int] | None:
        """Hashes of the traces with rows in one chunk of arrival numbers; None where an id is not hex."""
        return self._days.ask(lambda: self._hashes(chunk))

    def _hashes(self, chunk: int) -> list[int] | None:
        sql = _union("trace_id", self._days.all(), [(chunk << CHUNK_BITS, ((chunk + 1) << CHUNK_BITS) - 1)])
        if not sql:
            return []
        with self._engine.cursor() as cursor:
            found = database.rows(
                cursor,
                f"SELECT DISTINCT {HASH_SQL} AS hash FROM ({sql}) AS stored WHERE trace_id <> ''",  # noqa: S608
            )
        hashes: list[int | None] = found["hash"].to_pylist()
        return None if None in hashes else [value for value in hashes if value is not None]


def _literal(text: str) -> str:
    """A quoted string: a list of literals is pushed into the scan, a parameter is not."""
    return "'" + text.replace("'", "''") + "'"


def _clusters(seqs: Sequence[int]) -> list[Range]:
    """Arrival numbers as stretches, neighbours joined; wider where there would be very many."""
    gap = _NEAR
    while True:
        joined: list[Range] = []
        for seq in seqs:
            if joined and seq - joined[-1][1] <= gap:
                joined[-1] = (joined[-1][0], seq)
            else:
                joined.append((seq, seq))
        if len(joined) <= _MOST_PLACES:
            return joined
        gap *= 4


def _union(columns: str, tables: Sequence[DayTable], ranges: Sequence[Range], wanted: str = "true") -> str:
    """One branch per table and stretch that can meet: literal bounds let DuckDB skip what lies outside."""
    return " UNION ALL ".join(
        f'SELECT {columns} FROM "{table.name}" WHERE seq BETWEEN {max(low, table.first_seq)} AND {high}'  # noqa: S608
        f" AND {wanted}"
        for table in tables
        for low, high in ranges
        if high >= table.first_seq and low <= table.last_seq
    )


def _joined(ranges: Iterable[Range]) -> list[Range]:
    joined: list[Range] = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined
