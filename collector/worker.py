"""A job that runs again and again on a thread of its own, and survives its own failures."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from analytics.store import StoreUnavailable

log = structlog.get_logger("collector.worker")

_LONGEST_PAUSE_S = 30.0


class Worker:
    """Calls `work` every `every_s` seconds, at once after `wake`, and again at once while it finds something to do.

    After an exception the work is tried again later, each time a little later; ingest is not affected. A failure is
    logged when it begins, not while it lasts, and its end with the count: a store that takes nothing (a full disk) as
    one line, anything else with its traceback.
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
        failing = Failing(self.name)
        while not self._stopping:
            try:
                done = self._work()
            except Exception as error:
                self.failures += 1
                failing.again(error)
                self._rest(min(self._every_s * 2**failing.in_a_row, _LONGEST_PAUSE_S))
                continue
            failing.over()
            self.last_success = time.time()
            if not done:
                self._rest(self._every_s)

    def _rest(self, seconds: float) -> None:
        self._woken.wait(seconds)
        self._woken.clear()


@dataclass(slots=True)
class Failing:
    """Failures in a row of one worker, told once for each kind of them."""

    worker: str
    in_a_row: int = 0
    _since: float = 0.0
    _told: set[tuple[str, str]] = field(default_factory=set)

    def again(self, error: Exception) -> None:
        """One more failure; called in its `except`."""
        if not self.in_a_row:
            self._since = time.monotonic()
        self.in_a_row += 1
        waits = isinstance(error, StoreUnavailable)
        kind = type(error).__name__, "" if waits else _place(error)
        if kind in self._told:
            return
        self._told.add(kind)
        if waits:
            log.warning("work_waits_for_the_store", worker=self.worker, error=str(error)[:500])
        else:
            log.exception("work_failed", worker=self.worker, error=type(error).__name__)

    def over(self) -> None:
        """The work succeeded."""
        if self.in_a_row:
            seconds = round(time.monotonic() - self._since, 1)
            log.warning("work_goes_on", worker=self.worker, failures=self.in_a_row, seconds=seconds)
            self.in_a_row = 0
            self._told.clear()


def _place(error: Exception) -> str:
    """Where an exception was raised: two kinds of trouble are two, whatever their texts say."""
    last = traceback.extract_tb(error.__traceback__, limit=-1)
    return f"{last[0].filename}:{last[0].lineno}" if last else ""
