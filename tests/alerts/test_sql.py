"""Every question of the alerts fits the real schema, and reads as ClickHouse too."""

from __future__ import annotations

import re

import pytest
import sqlglot
from sqlglot import errors

from analytics.alerts import queries
from collector.store import DuckDBStore

_LISTS = {"tools", "busy", "scopes", "own", "ids", "incidents", "settled_scopes", "settled_signals"}


def _value(name: str) -> object:
    if name in {"settled_until", "since"}:
        return []
    if name in _LISTS:
        return []
    if name == "with_recovered":
        return False
    return 1 if name.endswith(("_ns", "hour")) or name in {"attempts"} else "x"


@pytest.mark.parametrize("name", queries.names())
def test_question_runs_on_the_real_schema(store: DuckDBStore, name: str) -> None:
    """Columns, types and parameters of every file agree with the tables as they are."""
    text = queries.sql(name)
    params = {found: _value(found) for found in re.findall(r"\$(\w+)", text)}

    with store.write() as transaction:
        if text.lstrip("-").partition("\n")[2].lstrip().startswith(("UPDATE", "DELETE")):
            assert transaction.execute(text, params) == 0
        else:
            assert transaction.query(text, params).num_rows >= 0


@pytest.mark.parametrize("name", queries.names())
def test_question_parses_as_clickhouse(name: str) -> None:
    """What sqlglot makes of it for ClickHouse is ClickHouse to it."""
    (translated,) = sqlglot.transpile(queries.sql(name), read="duckdb", write="clickhouse")
    typed = re.sub(r"\{(\w+): \}", r"{\1: String}", translated)

    try:
        sqlglot.parse_one(typed, read="clickhouse")
    except errors.ParseError as error:
        pytest.fail(f"{name}: {error}")


@pytest.mark.parametrize("name", queries.names())
def test_question_says_what_it_asks(name: str) -> None:
    """Each file begins with a sentence."""
    assert queries.sql(name).startswith("-- ")
