"""Damaged files: the service comes up, the damage is kept aside and told, the rest is there."""

from __future__ import annotations

import os
import random
import shutil
import sys
import time
from pathlib import Path

import duckdb
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from store_child import batch
from store_harness import kill, said, start, verify, wait_until

from analytics.store import StoreUnavailable, TraceKey
from collector.store import DuckDBStore


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store that was killed while its write-ahead log and its journal held rows.

    Not in the middle of a commit: that leaves the beginning of an entry at the log's end, which nobody was promised,
    and damage in it is no damage.
    """
    folder = tmp_path_factory.mktemp("killed")
    child = start(folder / "d.db", folder / "acked", "--count", "80", "--stay")
    wait_until(lambda: "stays" in said(folder / "acked"))
    kill(child)
    assert (folder / "d.db.wal").stat().st_size > 50_000
    return folder


@pytest.fixture
def folder(killed: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(killed, tmp_path / "copy")
    return tmp_path / "copy"


def damage(file: Path, how: str, chance: random.Random) -> None:
    """Truncate a file, flip one byte of it, or put zeros at its end."""
    content = bytearray(file.read_bytes())
    if how == "truncated":
        content = content[: chance.randrange(len(content))]
    elif how == "flipped":
        content[chance.randrange(len(content))] ^= 0x41
    else:
        length = chance.randrange(1, min(5000, len(content)))
        content[-length:] = bytes(length)
    file.write_bytes(content)


@pytest.mark.parametrize("how", ["truncated", "flipped", "zeroed"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_damaged_write_ahead_log(folder: Path, how: str, seed: int) -> None:
    """Nothing acknowledged is lost: a prefix comes from the log, the rest from the journal; damage is kept aside."""
    damage(folder / "d.db.wal", how, random.Random(seed))
    verdict = verify(folder / "d.db", folder / "acked")
    assert verdict.clean, verdict
    if how != "truncated":
        assert list(folder.glob("d.db.wal.corrupt-*"))


@pytest.mark.parametrize("how", ["truncated", "flipped", "zeroed"])
def test_a_damaged_database_file(folder: Path, how: str) -> None:
    """The file is set aside whole, a new one is filled from the journal, and the account says so."""
    damage(folder / "d.db", how, random.Random(5))
    (folder / "d.db").write_bytes((folder / "d.db").read_bytes()[:100] if how == "truncated" else b"\0" * 9000)
    store = DuckDBStore(folder / "d.db")
    assert store.recovery.rebuilt
    assert store.recovery.damaged
    assert any("made anew" in sentence for sentence in store.recovery.sentences())
    assert store.recovery.quarantined
    store.close()
    verdict = verify(folder / "d.db", folder / "acked")
    assert verdict.clean, verdict


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_flipped_byte_anywhere_never_gives_wrong_values(killed: Path, tmp_path: Path) -> None:
    """A byte flipped in each 64 KiB of a checkpointed file: right rows, or a refusal and then a salvage."""
    whole = tmp_path / "whole"
    shutil.copytree(killed, whole)
    assert verify(whole / "d.db", whole / "acked").clean
    size = (whole / "d.db").stat().st_size
    chance = random.Random(11)
    for block in range(0, size, 65536):
        folder = tmp_path / f"at-{block}"
        shutil.copytree(whole, folder)
        with (folder / "d.db").open("r+b") as file:
            file.seek(min(size - 1, block + chance.randrange(65536)))
            byte = file.read(1)
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte[0] ^ 0x10]))
        for _ in range(2):
            try:
                store = DuckDBStore(folder / "d.db")
            except StoreUnavailable:
                continue
            try:
                rows = store.read("SELECT span_id, attributes FROM {span} AS s").to_pylist()
                assert all(f'"n":{int(row["span_id"], 16)}' in row["attributes"] for row in rows)
            except (StoreUnavailable, duckdb.Error):
                pass
            finally:
                store.close()
        shutil.rmtree(folder)


def test_damage_met_while_running_is_salvaged_at_the_next_start(folder: Path) -> None:
    """A block that fails its checksum is never answered from; the next opening copies what can be read."""
    assert verify(folder / "d.db", folder / "acked").clean
    (folder / "d.db.damaged").write_text("Corrupt database file", "utf-8")
    store = DuckDBStore(folder / "d.db")
    assert store.recovery.rebuilt
    assert store.recovery.lost_tables == []
    assert "call" in store.recovery.salvaged_tables
    store.close()
    assert not (folder / "d.db.damaged").exists()
    assert verify(folder / "d.db", folder / "acked").clean


def test_a_damaged_journal_costs_the_damaged_record_only(folder: Path) -> None:
    """Everything that the database holds already, and every readable record, is there."""
    [segment, *_] = sorted((folder / "d.db.journal").glob("*.ttj"))
    damage(segment, "flipped", random.Random(3))
    store = DuckDBStore(folder / "d.db")
    assert store.recovery.journal_damaged_bytes > 0
    assert any("journal are damaged" in sentence for sentence in store.recovery.sentences())
    store.close()
    assert verify(folder / "d.db", folder / "acked").doubled == []


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_file_that_goes_away_while_running(tmp_path: Path, how: str) -> None:
    """It is noticed, nothing more is taken, and the next start has what the journal kept."""
    path = tmp_path / "g.db"
    store = DuckDBStore(path)
    store.append(batch(1, 5))
    assert store.flush()
    other = tmp_path / "other.db"
    DuckDBStore(other).close()
    if how == "removed":
        path.unlink()
    else:
        other.rename(path)

    def refused() -> bool:
        try:
            store.append(batch(int(time.time_ns() % 10**6) + 10, 1))
        except StoreUnavailable as error:
            return "removed or replaced" in str(error)
        return False

    wait_until(refused)
    assert store.read("SELECT count(*) AS n FROM {span} AS s")["n"][0].as_py() >= 5
    store.close()
    again = DuckDBStore(path)
    assert again.traces([TraceKey("default", f"{1:032x}")])[0].spans
    again.close()


def test_another_database_is_left_alone(tmp_path: Path) -> None:
    """A DuckDB file that is not Telltale's is refused with a sentence and not touched."""
    path = tmp_path / "other.db"
    duckdb.connect(str(path)).execute("CREATE TABLE mine (a INTEGER)").close()
    before = path.read_bytes()
    with pytest.raises(StoreUnavailable, match="not one of Telltale's"):
        DuckDBStore(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", ["my notes " * 1000, "short"])
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, content: str) -> None:
    """Somebody's notes are neither opened nor moved: one sentence, nothing made beside them."""
    path = tmp_path / "notes.db"
    path.write_text(content)
    with pytest.raises(StoreUnavailable, match="is no DuckDB database, and nothing was changed"):
        DuckDBStore(path)
    assert path.read_text() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_database_without_its_head_is_still_repaired(folder: Path) -> None:
    """Even where the magic bytes are gone, the journal beside it shows whose file it is."""
    with (folder / "d.db").open("r+b") as file:
        file.write(bytes(4096))
    store = DuckDBStore(folder / "d.db")
    assert store.recovery.rebuilt
    store.close()
    assert verify(folder / "d.db", folder / "acked").clean
