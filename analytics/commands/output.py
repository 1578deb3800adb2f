"""Rows on a terminal or into a pipe. Payload text is hostile: no control character of it reaches a terminal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from analytics.alerts.wording import count
from analytics.api.encode import csv_lines

PIPED_WIDTH = 320
"""Columns of a table or page that does not go to a terminal: nothing has to be squeezed there."""

FORMATS = ("table", "jsonl", "csv")

CELL = 60
"""The longest cell of a table, in characters."""

_CONTROLS = {*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029}
_DIRECTIONS = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}
_WITHOUT_WIDTH = {0xAD, 0x180E, *range(0x200B, 0x200E), *range(0x2060, 0x2066), *range(0x206A, 0x2070), 0xFEFF}
_TAGS = {*range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080)}
_HALVES = {*range(0xD800, 0xE000)}
"""Halves of a character, which no output can encode."""

_HIDDEN = _CONTROLS | _DIRECTIONS | _WITHOUT_WIDTH | _TAGS | _HALVES
_VISIBLE = {
    code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    for code in _HIDDEN
}
_KEEP_LINES = {code: shown for code, shown in _VISIBLE.items() if code not in (0x0A, 0x09)}


def plain(value: Any) -> str:
    """A value as one line of text that cannot steer a terminal: control, direction and unseen signs are escaped."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        return ", ".join(plain(each) for each in value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text.translate(_VISIBLE)


def lines_of(text: str) -> str:
    """A text of several lines that cannot steer a terminal."""
    return text.translate(_KEEP_LINES)


def console() -> Console:
    """Standard output, with nothing in a text taken for markup."""
    wide = None if sys.stdout.isatty() else PIPED_WIDTH
    return Console(markup=False, highlight=False, emoji=False, soft_wrap=False, width=wide)


def show(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], form: str, *, whole: Sequence[str] = ()) -> int:
    """Print rows; returns how many.

    Args:
        rows: what to print.
        columns: the columns of a table.
        form: table, jsonl or csv.
        whole: the columns of jsonl and csv; all that a row has where empty.
    """
    if form == "table":
        return _table(rows, columns)
    chosen = ({name: row.get(name) for name in whole} if whole else dict(row) for row in rows)
    return _jsonl(chosen) if form == "jsonl" else _csv(chosen)


def _jsonl(rows: Iterable[Mapping[str, Any]]) -> int:
    count = 0
    for row in rows:
        count += 1
        sys.stdout.write(json.dumps(row, ensure_ascii=True, separators=(",", ":"), default=str) + "\n")
    return count


def _csv(rows: Iterable[Mapping[str, Any]]) -> int:
    count = 0
    for line in csv_lines(rows):
        count += 1
        sys.stdout.write(line.translate(_CSV))
    return count


_CSV = {code: shown for code, shown in _VISIBLE.items() if code not in (0x0A, 0x0D, 0x09)}


def _table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> int:
    table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for name in columns:
        table.add_column(name.replace("_", " "), overflow="ellipsis", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(_cell(name, row)) for name in columns))
    if table.row_count:
        console().print(table)
    return table.row_count


_UNCHECKED = "not checked yet"
"""What a precision of nothing is called: it rests on the verdicts that people checked."""


def _cell(name: str, row: Mapping[str, Any]) -> str:
    value = row.get(name)
    if name == "session_id" and value is None:
        value = row.get("trace_id")  # stands in for the session, in filters and in the list of sessions as well
    if name in ("p50_ms", "p95_ms") and isinstance(value, int | float):
        return _milliseconds(value, exact=row.get("durations_exact") is True)
    if isinstance(value, Mapping) and {"numerator", "denominator"} <= value.keys():
        if name == "precision":  # of the rule's other calls it says nothing
            return rate_text({**value, "not_measured": 0}, _UNCHECKED)
        return rate_text(value)
    text = plain(value)
    return text if len(text) <= CELL else text[: CELL - 1] + "…"


def _milliseconds(value: float, *, exact: bool) -> str:
    """A duration in ms without digits that nobody needs; `≈` marks one that is only nearly so."""
    return ("" if exact else "≈ ") + (f"{value:,.0f}" if value >= 100 else f"{value:.3g}")


def rate_text(rate: Mapping[str, Any], none: str = "no failures measured") -> str:
    """A rate with its denominator and interval: `83 % of 12 (55–95 %)`; "not measured" is not 0 %. `none` stands for
    a rate of nothing.
    """
    if rate["rate"] is None:
        return none if not rate["not_measured"] else f"not measured ({count(rate['not_measured'], 'call')})"
    beside = f"; {count(rate['not_measured'], 'call')} not measured" if rate["not_measured"] else ""
    span = f"{rate['low'] * 100:.0f}–{rate['high'] * 100:.0f} %"
    return f"{rate['rate'] * 100:.1f} % of {rate['denominator']} ({span}){beside}"


@contextmanager
def quiet_pipe() -> Iterator[None]:
    """Let a reader that has seen enough (`| head`) end the command without a word."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
