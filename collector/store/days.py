"""The catalogue of day tables, as this process knows it; the table `day_table` is its durable form."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

import duckdb

from collector.store import database
from collector.store.dedupe import TIME_OF
from collector.store.engine import Engine
from collector.store.relations import DayTable, table_name

Answer = TypeVar("Answer")


class Days:
    """Which day tables exist. Read from any thread; changed by the writer after its commit."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._tables: dict[str, DayTable] = {}
        self.load()

    def load(self) -> None:
        """Read the catalogue again."""
        with self._engine.cursor() as cursor:
            rows = database.rows(cursor, "SELECT name, kind, project, day, first_seq FROM day_table").to_pylist()
            tables = {}
            for row in rows:
                tables[row["name"]] = _reach(cursor, DayTable(**row))
        with self._lock:
            self._tables = tables

    def all(self) -> list[DayTable]:
        """Every day table, oldest first."""
        with self._lock:
            return sorted(self._tables.values(), key=lambda table: (table.day, table.first_seq))

    def find(self, kind: str, project: str, day: int) -> DayTable | None:
        """The table of one kind, project and day, if it exists."""
        with self._lock:
            return self._tables.get(table_name(kind, project, day))

    def of(self, kind: str, project: str) -> list[DayTable]:
        """The tables of one kind and project, oldest first."""
        return [table for table in self.all() if table.kind == kind and table.project == project]

    def ask(self, question: Callable[[], Answer]) -> Answer:
        """Put a question that names day tables; again where retention dropped one between the naming and the reading.

        What a dropped table held is gone, so an answer without it is the whole answer. The question looks the tables
        up itself, anew each time; one that fails while no table went, fails.

        Raises:
            duckdb.CatalogException: it names what was never there.
        """
        while True:
            before = self._names()
            try:
                return question()
            except duckdb.CatalogException:
                if not before - self._names():
                    raise

    def _names(self) -> set[str]:
        with self._lock:
            return set(self._tables)

    def committed(self, tables: Mapping[str, DayTable]) -> None:
        """These tables were made or grew, and that is committed."""
        with self._lock:
            self._tables.update(tables)

    def remove(self, names: Iterable[str]) -> None:
        """These tables were dropped, and that is committed."""
        with self._lock:
            for name in names:
                self._tables.pop(name, None)


def _reach(cursor: duckdb.DuckDBPyConnection, table: DayTable) -> DayTable:
    """The table with what its rows reach, read from its zone maps."""
    time = TIME_OF[table.kind]
    [row] = database.rows(
        cursor,
        f'SELECT max(seq) AS last_seq, min({time}) AS first_time, max({time}) AS last_time FROM "{table.name}"',  # noqa: S608
    ).to_pylist()
    return replace(table, **{column: value for column, value in row.items() if value is not None})
