"""What the store says of itself while it cannot do its work."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import duckdb
import pytest
from making import span

from analytics.store import Batch
from collector.store import DuckDBStore, stats, writer


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
