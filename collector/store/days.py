"""The catalogue of day tables, as this process knows it; the table `day_table` is its durable form."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import replace

from collector.store import database
from collector.store.engine import Engine
from collector.store.relations import DayTable, table_name


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
                [reach] = database.rows(cursor, f'SELECT max(seq) AS last_seq FROM "{row["name"]}"').to_pylist()  # noqa: S608
                tables[row["name"]] = DayTable(**row, last_seq=reach["last_seq"] or row["first_seq"])
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

    def committed(self, tables: Iterable[DayTable], last_seq: int) -> None:
        """These tables were made, or got rows up to `last_seq`, and that is committed."""
        with self._lock:
            for table in tables:
                self._tables[table.name] = replace(table, last_seq=max(table.last_seq, last_seq))

    def remove(self, names: Iterable[str]) -> None:
        """These tables were dropped, and that is committed."""
        with self._lock:
            for name in names:
                self._tables.pop(name, None)
