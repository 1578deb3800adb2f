"""The tables: files and manifest, what is written into them, settings of an open file, files of older releases."""

from __future__ import annotations

import gzip
import shutil
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from making import span

from analytics import schema
from analytics.jobs.corrections import take_back
from analytics.jobs.judge_job import JudgeJob
from analytics.store import Batch, TraceKey
from collector.store import DuckDBStore
from collector.store.database import STORAGE_VERSION
from collector.store.relations import project_key, table_name
from collector.store.rows import LOG_SCHEMA, SPAN_SCHEMA

GOLDEN = Path(__file__).parent / "data"


def columns(store: DuckDBStore, table: str) -> list[str]:
    """Column names in order."""
    sql = "SELECT column_name AS name FROM duckdb_columns() WHERE table_name = $table ORDER BY column_index"
    return [row["name"] for row in store.read(sql, {"table": table}).to_pylist()]


@pytest.mark.parametrize(("table", "arrow"), [("span", SPAN_SCHEMA), ("log", LOG_SCHEMA)])
def test_what_is_written_fits_the_tables(store: DuckDBStore, table: str, arrow: object) -> None:
    """The journal's columns are those of the table, in its order."""
    assert columns(store, table) == arrow.names  # type: ignore[attr-defined]


def test_every_table_is_made(store: DuckDBStore) -> None:
    """Each file of the manifest makes the table of its name, and nothing else exists."""
    found = store.read("SELECT table_name AS name FROM duckdb_tables()").to_pylist()
    assert {row["name"] for row in found} == set(schema.tables())


def test_a_file_outside_the_manifest_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Orphan files and dangling names stop the start."""
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "_order").write_text("# order\none\n")
    (tmp_path / "tables" / "two.sql").write_text("CREATE TABLE two (a INTEGER);")
    monkeypatch.setattr(schema, "files", lambda _name: tmp_path)
    schema.tables.cache_clear()
    with pytest.raises(schema.SchemaError, match="one"):
        schema.tables()
    monkeypatch.undo()
    schema.tables.cache_clear()


def test_no_key_and_no_index(store: DuckDBStore) -> None:
    """They would cost more than the search that they save, and grow with the table."""
    store.append(Batch([span(1)]))
    store.flush()
    assert store.read("SELECT * FROM duckdb_indexes()").num_rows == 0
    kinds = store.read("SELECT DISTINCT constraint_type AS kind FROM duckdb_constraints()").to_pylist()
    assert {row["kind"] for row in kinds} <= {"NOT NULL"}


def test_settings_are_closed_down(store: DuckDBStore) -> None:
    """What the service relies on is set, and cannot be changed."""
    settings = {
        row["name"]: row["value"]
        for row in store.read(
            "SELECT name, value FROM duckdb_settings() WHERE name IN"
            " ('TimeZone', 'enable_external_access', 'lock_configuration', 'threads')"
        ).to_pylist()
    }
    assert settings == {
        "TimeZone": "UTC",
        "enable_external_access": "false",
        "lock_configuration": "true",
        "threads": "1",
    }


def test_files_stay_readable_by_duckdb_1_5(path: Path) -> None:
    """Whichever DuckDB made it."""
    DuckDBStore(path).close()
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"ATTACH '{path}' AS made (READ_ONLY)")
        [tags] = connection.execute("SELECT tags FROM duckdb_databases() WHERE database_name = 'made'").fetchall()
    assert STORAGE_VERSION in str(tags[0]) or tags[0] == {}


@pytest.mark.parametrize(
    ("project", "key"),
    [("default", "default"), ("ops", "ops"), ("a_b", "a_b")],
)
def test_plain_projects_keep_their_name(project: str, key: str) -> None:
    """A table can be recognised by a person."""
    assert project_key(project) == key
    assert table_name("span", project, 20_000) == f"span_{key}_20241004"


def test_projects_that_fold_alike_have_tables_of_their_own() -> None:
    """Names are told apart however strange they are, and are always plain."""
    projects = ["a b", "a-b", "A_B", "a__b", "", "x" * 300, "日本", "a_b", "'; DROP", "_a_b"]
    keys = [project_key(project) for project in projects]
    assert len(set(keys)) == len(projects)
    assert all(key.replace("_", "").isalnum() and key.isascii() and len(key) < 40 for key in keys)


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("shape-*.db.gz")), ids=lambda file: file.name)
def test_files_of_every_release_open(file: Path, path: Path) -> None:
    """A file that an older release wrote is brought up to date, and what is in it is still there."""
    with gzip.open(file) as packed, path.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    store = DuckDBStore(path)
    [trace] = store.traces([TraceKey("default", "ab" * 16)])
    assert [(s.name, s.attributes["n"]) for s in trace.spans] == [("execute_tool search", n) for n in range(5)]
    assert len(trace.logs) == 1
    assert store.read("SELECT max(version) AS v FROM schema_version").to_pylist() == [{"v": schema.SCHEMA_VERSION}]
    outcomes = "SELECT outcome, count(*) AS n FROM call GROUP BY outcome ORDER BY outcome"
    assert store.read(outcomes).to_pylist() == [{"outcome": "ok", "n": 5}]  # two of them by the correction
    made = path.with_name("made.db")
    new = DuckDBStore(made)
    if file.name != f"shape-{schema.SCHEMA_VERSION}.db.gz":  # the current shape may still grow until its release
        assert {t: sorted(columns(store, t)) for t in schema.tables()} == {
            t: sorted(columns(new, t)) for t in schema.tables()
        }
    new.close()
    store.close()


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("shape-*.db.gz")), ids=lambda file: file.name)
def test_work_goes_on_in_files_of_every_release(file: Path, path: Path) -> None:
    """Calls that an older release judged are judged again with what comes later, and what a person said can go."""
    with gzip.open(file) as packed, path.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    store = DuckDBStore(path)
    late = replace(store.traces([TraceKey("default", "ab" * 16)])[0].spans[1], span_id="9" * 16)
    store.append(Batch([late]))
    job = JudgeJob(store, pause_s=0)
    job.drain()
    calls = "SELECT outcome, sum(calls)::BIGINT AS n FROM rollup_hour GROUP BY outcome HAVING n > 0 ORDER BY outcome"
    assert store.read(calls).to_pylist() == [{"outcome": "ok", "n": 6}]

    [correction] = store.read("SELECT id FROM correction").to_pylist()
    take_back(store, "default", correction["id"], who="ada", why="it was none")
    job.drain()
    assert store.read(calls).to_pylist() == [{"outcome": "ok", "n": 3}, {"outcome": "silent_failure", "n": 3}]
    store.close()


def test_every_shape_has_its_file() -> None:
    """Raising the version means keeping a file of the shape before it (`python tests/store/keep_shape.py`)."""
    kept = {int(file.name.split("-")[1].split(".")[0]) for file in GOLDEN.glob("shape-*.db.gz")}
    assert kept >= {version for version, _reason in schema.HISTORY[:-1]}
