"""A full disk, a second owner, a newer or older file, hostile SQL."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from store_child import batch
from store_harness import acknowledged, kill, said, start, verify, wait_until

from analytics import schema
from analytics.spans import Span
from analytics.store import Batch, Scope, StoreUnavailable
from collector.store import DuckDBStore, Limits, Options, StoreHeld


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 24 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)], check=False)
    if mounted.returncode != 0:
        pytest.skip("a small file system needs root and mount")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "flags",
    [
        (),
        pytest.param(("--checkpoint",), marks=pytest.mark.slow),
        pytest.param(("--checkpoint", "--by-duckdb"), marks=pytest.mark.slow),
    ],
    ids=["plain", "checkpoints", "checkpoints by DuckDB"],
)
def test_a_full_disk_refuses_and_recovers_by_itself(small_disk: Path, tmp_path: Path, flags: tuple[str, ...]) -> None:
    """On ENOSPC batches are refused, nothing acknowledged is lost, and with space again taking goes on by itself."""
    acked = tmp_path / "acked"
    child = start(small_disk / "f.db", acked, "--rows", "500", *flags)
    wait_until(lambda: any(line.startswith("refused") for line in said(acked)) or child.poll() is not None, 180)
    assert child.poll() is None, child.stderr.read() if child.stderr else ""
    refused = len(acknowledged(acked))
    subprocess.run(["mount", "-o", "remount,size=400m", str(small_disk)], check=True)
    wait_until(lambda: len(acknowledged(acked)) > refused + 20, 120)
    kill(child)
    verdict = verify(small_disk / "f.db", acked, rows=500)
    assert verdict.clean, verdict


def test_a_nearly_full_disk_is_refused_before_it_is_full(tmp_path: Path) -> None:
    """Below the floor nothing is taken; what is there can still be asked for."""
    store = DuckDBStore(tmp_path / "n.db", Options(free_floor_bytes=2**62))
    with pytest.raises(StoreUnavailable, match="nearly full"):
        store.append(batch(1, 3))
    assert store.read("SELECT count(*) AS n FROM {span} AS s").to_pylist() == [{"n": 0}]
    store.close()


def test_a_second_owner_is_told_who_holds_the_file(tmp_path: Path) -> None:
    """The second start ends with a sentence that names the process; the first is not disturbed."""
    child = start(tmp_path / "o.db", tmp_path / "acked")
    wait_until(lambda: len(acknowledged(tmp_path / "acked")) > 1)
    with pytest.raises(StoreHeld, match=f"PID {child.pid}.*--api"):
        DuckDBStore(tmp_path / "o.db")
    before = len(acknowledged(tmp_path / "acked"))
    wait_until(lambda: len(acknowledged(tmp_path / "acked")) > before + 2)
    kill(child)
    assert verify(tmp_path / "o.db", tmp_path / "acked").clean


def test_a_file_of_a_newer_release_is_refused_untouched(tmp_path: Path) -> None:
    """One clear line; not a byte changes."""
    path = tmp_path / "new.db"
    DuckDBStore(path).close()
    with duckdb.connect(str(path)) as connection:
        connection.execute("INSERT INTO schema_version VALUES (99, 'from the future', 0)")
    before = path.read_bytes()
    with pytest.raises(StoreUnavailable, match="newer release: its shape is 99"):
        DuckDBStore(path)
    assert path.read_bytes() == before


def add_step(monkeypatch: pytest.MonkeyPatch, sql: str) -> None:
    """This release has one more step than the file."""
    history = (*schema.HISTORY, (schema.SCHEMA_VERSION + 1, "for a test"))
    monkeypatch.setattr(schema, "HISTORY", history)
    monkeypatch.setattr(schema, "SCHEMA_VERSION", history[-1][0])
    monkeypatch.setattr(schema, "migration", lambda _version: sql)


def test_an_older_file_is_migrated_with_a_copy_from_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every day table gets the change, the copy opens with the old release, and a second opening does nothing more."""
    path = tmp_path / "old.db"
    store = DuckDBStore(path)
    store.append(batch(1, 3))
    store.close()
    with monkeypatch.context() as newer:
        add_step(newer, "ALTER TABLE {span} ADD COLUMN colour VARCHAR DEFAULT 'red'; CREATE TABLE added (a INTEGER);")
        store = DuckDBStore(path)
        assert store.recovery.migrated_from == schema.SCHEMA_VERSION - 1
        copy = store.recovery.migration_backup
        assert copy is not None
        store.append(batch(2, 3))
        colours = store.read("SELECT DISTINCT colour FROM {span} AS s").to_pylist()
        assert colours == [{"colour": "red"}]
        assert store.read("SELECT * FROM added").num_rows == 0
        store.close()
        again = DuckDBStore(path)
        assert again.recovery.migrated_from is None
        again.close()
    old = DuckDBStore(copy)
    assert old.read("SELECT count(*) AS n FROM {span} AS s").to_pylist() == [{"n": 3}]
    old.close()


