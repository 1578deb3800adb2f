"""Duplicates: rows that are stored already, found by the hash of their content among rows of the same time.

A row that is sent again has its old time, however much later it comes, so DuckDB's zone maps skip nearly everything. No
key and no index: they would cost more than this search, and grow with the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from collector.store import database
from collector.store.relations import DayTable

TIME_OF = {"span": "start_ns", "log": "time_ns"}
"""The time column of each kind."""

_GAP_NS = 600 * 10**9
"""Times further apart than this are looked for separately, so that one late span does not make a day be read."""

_MOST_RANGES = 16

NO_KEYS = pa.nulls(0, pa.int64())  # not pa.array, which imports pandas: half a second of every start

Times = npt.NDArray[np.int64]


def stored_keys(
    cursor: duckdb.DuckDBPyConnection, tables: Iterable[DayTable], keys: pa.Array, times: Times
) -> pa.Array:
    """Those of the content keys that one of the tables holds; `times` are the times of the same rows."""
    ranges = time_ranges(times)
    parts = [
        f'SELECT content_key FROM "{table.name}" WHERE {TIME_OF[table.kind]} BETWEEN {low} AND {high}'  # noqa: S608
        for table in tables
        for low, high in ranges
        if low <= table.last_time and high >= table.first_time
    ]
    if not parts:
        return NO_KEYS
    cursor.register("incoming_keys", pa.table({"content_key": keys}))
    try:
        found = database.rows(
            cursor,
            f"SELECT DISTINCT content_key FROM ({' UNION ALL '.join(parts)}) AS stored"  # noqa: S608
            " WHERE content_key IN (SELECT content_key FROM incoming_keys)",
        )
    finally:
        cursor.unregister("incoming_keys")
    return found["content_key"].combine_chunks()


def first_of_each(keys: Times) -> Sequence[int] | None:
    """Indices that keep one row per key; None where all differ."""
    _values, first = np.unique(keys, return_index=True)
    return None if len(first) == len(keys) else np.sort(first).tolist()


def time_ranges(times: Times) -> list[tuple[int, int]]:
    """The times as a few ranges, cut at the widest gaps."""
    ordered = np.unique(times)
    if not len(ordered):
        return []
    gaps = np.diff(ordered)
    wide = np.flatnonzero(gaps > _GAP_NS)
    if len(wide) >= _MOST_RANGES:
        wide = np.sort(wide[np.argsort(gaps[wide])[-(_MOST_RANGES - 1) :]])
    starts = [0, *(wide + 1).tolist()]
    ends = [*wide.tolist(), len(ordered) - 1]
    return [(int(ordered[start]), int(ordered[end])) for start, end in zip(starts, ends, strict=True)]
