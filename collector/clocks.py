"""Senders whose clock runs ahead: their calls lie in the future, and a question about the last hour does not see them.

Nothing is changed in what they send (alert windows hold such a call at the time of its receipt); who looks for missing
calls is told whose clock it is, for as long as one of these calls lies ahead.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from analytics.questions.times import MAX_NS
from analytics.spans import Span
from analytics.store import Store

TOLERATED_NS = 60 * 1_000_000_000
"""Clocks that are kept by NTP differ by less than this (nanoseconds)."""

_MOST = 100

_STORED = """
SELECT service, max(started_ns) AS start_ns, max(started_ns - received_ns) AS ahead_ns
FROM call WHERE started_ns > {latest} AND started_ns - received_ns > {tolerated}
GROUP BY service ORDER BY start_ns DESC LIMIT {most}
"""


class Clocks:
    """How far the clock of each service ran ahead, until the last of its spans that lie ahead is past.

    What else the service sends changes nothing: it may have many hosts, and a clock that was set right leaves its
    earlier spans where they are. One thread writes, any may read.
    """

    def __init__(self) -> None:
        self._ahead: dict[str, tuple[int, int]] = {}
        """By service: the start of its latest span (ns since 1970 UTC), and by how much that was ahead (ns)."""

    def look(self, spans: Sequence[Span], received_ns: int) -> int:
        """Look at the spans of one request; returns how many began later than they were received and is tolerated."""
        latest = received_ns + TOLERATED_NS
        early = [span for span in spans if span.start_ns > latest]
        if not early:
            return 0
        kept = {name: each for name, each in self._ahead.items() if each[0] > received_ns}
        for span in early:
            name = _service(span)
            start = min(span.start_ns, MAX_NS)  # as it is stored
            kept[name] = max(kept.get(name, (0, 0)), (start, start - received_ns))
        self._ahead = dict([*kept.items()][-_MOST:])
        return len(early)

    def recall(self, store: Store, now_ns: int) -> None:
        """What an earlier run of the service took and lies ahead still, as far as it was tool calls."""
        asked = _STORED.format(latest=now_ns, tolerated=TOLERATED_NS, most=_MOST)
        found = {row["service"] or "": (row["start_ns"], row["ahead_ns"]) for row in store.read(asked).to_pylist()}
        self._ahead = {name[:100]: each for name, each in found.items()}

    def ahead_s(self, now_ns: int | None = None) -> dict[str, int]:
        """Seconds by service name, of those of which a span lies ahead of `now_ns` (the clock's where None)."""
        now = time.time_ns() if now_ns is None else now_ns
        return {name: ahead // 1_000_000_000 for name, (start, ahead) in self._ahead.items() if start > now}


def _service(span: Span) -> str:
    return str(span.resource.get("service.name", ""))[:100]
