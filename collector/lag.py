"""How far the judge is behind the receivers."""

from __future__ import annotations

import threading
from collections import deque

from analytics.questions.times import SECOND_NS
from analytics.questions.waiting import RECENT_NS, oldest_waiting
from collector.store import DuckDBStore
from collector.store.relations import NS_PER_DAY

_REMEMBERED = 100_000


class JudgeLag:
    """Remembers when batches arrived until the judge has passed them. Methods may be called from any thread."""

    def __init__(self) -> None:
        self.last_arrival = 0.0
        self._waiting: deque[tuple[int, float]] = deque(maxlen=_REMEMBERED)
        self._lock = threading.Lock()

    def arrived(self, last_seq: int, now: float) -> None:
        """A batch whose last row has this arrival number was made durable."""
        with self._lock:
            self.last_arrival = now
            self._waiting.append((last_seq, now))

    def recall(self, store: DuckDBStore, watermark: int, now_ns: int) -> None:
        """Remember the rows that a process before this one stored and did not judge, as one batch.

        Args:
            store: just opened, the journal taken in.
            watermark: the judge's.
            now_ns: the time, in ns since 1970 UTC.
        """
        since = waiting_since(store, watermark, now_ns)
        if since is not None:
            with self._lock:
                self._waiting.appendleft((store.stats().last_seq, since))

    def seconds(self, watermark: int, now: float) -> float:
        """Age of the oldest batch beyond an arrival number that the judge has reached; 0 when there is none.

        The number must not fall from one call to the next: what it has passed is forgotten.
        """
        with self._lock:
            while self._waiting and self._waiting[0][0] <= watermark:
                self._waiting.popleft()
            return max(0.0, now - self._waiting[0][1]) if self._waiting else 0.0


def waiting_since(store: DuckDBStore, reached: int, now_ns: int) -> float | None:
    """When the oldest stored row came that no verdict covers (seconds since 1970), of all projects; None without one.

    Args:
        store: whose rows; those that only the journal holds are not seen.
        reached: the judge's watermark; days with rows beyond it are looked into, however old.
        now_ns: the time, in ns since 1970 UTC.
    """
    tables = store.day_tables()
    recent_ns = min([now_ns - RECENT_NS, *(table.day * NS_PER_DAY for table in tables if table.last_seq > reached)])
    found = [oldest_waiting(store, project, max(0, recent_ns)) for project in {table.project for table in tables}]
    return min((oldest / SECOND_NS for oldest in found if oldest is not None), default=None)
