"""Traces are whole wherever their rows are: in memory, on their way, in the database, before a restart."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest
from making import START, span

from analytics.spans import LogRecord
from analytics.store import Batch, TraceKey
from collector.store import DuckDBStore, Options, writer
from collector.store.seen import CHUNK_BITS, Seen, trace_hash

TINY = Options(recent_bytes=20_000)


def key(trace: int) -> TraceKey:
    """The key of a trace of `making.span`."""
    return TraceKey("default", span(trace=trace).trace_id)


def numbers(store: DuckDBStore, trace: int) -> list[int]:
    """What the store says a trace holds."""
    return [s.attributes["n"] for s in store.traces([key(trace)])[0].spans]


@pytest.mark.parametrize("options", [Options(), TINY], ids=["all in memory", "nearly nothing in memory"])
def test_late_and_shuffled_rows_make_the_same_traces(path: Path, options: Options) -> None:
    """Children before parents, duplicates, restarts in between: at the end each trace has each row once."""
    chance = random.Random(4)
    sent = [(trace, trace * 100 + n) for trace in range(1, 40) for n in range(10)]
    chance.shuffle(sent)
    store = DuckDBStore(path, options)
    for start in range(0, len(sent), 30):
        part = sent[start : start + 30] + chance.sample(sent[: start + 1], min(5, start + 1))
        store.append(Batch([span(number, trace) for trace, number in part]))
        if start == 150:
            store.close()
            store = DuckDBStore(path, options)
        trace = part[0][0]
        assert sorted(numbers(store, trace)) == sorted(n for t, n in sent[: start + 30] if t == trace)
    for trace in range(1, 40):
        assert sorted(numbers(store, trace)) == [trace * 100 + n for n in range(10)]
    assert store.flush()
    assert store.read("SELECT count(*) AS n FROM {span} AS s").to_pylist() == [{"n": 390}]
    store.close()


def test_a_row_sent_again_long_after_is_kept_once(path: Path) -> None:
    """Days later, after restarts, and when memory forgot it: the receipt tells it and nothing is stored twice."""
    store = DuckDBStore(path)
    store.append(Batch([span(1, received_ns=START)]))
    store.close()
    for days in (1, 20):
        store = DuckDBStore(path)
        again = span(1, received_ns=START + days * 86_400_000_000_000)
        assert store.append(Batch([again, span(days + 100)])).duplicates == 1
        store.flush()
        assert store.read(
            "SELECT count(*) AS n FROM {span} AS s WHERE span_id = $id", {"id": again.span_id}
        ).to_pylist() == [{"n": 1}]
        store.close()


def rows_of(store: DuckDBStore, kind: str) -> int:
    """How many rows the database holds."""
    assert store.flush()
    [row] = store.read(f"SELECT count(*) AS n FROM {{{kind}}} AS s").to_pylist()
    return int(row["n"])


def test_only_doubtful_rows_are_looked_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of new traces cost no search in the database; rows of a trace that left memory do."""
    asked: list[int] = []
    look = writer.stored_keys

    def counting(cursor: Any, tables: Any, keys: Any, times: Any) -> Any:
        asked.append(len(keys))
        return look(cursor, tables, keys, times)

    monkeypatch.setattr(writer, "stored_keys", counting)
    store = DuckDBStore(path)
    store.append(Batch([span(n, trace=1 + n % 5) for n in range(50)]))
    store.append(Batch([span(n, trace=1 + n % 5) for n in range(40, 60)]))
    assert (rows_of(store, "span"), asked) == (60, [])
    store.close()
    store = DuckDBStore(path)
    store.append(Batch([span(3, trace=4), span(71, trace=4), span(72, trace=99)]))
    assert rows_of(store, "span") == 62
    assert asked
    assert sum(asked) <= 3
    store.close()


def test_a_log_without_a_trace_is_kept_once(path: Path) -> None:
    """Memory does not know such rows: the database is always asked."""
    store = DuckDBStore(path)
    for _ in range(3):
        store.append(Batch([], [LogRecord("", "", "other", START, body="x")]))
        assert rows_of(store, "log") == 1
    store.close()


@pytest.mark.parametrize("how", ["forgotten at the opening", "pushed out"])
def test_what_memory_cannot_vouch_for_is_looked_for(path: Path, how: str) -> None:
    """Where fingerprints had to go, a row sent again is still found by its content."""
    store = DuckDBStore(path, TINY)
    store.append(Batch([span(n, trace=n) for n in range(1, 60)]))
    assert rows_of(store, "span") == 59
    assert not store.front.seen.forgetful
    store.front.seen = Seen(0, most_prints=1)
    if how == "pushed out":
        for n in range(3):
            store.front.seen.add([n], (n << CHUNK_BITS) + 1, (n + 1) << CHUNK_BITS)
    else:
        store.front.seen.forget(range(2))
    assert store.front.seen.forgetful
    store.append(Batch([span(1, trace=1)]))
    assert rows_of(store, "span") == 59
    store.close()


