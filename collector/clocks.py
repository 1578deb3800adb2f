"""Senders whose clock runs ahead: their calls lie in the future, and a question about the last hour does not see them.

Nothing is changed in what they send (alert windows hold such a call at the time of its receipt); who looks for missing
calls is told whose clock it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from analytics.spans import Span

TOLERATED_NS = 60 * 1_000_000_000
"""Clocks that are kept by NTP differ by less than this (nanoseconds)."""

_MOST = 100


class Clocks:
    """How far the clock of each service runs ahead, by what came last from it. One thread writes, any may read."""

    def __init__(self) -> None:
        self._ahead_s: dict[str, int] = {}

    def look(self, spans: Sequence[Span], received_ns: int) -> int:
        """Look at the spans of one request; returns how many began later than they were received and is tolerated."""
        latest = received_ns + TOLERATED_NS
        early = [span for span in spans if span.start_ns > latest]
        if not early and not self._ahead_s:
            return 0
        found: dict[str, int] = {}
        for span in early:
            name = _service(span)
            found[name] = max(found.get(name, 0), (span.start_ns - received_ns) // 1_000_000_000)
        kept = dict(self._ahead_s)
        for name in {_service(span) for span in spans} & kept.keys():
            del kept[name]
        self._ahead_s = dict([*kept.items(), *found.items()][-_MOST:])
        return len(early)

    def ahead_s(self) -> dict[str, int]:
        """Seconds by service name; only those whose last request was ahead."""
        return self._ahead_s


def _service(span: Span) -> str:
    return str(span.resource.get("service.name", ""))[:100]
