"""`DuckDBStore`: the Store protocol on one DuckDB file."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from analytics.spans import LogRecord, Span, Trace
from analytics.store import Arrivals, Batch, Receipt, Scope, StoreUnavailable, TraceKey
from collector.store import database
from collector.store.database import Limits
from collector.store.relations import NS_PER_DAY, DayTable, substitute, table_name
from collector.store.rows import batch_to_arrow, logs_of, spans_of


class _Transaction:
    """One open transaction on the store's writing cursor."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
        self._cursor = cursor

    def execute(self, sql: str, params: Mapping[str, Any] | None = None) -> int:
        return database.run(self._cursor, sql, params)

    def query(self, sql: str, params: Mapping[str, Any] | None = None) -> pa.Table:
        return database.rows(self._cursor, sql, params)

    def insert(self, table: str, rows: pa.Table) -> int:
        name = table.replace('"', '""')
        self._cursor.register("incoming_rows", rows)
        try:
            return database.run(self._cursor, f'INSERT INTO "{name}" BY NAME SELECT * FROM incoming_rows')  # noqa: S608
        finally:
            self._cursor.unregister("incoming_rows")


class DuckDBStore:
    """The store of the service on one DuckDB file, which this process owns until `close`."""

    def __init__(self, path: Path, limits: Limits | None = None) -> None:
        """Open or make the file.

        Raises:
            StoreHeld: another process owns the file.
        """
        self.path = path
        self._database = database.open_database(path, limits or Limits())
        self._writing = threading.RLock()
        self._days = {table.name: table for table in self._day_tables()}
        self._last_seq = self._largest_seq()

    def _day_tables(self) -> list[DayTable]:
        found = database.rows(self._database.cursor(), "SELECT * FROM day_table ORDER BY day, name").to_pylist()
        return [DayTable(**row) for row in found]

    def _largest_seq(self) -> int:
        statement = substitute(
            "SELECT greatest((SELECT max(seq) FROM {span}), (SELECT max(seq) FROM {log}), 0) AS seq",
            self._days.values(),
            None,
        )
        return int(database.rows(self._database.cursor(), statement).to_pylist()[0]["seq"])

    def append(self, batch: Batch) -> Receipt:
        with self.write() as transaction:
            now = time.time_ns()
            rows: list[Span | LogRecord] = [*batch.spans, *batch.logs]
            for number, row in enumerate(rows, self._last_seq + 1):
                row.seq = number
                row.received_ns = row.received_ns or now
            spans, logs = batch_to_arrow(batch)
            new = self._add(transaction, "span", "start_ns", spans) + self._add(transaction, "log", "time_ns", logs)
            self._last_seq += len(rows)
            return Receipt(len(batch.spans), len(batch.logs), len(rows) - new, self._last_seq)

    def _add(self, transaction: _Transaction, kind: str, time_column: str, rows: pa.Table) -> int:
        """Insert the rows that their project does not have yet; a resent row has the same time, which prunes."""
        new = 0
        for project, day in sorted({(p, r // NS_PER_DAY) for p, r in _places(rows)}):
            table = self._day_table(transaction, kind, project, day)
            own = pa.table(rows.filter([(p, r // NS_PER_DAY) == (project, day) for p, r in _places(rows)]))
            present = substitute(f"{{{kind}}}", self._days.values(), Scope(project))
            transaction._cursor.register("incoming_rows", own)
            new += transaction.execute(
                f'INSERT INTO "{table}" SELECT DISTINCT ON (content_key) * FROM incoming_rows AS new'  # noqa: S608
                f" WHERE NOT EXISTS (SELECT 1 FROM {present} AS old WHERE old.content_key = new.content_key"
                f" AND old.{time_column} BETWEEN $low AND $high) ORDER BY seq",
                {"low": _smallest(own, time_column), "high": _largest(own, time_column)},
            )
            transaction._cursor.unregister("incoming_rows")
        return new

    def _day_table(self, transaction: _Transaction, kind: str, project: str, day: int) -> str:
        name = table_name(kind, project, day)
        if name not in self._days:
            transaction.execute(f'CREATE TABLE "{name}" AS FROM "{kind}"')
            table = DayTable(name, kind, project, day, self._last_seq + 1)
            transaction.execute(
                "INSERT INTO day_table VALUES ($name, $kind, $project, $day, $first_seq)",
                {"name": name, "kind": kind, "project": project, "day": day, "first_seq": table.first_seq},
            )
            self._days[name] = table
        return name

    def arrivals(self, after_seq: int, limit: int = 1000) -> Arrivals:
        both = "(SELECT project, trace_id, seq FROM {span} UNION ALL SELECT project, trace_id, seq FROM {log})"
        found = self.read(
            f"SELECT project, trace_id, min(seq) AS first_new FROM {both} AS s WHERE seq > $after AND trace_id <> ''"  # noqa: S608
            " GROUP BY ALL ORDER BY first_new LIMIT $limit",
            {"after": after_seq, "limit": limit + 1},
        ).to_pylist()
        up_to = found[limit]["first_new"] - 1 if len(found) > limit else self._last_seq
        return Arrivals([TraceKey(row["project"], row["trace_id"]) for row in found[:limit]], max(up_to, after_seq))

    def traces(self, keys: Sequence[TraceKey]) -> list[Trace]:
        answer = {key: Trace(key.project, key.trace_id) for key in keys}
        for project in {key.project for key in keys}:
            ids = [key.trace_id for key in keys if key.project == project]
            for kind in ("span", "log"):
                rows = self.read(
                    f"SELECT * FROM {{{kind}}} AS s WHERE trace_id IN (SELECT unnest($ids)) ORDER BY seq",  # noqa: S608
                    {"ids": ids},
                    Scope(project),
                )
                if kind == "span":
                    for span in spans_of(rows):
                        answer[TraceKey(project, span.trace_id)].spans.append(span)
                else:
                    for log in logs_of(rows):
                        answer[TraceKey(project, log.trace_id)].logs.append(log)
        return list(answer.values())

    def read(self, sql: str, params: Mapping[str, Any] | None = None, scope: Scope | None = None) -> pa.Table:
        cursor = self._database.cursor()
        try:
            return database.rows(cursor, substitute(sql, list(self._days.values()), scope), params)
        finally:
            cursor.close()

    @contextmanager
    def write(self) -> Iterator[_Transaction]:
        with self._writing:
            cursor = self._database.cursor()
            known = dict(self._days)
            try:
                cursor.execute("BEGIN")
                yield _Transaction(cursor)
                cursor.execute("COMMIT")
            except BaseException as error:
                self._days = known
                if not isinstance(error, duckdb.FatalException):
                    cursor.execute("ROLLBACK")
                if isinstance(error, duckdb.IOException | duckdb.FatalException):
                    raise StoreUnavailable("the database cannot be written now") from error
                raise
            finally:
                cursor.close()

    def close(self) -> None:
        with self._writing:
            self._database.execute("CHECKPOINT")
            self._database.close()


def _places(rows: pa.Table) -> list[tuple[str, int]]:
    return list(zip(rows["project"].to_pylist(), rows["received_ns"].to_pylist(), strict=True))


def _smallest(rows: pa.Table, column: str) -> int:
    return int(min(rows[column].to_pylist()))


def _largest(rows: pa.Table, column: str) -> int:
    return int(max(rows[column].to_pylist()))
