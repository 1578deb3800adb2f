"""A job that runs again and again on a thread of its own, and survives its own failures."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import structlog

log = structlog.get_logger("collector.worker")

_LONGEST_PAUSE_S = 30.0


class Worker:
    """Calls `work` every `every_s` seconds, at once after `wake`, and again at once while it finds something to do.

    An exception is logged and the work tried again later, each time a little later; ingest is not affected.
    """

    def __init__(self, name: str, work: Callable[[], int], every_s: float) -> None:
        """`work` returns how much it did; 0 lets the worker rest."""
        self.name = name
        self.failures = 0
        self.last_success = time.time()
        self._work = work
        self._every_s = every_s
        self._woken = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=f"telltale-{name}", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """There is something to do."""
        self._woken.set()

    def stop(self, timeout_s: float) -> bool:
        """Finish the round in progress; returns whether it ended in time."""
        self._stopping = True
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        in_a_row = 0
        while not self._stopping:
            try:
                done = self._work()
            except Exception as error:
                in_a_row += 1
                self.failures += 1
                log.exception("work_failed", worker=self.name, error=type(error).__name__)
                self._rest(min(self._every_s * 2**in_a_row, _LONGEST_PAUSE_S))
                continue
            in_a_row = 0
            self.last_success = time.time()
            if not done:
                self._rest(self._every_s)

    def _rest(self, seconds: float) -> None:
        self._woken.wait(seconds)
        self._woken.clear()