def test_a_migration_that_fails_in_the_middle_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The step is one transaction: after a failure the file is as before, and the next opening migrates it."""
    path = tmp_path / "old.db"
    DuckDBStore(path).close()
    with monkeypatch.context() as broken:
        add_step(broken, "CREATE TABLE added (a INTEGER); SELECT * FROM no_such_table;")
        with pytest.raises(StoreUnavailable, match="no_such_table"):
            DuckDBStore(path)
    with monkeypatch.context() as newer:
        add_step(newer, "CREATE TABLE added (a INTEGER);")
        store = DuckDBStore(path)
        assert store.read("SELECT * FROM added").num_rows == 0
        store.close()


ESCAPES = (
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_csv('/etc/passwd')",
    "COPY (SELECT 1) TO '{folder}/out.csv'",
    "ATTACH '{folder}/other.db'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "SET allowed_directories = ['/']",
    "EXPORT DATABASE '{folder}/export'",
    "SELECT * FROM glob('/etc/*')",
    "CREATE SECRET s (TYPE s3)",
)


@pytest.mark.parametrize("sql", ESCAPES)
def test_no_statement_reaches_a_file(tmp_path: Path, sql: str) -> None:
    """Files, extensions and settings are out of reach, for questions and for transactions."""
    store = DuckDBStore(tmp_path / "e.db", Options(limits=Limits(backup_folder=tmp_path / "backups")))
    text = sql.replace("{folder}", str(tmp_path))
    with pytest.raises(duckdb.Error):
        store.read(text)
    with pytest.raises((duckdb.Error, StoreUnavailable)), store.write() as transaction:
        transaction.execute(text)
    store.close()
    assert {p.name for p in tmp_path.iterdir()} <= {"e.db", "e.db.tmp", "e.db.journal", "e.db.wal"}


HOSTILE = (
    "'; DROP TABLE call; --",
    '"; DROP TABLE call; --',
    "x' OR '1'='1",
    "{span}",
    "$name",
    "\0",
    "%' ESCAPE '",
    "a" * 5000,
    "🙂'\"\\",
    "../../etc/passwd",
    "CON",
    "span_default_20260101",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_are_only_text(tmp_path: Path, text: str) -> None:
    """As project, span name, attribute, parameter: stored and found as they are; the tables stay what they were."""
    store = DuckDBStore(tmp_path / "h.db")
    before = store.read("SELECT table_name FROM duckdb_tables() ORDER BY 1").num_rows
    span = Span(f"{1:032x}", f"{2:016x}", "", text, 1, 10, 20, project=text, attributes={text: text})
    store.append(Batch([span]))
    found = store.read("SELECT name FROM {span} AS s WHERE name = $name", {"name": text}, Scope(text)).to_pylist()
    assert found == [{"name": text}]
    assert store.read("SELECT table_name FROM duckdb_tables() ORDER BY 1").num_rows == before + 1
    store.close()
    again = DuckDBStore(tmp_path / "h.db")
    assert again.read("SELECT count(*) AS n FROM {span} AS s", scope=Scope(text)).to_pylist() == [{"n": 1}]
    again.close()


def test_the_files_are_for_their_owner_only(tmp_path: Path) -> None:
    """Payloads are nobody else's business."""
    store = DuckDBStore(tmp_path / "p.db")
    store.append(batch(1, 3))
    modes = [os.stat(path).st_mode & 0o077 for path in [tmp_path / "p.db", *(tmp_path / "p.db.journal").rglob("*")]]
    store.close()
    assert not any(modes)
    shutil.rmtree(tmp_path)
