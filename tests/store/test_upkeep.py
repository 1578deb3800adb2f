"""Retention, backup, restore, rescan: what an operator does to a store."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from making import DAY, START, span

from analytics.store import Batch, Scope, StoreUnavailable, TraceKey
from collector.store import DuckDBStore, Limits, Options
from collector.store.backup import BackupError, backup, restore
from collector.store.days import Days
from collector.store.history import History
from collector.store.relations import DayTable
from collector.store.rescan import rescan
from collector.store.retention import EXPIRED, Terms, apply
from telltale.redaction import RedactionConfig, Redactor


def key_of(trace: int) -> TraceKey:
    """The key of a trace of `making.span`."""
    return TraceKey("default", span(trace=trace).trace_id)


def count(store: DuckDBStore, project: str = "default") -> int:
    """Stored spans of a project."""
    store.flush()
    return int(store.read("SELECT count(*) AS n FROM {span} AS s", scope=Scope(project))["n"][0].as_py())


def seven_days(store: DuckDBStore, project: str = "default", rows: int = 50) -> None:
    """Rows received on seven days, the last of them day 6."""
    for day in range(7):
        made = [
            span(day * 1000 + n, trace=day * 100 + 1, project=project, received_ns=START + day * DAY)
            for n in range(rows)
        ]
        store.append(Batch(made))
    store.flush()


NOW = START + 6 * DAY + 1000


def test_whole_days_go_by_age_per_project(store: DuckDBStore) -> None:
    """A project's own terms count, others keep theirs; today is never dropped."""
    seven_days(store)
    seven_days(store, "kept")
    dropped = apply(store, {"default": Terms(span_days=2)}, Terms(), NOW)
    assert len(dropped.tables) == 4
    assert (count(store), count(store, "kept")) == (150, 350)
    assert apply(store, {"default": Terms(span_days=2)}, Terms(), NOW).tables == []
    assert apply(store, {}, Terms(span_days=0), NOW).tables
    assert count(store) == 50


