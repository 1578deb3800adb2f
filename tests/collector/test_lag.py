"""How far the judge is behind, as a process finds it that was just started."""

from __future__ import annotations

import time
from pathlib import Path

from analytics.jobs import JudgeJob
from analytics.store import Batch
from collector.lag import JudgeLag
from collector.store import DuckDBStore
from tests.api.scene import scene


def test_what_an_earlier_process_left_is_lag_until_it_is_judged(tmp_path: Path) -> None:
    """Stored and not judged before a restart: as old as its oldest row, and nothing once the judge is through."""
    store = DuckDBStore(tmp_path / "telltale.db")
    store.append(scene(time.time_ns()))
    store.close()
    store = DuckDBStore(tmp_path / "telltale.db")
    job, lag = JudgeJob(store, pause_s=0), JudgeLag()
    oldest = store.read("SELECT min(received_ns) AS at FROM {span} AS s")["at"][0].as_py() / 1e9
    lag.recall(store, job.watermark, time.time_ns())
    assert abs(lag.seconds(job.covered, oldest + 60) - 60) < 0.001
    job.drain()
    assert lag.seconds(job.covered, oldest + 60) == 0.0
    fresh = JudgeLag()
    fresh.recall(store, job.watermark, time.time_ns())
    assert fresh.seconds(0, oldest + 60) == 0.0
    store.close()


def test_an_empty_store_has_no_lag(tmp_path: Path) -> None:
    """Nothing is stored, nothing waits."""
    store = DuckDBStore(tmp_path / "telltale.db")
    store.append(Batch())
    lag = JudgeLag()
    lag.recall(store, 0, time.time_ns())
    assert lag.seconds(0, time.time()) == 0.0
    store.close()
