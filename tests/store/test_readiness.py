"""What the store says of itself while it cannot do its work."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import duckdb
import pytest
import structlog
from making import span
from structlog.testing import capture_logs

from analytics.store import Batch
from collector.store import DuckDBStore, drain, stats, writer


def test_a_failure_that_lasts_is_logged_when_it_begins_and_ends(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk may be full for days: one line for each class of error, and one when rows get in again."""
    whole, broken = writer.write, threading.Event()

    def failing(*args: object, **more: object) -> object:
        if broken.is_set():
            raise duckdb.IOException("No space left on device")
        return whole(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(writer, "write", failing)
    with capture_logs() as said:
        monkeypatch.setattr(drain, "log", structlog.get_logger())
        store = DuckDBStore(path)
        broken.set()
        store.append(Batch([span(1)]))
        deadline = time.monotonic() + 60
        while store.drain.failures < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        broken.clear()
        assert store.flush()
        store.close()
    lines = [line for line in said if line["event"].startswith("store_writing")]
    assert [line["event"] for line in lines] == ["store_writing_failed", "store_writing_goes_on"]
    assert "No space left" in lines[0]["error"]
    assert lines[1]["failures"] >= 3


@pytest.mark.parametrize(
    ("error", "told"),
    [(duckdb.TransactionException, "File too large"), (duckdb.FatalException, "the database is being opened again")],
    ids=["the commit fails", "each time a new instance is opened, and fails"],
)
def test_rows_that_cannot_be_stored_for_long_make_the_service_not_ready(
    path: Path, monkeypatch: pytest.MonkeyPatch, error: type[duckdb.Error], told: str
) -> None:
    """Readiness and `damage` say why acknowledged rows stay out of the database, until they get in."""
    whole, broken = writer.write, threading.Event()

    def failing(cursor: object, days: object, pieces: list[object], *, look_again: bool) -> object:
        if broken.is_set():
            raise error("Failed to commit: Could not write file:\nFile too large")
        return whole(cursor, days, pieces, look_again=look_again)  # type: ignore[arg-type]

    monkeypatch.setattr(writer, "write", failing)
    store = DuckDBStore(path)
    broken.set()
    store.append(Batch([span(n) for n in range(5)]))
    deadline = time.monotonic() + 60
    while store.drain.failures < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert stats.why_not_taking(store) is None, "a moment is no reason"
    monkeypatch.setattr(stats, "_STUCK_S", 0.0)
    why = stats.why_not_taking(store)
    assert why is not None
    assert why.startswith("acknowledged rows cannot be taken into the database: ")
    assert why.endswith(told)
    assert "\n" not in why
    assert store.stats().damage == why
    broken.clear()
    assert store.flush()
    assert stats.why_not_taking(store) is None
    assert store.stats().damage is None
    store.close()
