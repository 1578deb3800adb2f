"""How far the judge is behind the receivers."""

from __future__ import annotations

import threading
from collections import deque

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

    def seconds(self, watermark: int, now: float) -> float:
        """Age of the oldest batch beyond the judge's watermark; 0 when all is judged."""
        with self._lock:
            while self._waiting and self._waiting[0][0] <= watermark:
                self._waiting.popleft()
            return max(0.0, now - self._waiting[0][1]) if self._waiting else 0.0
