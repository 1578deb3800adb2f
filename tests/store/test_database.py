"""The database under the store: refusals, failed commits, dead instances, damaged records, a second process."""

from __future__ import annotations

import os
import time
from pathlib import Path

import duckdb
import pytest
from making import START, span

from analytics.spans import LogRecord
from analytics.store import Batch, StoreUnavailable, TraceKey
from collector.store import DuckDBStore, Limits, Options, writer

TINY = Options(recent_bytes=20_000)


def key(trace: int) -> TraceKey:
    """The key of a trace of `making.span`."""
    return TraceKey("default", span(trace=trace).trace_id)


def numbers(store: DuckDBStore, trace: int) -> list[int]:
    """What the store says a trace holds."""
    return [s.attributes["n"] for s in store.traces([key(trace)])[0].spans]


def test_a_closed_store_takes_nothing(path: Path) -> None:
    """After `close`, appending says so; closing again does nothing."""
    store = DuckDBStore(path)
    store.close()
    store.close()
    with pytest.raises(StoreUnavailable):
        store.append(Batch([span(1)]))


def test_a_quiet_store_lets_the_journal_go(path: Path) -> None:
    """After a checkpoint the journal is empty, after closing its folder is gone and no log is left."""
    store = DuckDBStore(path)
    store.append(Batch([span(n) for n in range(100)]))
    assert store.flush()
    store.checkpoint()
    stats = store.stats()
    assert (stats.checkpoints, stats.journal_bytes, stats.backlog_rows, stats.failures) == (1, 0, 0, 0)
    store.close()
    assert sorted(p.name for p in path.parent.iterdir()) == [path.name]


def test_rows_that_the_database_refuses_are_kept_in_a_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A piece that cannot be inserted for good does not stop the others, and is not lost."""
    whole = writer.write

    def refusing(cursor: object, days: object, pieces: list[object], *, look_again: bool) -> object:
        if any("poison" in piece.rows["name"].to_pylist() for piece in pieces):  # type: ignore[attr-defined]
            raise duckdb.ConversionException("no")
        return whole(cursor, days, pieces, look_again=look_again)  # type: ignore[arg-type]

    monkeypatch.setattr(writer, "write", refusing)
    store = DuckDBStore(path)
    for name in ("a", "poison", "b"):
        store.append(Batch([span(len(name), name=name)]))
    assert store.flush()
    assert [r["name"] for r in store.read("SELECT name FROM {span} AS s ORDER BY seq").to_pylist()] == ["a", "b"]
    assert store.stats().rejected_rows == 1
    store.close()
    assert len(list(Path(f"{path}.journal").glob("rejected-*.arrow"))) == 1


def test_a_commit_that_cannot_be_written_is_tried_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk shows as a failed commit: rows wait, none is put aside as refused."""
    whole, failures = writer.write, []

    def failing(cursor: object, days: object, pieces: list[object], *, look_again: bool) -> object:
        if len(failures) < 3:
            failures.append(1)
            raise duckdb.TransactionException("Failed to commit: Could not write file: No space left on device")
        return whole(cursor, days, pieces, look_again=look_again)  # type: ignore[arg-type]

    monkeypatch.setattr(writer, "write", failing)
    store = DuckDBStore(path)
    store.append(Batch([span(n) for n in range(5)]))
    assert store.flush()
    stats = store.stats()
    assert (stats.failures, stats.rejected_rows, stats.written_rows) == (3, 0, 5)
    store.close()


def test_the_journal_goes_when_duckdb_checkpoints_by_itself(path: Path) -> None:
    """Whoever took the log into the file, segments that it covers are deleted."""
    store = DuckDBStore(path, Options(limits=Limits(checkpoint_threshold="10KB"), segment_bytes=20_000))
    for n in range(40):
        store.append(Batch([span(n * 100 + i) for i in range(100)]))
        assert store.flush()
    written = store.stats().last_seq
    deadline = time.monotonic() + 60
    while store.stats().journal_bytes > 200_000 and time.monotonic() < deadline:
        store.append(Batch([span(900_000 + n) for n in range(100)]))
        time.sleep(0.05)
    assert written == 4000
    assert store.stats().journal_bytes <= 200_000
    store.close()