def test_the_oldest_days_go_by_size(store: DuckDBStore) -> None:
    """Days go, oldest first, until the project's spans are within their bound."""
    seven_days(store, rows=2000)
    store.checkpoint()
    total = sum(store.day_sizes().values())
    dropped = apply(store, {}, Terms(max_bytes=total // 2), NOW)
    assert 2 <= len(dropped.tables) <= 5
    assert dropped.tables == sorted(dropped.tables)
    left = [row["d"] for row in store.read("SELECT DISTINCT received_ns AS d FROM {span} AS s ORDER BY 1").to_pylist()]
    assert left[-1] == START + 6 * DAY


def test_dropped_rows_are_gone_from_memory_too(store: DuckDBStore) -> None:
    """What retention dropped is not answered from what memory remembers."""
    seven_days(store)
    trace = TraceKey("default", span(trace=1).trace_id)
    assert store.traces([trace])[0].spans
    apply(store, {}, Terms(span_days=2), NOW)
    assert store.traces([trace])[0].spans == []


def a_call(store: DuckDBStore, received: int) -> None:
    """One verdict with a payload, without regard to the judge."""
    columns = store.read(
        "SELECT column_name AS name, data_type AS type, is_nullable AS empty FROM duckdb_columns()"
        " WHERE table_name = 'call' ORDER BY column_index"
    ).to_pylist()
    blank = {"VARCHAR": "x", "VARCHAR[]": [], "BIGINT": received, "DOUBLE": 0.0, "BOOLEAN": False, "INTEGER": 1}
    row = {c["name"]: blank.get(c["type"], 0) for c in columns} | {"project": "default"}
    with store.write() as transaction:
        transaction.insert("call", pa.Table.from_pylist([row]))


def test_payloads_go_before_verdicts(store: DuckDBStore) -> None:
    """First the captured texts, later the verdict itself."""
    store.append(Batch([span(1)]))
    store.flush()
    for age in (1, 10, 40):
        a_call(store, NOW - age * DAY)
    terms = Terms(payload_days=7, verdict_days=30)
    dropped = apply(store, {}, terms, NOW)
    assert (dropped.payloads, dropped.calls) == (2, 1)
    rows = store.read("SELECT result, arguments, outcome FROM call ORDER BY started_ns").to_pylist()
    assert rows == [
        {"result": None, "arguments": None, "outcome": "x"},
        {"result": "x", "arguments": "x", "outcome": "x"},
    ]
    assert apply(store, {}, terms, NOW).payloads == 0


def test_texts_in_the_evidence_go_with_the_payloads(store: DuckDBStore) -> None:
    """An error's words stand in the evidence too; what is nobody's text stays, and a second round has no work."""
    store.append(Batch([span(1)]))
    store.flush()
    a_call(store, NOW - 10 * DAY)
    evidence = [
        {"rule": "a", "key": "error", "value": 'the password "swordfish"'},
        {"rule": "b", "mark": "event.exception", "value": {"message": "swordfish"}},
        {"rule": "c", "key": "status", "value": 503},
        {"rule": "d", "span_id": "ab", "value": "http 503"},
    ]
    with store.write() as transaction:
        transaction.execute(
            "UPDATE call SET arguments = NULL, result = NULL, error_message = NULL, evidence = $evidence",
            {"evidence": json.dumps(evidence)},
        )

    assert apply(store, {}, Terms(payload_days=7), NOW).payloads == 1

    [row] = store.read("SELECT evidence FROM call").to_pylist()
    assert "swordfish" not in row["evidence"]
    assert [each["value"] for each in json.loads(row["evidence"])] == [EXPIRED, EXPIRED, 503, "http 503"]
    assert apply(store, {}, Terms(payload_days=7), NOW).payloads == 0


def test_retention_during_ingest_and_questions(path: Path) -> None:
    """Dropping days while batches come in and questions are asked disturbs neither."""
    store = DuckDBStore(path)
    seven_days(store, rows=500)
    errors: list[BaseException] = []
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            try:
                store.read("SELECT count(*) FROM {span} AS s", scope=Scope("default"))
            except BaseException as error:
                errors.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    slowest = 0.0
    for n in range(40):
        started = time.perf_counter()
        store.append(Batch([span(10_000 + n * 100 + i, trace=1000 + n, received_ns=NOW) for i in range(100)]))
        slowest = max(slowest, time.perf_counter() - started)
        if n % 10 == 5:
            apply(store, {}, Terms(span_days=6 - n // 10), NOW)
    stop.set()
    asking.join()
    assert errors == []
    assert count(store) == 4 * 500 + 4000
    print(f"slowest append while days were dropped: {slowest * 1000:.0f} ms")
    store.close()


def restarted_with_days(path: Path) -> DuckDBStore:
    """A store whose rows are in the day tables only: two days of one trace, and another trace on the last day."""
    store = DuckDBStore(path)
    store.append(Batch([span(n, trace=1, received_ns=START + n * DAY) for n in range(2)]))
    store.append(Batch([span(2, trace=2, received_ns=START + DAY)]))
    store.close()
    return DuckDBStore(path)


READERS: dict[str, tuple[Callable[[DuckDBStore], Any], Any]] = {
    "rows of a trace": (lambda store: [s.attributes["n"] for s in store.traces([key_of(1)])[0].spans], [1]),
    "arrivals": (lambda store: list(store.arrivals(0).traces), [key_of(1), key_of(2)]),
    "whether rows are known": (
        lambda store: store.append(Batch([span(n, trace=1, received_ns=START + DAY) for n in (0, 1)])).duplicates,
        1,
    ),
    "hashes of traces": (lambda store: len(History(store.engine, store._days).hashes(0) or ()), 2),
    "a question": (count, 2),
}
"""What reads day tables, and what it answers once the first day is gone."""


@pytest.mark.parametrize("reader", READERS)
def test_a_day_dropped_between_the_naming_and_the_reading_has_no_rows(
    path: Path, reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Retention may win against any reader: what is left is the answer, not an error."""
    store = restarted_with_days(path)
    named, dropped = Days.all, []

    def all_then_drop(days: Days) -> list[DayTable]:
        tables = named(days)
        if not dropped:
            dropped.append(tables[0].name)
            store.drop_days(dropped)
        return tables

    monkeypatch.setattr(Days, "all", all_then_drop)
    read, answer = READERS[reader]
    assert read(store) == answer
    assert dropped
    store.close()


def test_a_question_for_a_table_that_never_was_fails(store: DuckDBStore) -> None:
    """Asking again is for what retention dropped; a wrong name is told at once."""
    with pytest.raises(duckdb.CatalogException):
        store.read("SELECT count(*) FROM {span} AS s, no_such_table")


def with_folder(tmp_path: Path) -> Options:
    """Options with a backup folder."""
    folder = tmp_path / "it's backups"  # made by the first backup
    return Options(limits=Limits(backup_folder=folder))


def sums(store: DuckDBStore) -> list[dict[str, object]]:
    """Rows and checksum of the spans."""
    store.flush()
    return store.read("SELECT count(*) AS n, bit_xor(hash(s)) AS sum FROM {span} AS s").to_pylist()


def test_a_backup_of_a_live_store_is_whole(path: Path, tmp_path: Path) -> None:
    """Made while batches come in; restored elsewhere it has equal counts and checksums, journal and all."""
    store = DuckDBStore(path, with_folder(tmp_path))
    seven_days(store)
    before = sums(store)
    done = backup(store)
    store.append(Batch([span(99_999)]))
    assert [p.name for p in done.path.parent.iterdir()] == [done.path.name]
    assert done.path.stat().st_mode & 0o077 == 0
    assert sums(store) != before
    store.close()
    elsewhere = tmp_path / "elsewhere" / "r.db"
    elsewhere.parent.mkdir()
    assert restore(done.path, elsewhere) == []
    restored = DuckDBStore(elsewhere)
    assert sums(restored) == before
    assert restored.append(Batch([span(1), span(5000)])).last_seq > 0
    restored.close()


def test_restoring_over_a_file_keeps_it(path: Path, tmp_path: Path) -> None:
    """Only with the explicit word, and what was there stays, with its journal."""
    store = DuckDBStore(path, with_folder(tmp_path))
    store.append(Batch([span(1)]))
    copy = backup(store).path
    store.append(Batch([span(2)]))
    store.close()
    with pytest.raises(BackupError, match="--replace"):
        restore(copy, path)
    kept = restore(copy, path, replace=True)
    assert [p.name.split(".before")[0] for p in kept] == [path.name]
    store = DuckDBStore(path)
    assert count(store) == 1
    with pytest.raises(BackupError, match="in use"):
        restore(copy, path, replace=True)
    store.close()


def test_backups_go_to_the_configured_folder_only(store: DuckDBStore) -> None:
    """Without one there is none."""
    with pytest.raises(BackupError, match="no backup folder"):
        backup(store)


def test_a_foreign_file_is_no_backup(tmp_path: Path) -> None:
    """Restoring something else is refused before anything is moved."""
    (tmp_path / "x.db").write_text("text")
    for source in (tmp_path / "x.db", tmp_path / "none.db"):
        with pytest.raises(BackupError):
            restore(source, tmp_path / "to.db")
    assert not (tmp_path / "to.db").exists()


SECRET = "gh" + "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_a_rescan_masks_old_rows_in_the_file_itself(path: Path) -> None:
    """First reported, then masked; not a byte of the secret is left in the folder."""
    store = DuckDBStore(path)
    made = [span(n, attributes={"gen_ai.tool.call.result": f"token {SECRET} {n}"}) for n in range(50)]
    store.append(Batch([*made, span(1000)]))
    store.close()
    redactor = Redactor(RedactionConfig(key=b"k"))
    report = rescan(path, redactor, dry_run=True)
    assert (report.rows, report.changed, report.kinds) == (51, 50, {"github_token": 50})
    assert SECRET.encode() in path.read_bytes()
    assert rescan(path, redactor).changed == 50
    assert not any(SECRET.encode() in file.read_bytes() for file in path.parent.rglob("*") if file.is_file())
    store = DuckDBStore(path)
    assert count(store) == 51
    assert rescan_is_done(store)
    store.close()


def rescan_is_done(store: DuckDBStore) -> bool:
    """Marks stand where the secrets stood."""
    rows = store.read("SELECT attributes FROM {span} AS s WHERE attributes LIKE '%REDACTED:github_token%'")
    return rows.num_rows == 50


def test_a_question_that_takes_too_long_is_stopped(path: Path) -> None:
    """A runaway question ends as unavailable; the store goes on."""
    store = DuckDBStore(path, Options(read_timeout_s=0.5))
    with pytest.raises(StoreUnavailable, match="too long"):
        store.read("SELECT count(*) FROM range(100000000) a, range(1000000) b WHERE a.range % 7 = b.range % 11")
    store.append(Batch([span(1)]))
    assert count(store) == 1
    store.close()
