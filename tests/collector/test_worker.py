"""A worker that fails says so when it begins and when it is over, not each time between."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs

from analytics.store import StoreUnavailable
from collector import worker
from collector.worker import Failing, Worker

Said = list[MutableMapping[str, Any]]


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Iterator[Said]:
    """What is logged; with a logger of its own, since another test's service may have bound the module's."""
    with capture_logs() as lines:
        monkeypatch.setattr(worker, "log", structlog.get_logger())
        yield lines


def _raised(error: Exception, failing: Failing) -> None:
    try:
        raise error
    except Exception as caught:
        failing.again(caught)


def test_a_full_disk_is_one_line_and_its_end_another(said: Said) -> None:
    """A hundred rounds while the store takes nothing: one warning without a traceback; then how many, how long."""
    failing = Failing("judge")
    for n in range(100):
        _raised(StoreUnavailable(f"No space left on device ({n} bytes)"), failing)
    failing.over()
    failing.over()
    assert [line["event"] for line in said] == ["work_waits_for_the_store", "work_goes_on"]
    assert "exc_info" not in said[0]
    assert "No space left on device (0 bytes)" in said[0]["error"]
    assert (said[1]["failures"], said[1]["worker"]) == (100, "judge")


def test_another_failure_within_is_told_too(said: Said) -> None:
    """Each kind of failure has its traceback once, also between others; after recovery it is news again."""
    failing = Failing("judge")
    for _ in range(3):
        _raised(StoreUnavailable("full"), failing)
        _raised(ValueError("a fault"), failing)
    failing.over()
    _raised(StoreUnavailable("full"), failing)
    events = [line["event"] for line in said]
    assert events == ["work_waits_for_the_store", "work_failed", "work_goes_on", "work_waits_for_the_store"]
    assert said[1]["exc_info"]
    assert said[2]["failures"] == 6


def test_the_worker_tells_through_it(said: Said) -> None:
    """Its rounds fail and recover on their own; `failures` counts all, the log has two lines."""
    rounds = iter([StoreUnavailable("full"), StoreUnavailable("full"), StoreUnavailable("full")])

    def work() -> int:
        for error in rounds:
            raise error
        return 0

    judge = Worker("judge", work, 0.001)
    started = time.time()
    judge.start()
    _wait(lambda: judge.failures == 3 and judge.last_success > started)
    assert judge.stop(30)
    assert [line["event"] for line in said] == ["work_waits_for_the_store", "work_goes_on"]


def _wait(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "did not come about in time"
        time.sleep(0.01)