def test_a_dead_instance_is_opened_again_in_this_process(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After DuckDB gives up its instance, questions fail for a moment, and nothing is lost or doubled."""
    whole, deaths = writer.write, []

    def dying(cursor: object, days: object, pieces: list[object], *, look_again: bool) -> object:
        written = whole(cursor, days, pieces, look_again=look_again)  # type: ignore[arg-type]
        if not deaths:
            deaths.append(1)
            raise duckdb.FatalException("FATAL Error: database has been invalidated because of a previous fatal error")
        return written

    monkeypatch.setattr(writer, "write", dying)
    store = DuckDBStore(path)
    store.append(Batch([span(n) for n in range(10)]))
    assert store.flush()
    assert store.read("SELECT count(*) AS n FROM {span} AS s").to_pylist() == [{"n": 10}]
    assert store.stats().reopened == 1
    store.close()


def test_a_commit_that_only_failed_to_checkpoint_is_a_success(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB's words for it; a retry would double the batch."""
    store = DuckDBStore(path)
    from collector.store import engine

    monkeypatch.setattr(engine.Engine, "_is_deadly", lambda self, error: False)
    text = "FATAL Error: COMMIT succeeded and is durable, but the autocheckpoint failed"
    with store.write() as transaction:
        transaction.execute("INSERT INTO job_state VALUES ('judge', 5)")
        transaction.execute("COMMIT")
        monkeypatch.setattr(
            type(transaction), "execute", lambda *_a: (_ for _ in ()).throw(duckdb.FatalException(text))
        )
        transaction.execute("anything")
    monkeypatch.undo()
    assert store.read("SELECT value FROM job_state WHERE name = 'judge'").to_pylist() == [{"value": 5}]
    store.close()


def test_what_the_journal_holds_is_taken_in_at_the_next_opening(path: Path, tmp_path: Path) -> None:
    """Files as a kill would leave them, with rows that only the journal has: all there, once, in order."""
    import shutil

    store = DuckDBStore(path)
    store.append(Batch([span(1)]))
    assert store.flush()
    with store.drain.writing:
        for n in range(2, 30):
            store.append(Batch([span(n, trace=n)], [LogRecord(span(trace=n).trace_id, "", "e", START + n)]))
        shutil.copytree(path.parent, tmp_path / "copy")
    store.close()
    again = DuckDBStore(tmp_path / "copy" / path.name)
    assert again.recovery.unclean
    assert again.recovery.journal_rows == 56
    assert not again.recovery.damaged
    assert again.recovery.sentences() == ["56 acknowledged rows came from the journal."]
    assert [len(again.traces([key(n)])[0].logs) for n in range(2, 30)] == [1] * 28
    assert again.read("SELECT count(*) AS n FROM {span} AS s").to_pylist() == [{"n": 29}]
    assert len(again.arrivals(1).traces) == 28
    again.close()


@pytest.mark.parametrize("left", [0, 1], ids=["emptied", "cut to its first record"])
def test_a_journal_that_was_cut_from_outside_is_told(path: Path, tmp_path: Path, left: int) -> None:
    """What it held beyond what the database has is gone: nobody knows how much, and that is said."""
    import shutil

    store = DuckDBStore(path)
    sizes = []
    with store.drain.writing:
        for n in range(1, 4):
            store.append(Batch([span(n, trace=n)]))
            sizes.append(store.journal.size)
    assert store.flush()
    with store.drain.writing:
        store.append(Batch([span(9, trace=9)]))
        shutil.copytree(path.parent, tmp_path / "copy")
    store.close()
    [segment] = (tmp_path / "copy").rglob("*.ttj")
    os.truncate(segment, sizes[left - 1] if left else 0)
    again = DuckDBStore(tmp_path / "copy" / path.name)
    assert again.recovery.damaged
    assert any("may be lost" in sentence for sentence in again.recovery.sentences())
    again.close()


def test_an_unreadable_record_is_kept(path: Path) -> None:
    """A record whose checksum is right and whose content is not costs itself only, and is put aside."""
    from collector.journal import Journal, Record

    journal = Journal(Path(f"{path}.journal"))
    journal.append([Record(1, 1, 5, b"not arrow at all" * 10), Record(99, 6, 5, b"of a newer release")])
    journal.close()
    store = DuckDBStore(path)
    assert len(store.recovery.quarantined) == 2
    assert store.append(Batch([span(1)])).last_seq == 11
    store.close()
    assert len(list(Path(f"{path}.journal").glob("unreadable-*"))) == 2


def test_odd_values_do_not_stop_the_others(path: Path) -> None:
    """Half a surrogate, numbers that fit no column, NUL: kept as near as can be, and the rest as it is."""
    odd = span(1, name="half \ud800", attributes={"a\0b": "x\0\ud800", "n": 1, "f": float("nan")}, flags=2**40, kind=-1)
    store = DuckDBStore(path)
    store.append(Batch([odd, span(2, dropped_events=2**70)], [LogRecord("", "", "e", 2**70, severity=2**40)]))
    assert store.flush()
    rows = store.read("SELECT name, flags, json_valid(attributes) AS ok, dropped_events FROM {span} AS s ORDER BY seq")
    assert [row["ok"] for row in rows.to_pylist()] == [True, True]
    assert rows["flags"][0].as_py() == 2**32 - 1
    assert rows["dropped_events"][1].as_py() == 2**32 - 1
    assert store.read("SELECT count(*) AS n FROM {log} AS l").to_pylist() == [{"n": 1}]
    store.close()


def test_one_process_opens_a_file_once(path: Path) -> None:
    """A second store in the same process is refused like one in another."""
    store = DuckDBStore(path)
    with pytest.raises(StoreUnavailable, match="this process"):
        DuckDBStore(path)
    store.close()
    DuckDBStore(path).close()


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A folder in place of the file, a file in place of the folder: a sentence, not a trace."""
    (tmp_path / "file").write_text("x")
    for place in (tmp_path, tmp_path / "file" / "t.db"):
        with pytest.raises(StoreUnavailable):
            DuckDBStore(place)