def test_after_an_uncertain_commit_every_row_is_looked_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit that is reported as failed and was not: trying again doubles nothing."""
    store = DuckDBStore(path)
    write, failed = store.drain._write, []

    def unlucky(pieces: Any) -> None:
        write(pieces)
        if not failed:
            failed.append(True)
            store.drain._look_again = True  # as it is while the outcome of a transaction is not known
            raise duckdb.Error("the commit failed, it says")

    monkeypatch.setattr(store.drain, "_write", unlucky)
    store.append(Batch([span(n) for n in range(5)]))
    assert rows_of(store, "span") == 5
    assert failed
    store.close()


def test_arrivals_reach_back_before_a_restart(path: Path) -> None:
    """A judge that was behind finds what it missed, in pages, and every trace of it."""
    store = DuckDBStore(path)
    for n in range(20):
        store.append(Batch([span(n, trace=n + 1)]))
    store.close()
    store = DuckDBStore(path)
    store.append(Batch([span(99, trace=77)]))
    seen, after = [], 5
    while (page := store.arrivals(after, limit=4)).traces:
        assert len(page.traces) <= 4
        seen += [k.trace_id for k in page.traces]
        after = page.up_to
    assert seen == [span(trace=n + 1).trace_id for n in range(5, 20)] + [span(trace=77).trace_id]
    store.close()


def test_arrivals_that_left_memory_are_asked_of_the_database() -> None:
    """Old arrivals leave in order, never those that the database does not hold; what is left answers as before."""
    from collector.store.arrivals import ArrivalLog

    log = ArrivalLog(0, most=10)
    for n in range(1, 100):
        log.add([(n, "default", f"{n:032x}")], stored_seq=min(n, 60))
    assert 50 <= log.known_from_seq <= 60
    keys, reached = log.after(95, limit=2)
    assert ([k.trace_id for k in keys], reached) == ([f"{96:032x}", f"{97:032x}"], 97)
    assert log.after(97, limit=2) == ([TraceKey("default", f"{98:032x}"), TraceKey("default", f"{99:032x}")], None)


def test_logs_travel_with_their_trace(path: Path) -> None:
    """Log records count as arrivals of their trace; those without one are stored and asked for, no more."""
    store = DuckDBStore(path, TINY)
    trace = span(trace=3).trace_id
    log = LogRecord(trace, "", "gen_ai.choice", START, body={"a": 1})
    lone = LogRecord("", "", "other", START, body="x")
    store.append(Batch([span(1, trace=3)], [log, lone]))
    assert [k.trace_id for k in store.arrivals(0).traces] == [trace]
    store.close()
    store = DuckDBStore(path)
    assert store.traces([key(3)])[0].logs == [log]
    assert store.read("SELECT count(*) AS n FROM {log} AS l").to_pylist() == [{"n": 2}]
    store.close()


def test_a_filter_never_denies_what_it_was_told() -> None:
    """No false "not here" over many chunks, some of them unknown at first; few false "perhaps"."""
    chance = random.Random(1)
    ids = [f"{chance.getrandbits(128):032x}" for _ in range(6000)]
    size = 1 << CHUNK_BITS
    seen = Seen(last_seq=size - 1)
    assert seen.unknown() == [1, 0] or seen.unknown() == [0, 1]
    for part in range(6):
        first = size + part * size // 2
        seen.add([trace_hash(t) for t in ids[part * 1000 : part * 1000 + 1000]], first, first + size // 2 - 1)
    assert all(seen.places(t) for t in ids)
    seen.fill(0, [])
    seen.fill(1, [])
    for part in range(6):
        chunk = (size + part * size // 2) >> CHUNK_BITS
        for t in ids[part * 1000 : part * 1000 + 1000]:
            assert any(low >> CHUNK_BITS <= chunk <= high >> CHUNK_BITS for low, high in seen.places(t))
    strangers = [f"{chance.getrandbits(128):032x}" for _ in range(3000)]
    assert sum(bool(seen.places(t)) for t in strangers) < 5


@pytest.mark.parametrize("ids", ["random", "first half only"])
def test_an_opened_store_learns_what_lies_where(path: Path, ids: str) -> None:
    """Soon after the opening new traces are known to be new, and old ones are found."""
    store = DuckDBStore(path)
    made = [span(n, trace=n) for n in range(1, 200)]
    for row in made:
        row.trace_id = row.trace_id if ids == "random" else row.trace_id[:16] + "0" * 16
    store.append(Batch(made))
    store.close()
    store = DuckDBStore(path)
    deadline = time.monotonic() + 60
    while store.front.seen.unknown():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert store.front.seen.places(span(trace=5000).trace_id) == []
    assert all(store.front.seen.places(row.trace_id) for row in made)
    assert [len(t.spans) for t in store.traces([TraceKey("default", row.trace_id) for row in made])] == [1] * len(made)
    store.close()


@pytest.mark.parametrize("grows", [False, True], ids=["the trace rests", "the trace grows meanwhile"])
def test_a_trace_stays_whole_when_memory_lets_go_of_it_while_it_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch, grows: bool
) -> None:
    """Half of it is in the database, half in memory, and memory drops its half before both are put together."""
    store = DuckDBStore(path, TINY)
    store.append(Batch([span(1, trace=1), span(2, trace=1)]))
    crowd(store, 1000)
    store.append(Batch([span(3, trace=1), span(4, trace=1)]))
    read = store._history.rows

    def read_slowly(wanted: dict[TraceKey, list[tuple[int, int]]]) -> dict[TraceKey, list[tuple[int, Any]]]:
        rows = read(wanted)
        crowd(store, 2000)
        if grows:
            store.append(Batch([span(5, trace=1)]))
        return rows

    monkeypatch.setattr(store._history, "rows", read_slowly)
    found = numbers(store, 1)
    monkeypatch.undo()

    assert set(found) - {5} == {1, 2, 3, 4}
    assert numbers(store, 1) == [1, 2, 3, 4, *([5] if grows else [])]
    store.close()


def crowd(store: DuckDBStore, first: int) -> None:
    """Enough other traces, all in the database, that memory holds none of the earlier ones."""
    store.append(Batch([span(first + n, trace=first + n) for n in range(200)]))
    assert store.flush()
