"""A worker that fails says so when it begins and when it is over, not each time between."""

from __future__ import annotations

import time
from collections.abc import Callable

from structlog.testing import capture_logs

from analytics.store import StoreUnavailable
from collector.worker import Failing, Worker


def _raised(error: Exception, failing: Failing) -> None:
    try:
        raise error
    except Exception as caught:
        failing.again(caught)


def test_a_full_disk_is_one_line_and_its_end_another() -> None:
    """A hundred rounds while the store takes nothing: one warning without a traceback; then how many, how long."""
    failing = Failing("judge")
    with capture_logs() as said:
        for n in range(100):
            _raised(StoreUnavailable(f"No space left on device ({n} bytes)"), failing)
        failing.over()
        failing.over()
    assert [line["event"] for line in said] == ["work_waits_for_the_store", "work_goes_on"]
    assert "exc_info" not in said[0]
    assert "No space left on device (0 bytes)" in said[0]["error"]
    assert (said[1]["failures"], said[1]["worker"]) == (100, "judge")


def test_another_failure_within_is_told_too() -> None:
    """Each kind of failure has its traceback once, also between others; after recovery it is news again."""
    failing = Failing("judge")
    with capture_logs() as said:
        for _ in range(3):
            _raised(StoreUnavailable("full"), failing)
            _raised(ValueError("a fault"), failing)
        failing.over()
        _raised(StoreUnavailable("full"), failing)
    events = [line["event"] for line in said]
    assert events == ["work_waits_for_the_store", "work_failed", "work_goes_on", "work_waits_for_the_store"]
    assert said[1]["exc_info"]
    assert said[2]["failures"] == 6


def test_the_worker_tells_through_it() -> None:
    """Its rounds fail and recover on their own; `failures` counts all, the log has two lines."""
    rounds = iter([StoreUnavailable("full"), StoreUnavailable("full"), StoreUnavailable("full")])

    def work() -> int:
        for error in rounds:
            raise error
        return 0

    worker = Worker("judge", work, 0.001)
    with capture_logs() as said:
        started = time.time()
        worker.start()
        _wait(lambda: worker.failures == 3 and worker.last_success > started)
        assert worker.stop(30)
    assert [line["event"] for line in said] == ["work_waits_for_the_store", "work_goes_on"]


def _wait(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "did not come about in time"
        time.sleep(0.01)
