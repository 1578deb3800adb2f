"""Days come and days go (fault 43): the file levels off near what it holds, and appends never wait long for a drop."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from analytics.spans import Span
from analytics.store import Batch
from collector.store import DuckDBStore, Limits, Options
from collector.store.backup import backup
from collector.store.retention import Terms, apply

DAY_NS = 86_400 * 10**9
NOW = 1_764_500_000_000_000_000
KEPT_DAYS, ROWS_A_BATCH = 3, 500
PLATEAU = 2.5
"""Size of the file, at most, as a multiple of a fresh copy of what is in it."""
WAIT_BAR_S = 2.0


def batch(day: int, number: int, chance: random.Random) -> Batch:
    """Spans received on a day, with results that do not compress to nothing."""
    at = NOW + day * DAY_NS
    spans = []
    for row in range(ROWS_A_BATCH):
        result = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz ", k=300))
        ids = f"{day * 10**6 + number * 1000 + row:016x}"
        span = Span(ids * 2, ids, "", "execute_tool search", 1, at, at + 500, attributes={"result": result})
        span.received_ns = at
        spans.append(span)
    return Batch(spans)


def churn(folder: Path, days: int, batches: int) -> tuple[float, float]:
    """Fill day after day under retention; returns the file's size by that of a copy, and the 99th longest append."""
    copies = folder / "copies"
    copies.mkdir()
    store = DuckDBStore(folder / "p.db", Options(limits=Limits(backup_folder=copies)))
    chance, waits, sizes = random.Random(43), [], []
    try:
        for day in range(days):
            for number in range(batches):
                started = time.monotonic()
                store.append(batch(day, number, chance))
                waits.append(time.monotonic() - started)
                if number == batches // 2:  # in the middle of the day's load
                    apply(store, {}, Terms(span_days=KEPT_DAYS - 1), NOW + day * DAY_NS)
            assert store.flush()
            store.checkpoint()
            sizes.append((folder / "p.db").stat().st_size)
        assert len(store.day_tables()) == KEPT_DAYS
        whole = backup(store).path.stat().st_size
    finally:
        store.close()
    print(f"  {days} days: file {[round(size / 1e6) for size in sizes]} MB, a copy of it {whole / 1e6:.0f} MB", end="")
    return sizes[-1] / whole, sorted(waits)[int(len(waits) * 0.99)]


def check(ratio: float, wait: float) -> None:
    print(f", {ratio:.2f} times (bar {PLATEAU}); append p99 {wait * 1000:.0f} ms (bar {WAIT_BAR_S:.0f} s)")
    assert ratio < PLATEAU
    assert wait < 5 * WAIT_BAR_S


@pytest.mark.timeout(300)
def test_the_file_levels_off(tmp_path: Path) -> None:
    """Eight small days, three kept."""
    check(*churn(tmp_path, 8, 6))


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_file_levels_off_over_a_month(tmp_path: Path) -> None:
    """Thirty days, three kept."""
    check(*churn(tmp_path, 30, 30))
