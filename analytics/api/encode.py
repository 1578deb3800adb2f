"""Answers as bytes: JSON, Arrow IPC or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import pyarrow as pa

ARROW = "application/vnd.apache.arrow.stream"

_JSON = msgspec.json.Encoder()
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def json_bytes(answer: Any) -> bytes:
    """JSON; numbers that JSON cannot hold become null."""
    return _JSON.encode(answer)


def table_of(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Rows as an Arrow table; values of mixed kinds (evidence, alert figures) travel as JSON text."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pa.table({name: _column([row.get(name) for row in rows]) for name in names})


def _column(values: list[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return pa.array([None if value is None else msgspec.json.encode(value).decode() for value in values])


def arrow_bytes(answer: Mapping[str, Any]) -> bytes:
    """The rows of a list answer as an Arrow IPC stream; `as_of`, `total` and `next_cursor` are schema metadata."""
    table = table_of(answer["rows"])
    about = {name: str(answer[name]) for name in ("as_of", "total", "next_cursor") if answer.get(name) is not None}
    sink = io.BytesIO()
    table = table.replace_schema_metadata(about)
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def csv_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as CSV (RFC 4180) that no spreadsheet takes for formulas."""
    return "".join(csv_lines(rows))


def csv_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The header and then one record a row, each as CSV with its line end; the first row names the columns."""
    sink = io.StringIO()
    writer = csv.writer(sink)
    names: list[str] = []
    for row in rows:
        if not names:
            names = list(row)
            writer.writerow(names)
        writer.writerow([cell(row.get(name)) for name in names])
        yield sink.getvalue()
        sink.seek(0)
        sink.truncate()


def cell(value: Any) -> str | int | float | None:
    """One CSV cell; a text that a spreadsheet would run as a formula gets an apostrophe first (OWASP)."""
    if value is None or isinstance(value, int | float):
        return value
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return f"'{text}" if text.startswith(_FORMULA) else text
