"""What is usual: rate and spread of each scope over the past week, remembered for ten minutes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from analytics.alerts.reader import HOUR, POOL, SECOND, WEEK, Reader, Total
from analytics.alerts.statistics import Baseline, fit, smoothed_rate

FRESH_NS = 600 * SECOND
"""How long a baseline is used before it is computed again."""

FEWEST_CALLS = 200
"""Calls in a week below which a tool has no baseline of its own."""

USUAL_PRIOR = 0.02
"""Failure rate assumed of a project that has no history yet."""

LEARNED_AFTER_NS = 24 * HOUR
"""An incident that lasts longer than this is the new normal: what follows counts as usual again."""

Bins = list[tuple[int, int]]
"""(start of a five-minute bin in ns, failing calls in it), in order of time."""


@dataclass(slots=True, frozen=True)
class Episode:
    """Time that does not count as usual, because an incident of this scope and signal was firing (ns)."""

    scope: str
    signal: str
    from_ns: int
    to_ns: int


@dataclass(slots=True)
class _Project:
    at_ns: int
    totals: dict[str, Total]
    busy: list[str]
    fitted: dict[tuple[str, str, int], Baseline] = field(default_factory=dict)
    history: dict[tuple[str, str], Bins] = field(default_factory=dict)


class Baselines:
    """Baselines of all projects. Holds nothing that cannot be computed again from the store."""

    def __init__(self, reader: Reader, fresh_ns: int = FRESH_NS, known_to_ns: int | None = None) -> None:
        """
        Args:
            reader: asks the store.
            fresh_ns: how long rates and spreads are used before they are computed again.
            known_to_ns: read the history of failures up to here at once, for a backtest that will come to it; the live
                service reads up to its present.
        """
        self._reader = reader
        self._fresh_ns = fresh_ns
        self._known_to_ns = known_to_ns
        self._projects: dict[str, _Project] = {}

    def _project(self, project: str, now_ns: int) -> _Project:
        known = self._projects.get(project)
        if known is None or not 0 <= now_ns - known.at_ns < self._fresh_ns:
            totals = self._reader.totals(project, now_ns)
            busy = [tool for tool, total in totals.items() if tool != POOL and total.calls >= FEWEST_CALLS]
            history = known.history if known is not None and self._known_to_ns is not None else {}
            known = self._projects[project] = _Project(now_ns, totals, busy, history=history)
        return known

    def busy(self, project: str, now_ns: int) -> Sequence[str]:
        """Tools with a baseline of their own; all others share one."""
        return self._project(project, now_ns).busy

    def calls(self, project: str, tool: str, now_ns: int) -> int:
        """Calls of a tool that what is usual for it rests on."""
        total = self._project(project, now_ns).totals.get(tool)
        return total.calls if total else 0

    def prior(self, project: str, signal: str, now_ns: int) -> float:
        """The project's own failure rate, per call."""
        totals = self._project(project, now_ns).totals.values()
        failures = sum(total.failures[signal] for total in totals)
        return smoothed_rate(failures, sum(total.calls for total in totals), USUAL_PRIOR)

    def history(self, project: str, signal: str, tools: Collection[str], now_ns: int) -> Mapping[str, Bins]:
        """When these tools failed in one way, over the week before now; a backtest's also hold what comes later.

        Up to ten minutes old: what failed since lies in the window that it is compared with.
        """
        known = self._project(project, now_ns).history
        missing = [tool for tool in tools if (tool, signal) not in known]
        if missing:
            to_ns = max(now_ns, self._known_to_ns or 0)
            for tool, bins in self._reader.history(project, signal, missing, now_ns - WEEK, to_ns).items():
                known[tool, signal] = bins
        return {tool: [b for b in known[tool, signal] if b[0] >= now_ns - WEEK] for tool in tools}

    def of(
        self,
        project: str,
        signal: str,
        now_ns: int,
        *,
        width_s: int,
        scopes: Collection[str],
        episodes: Sequence[Episode],
    ) -> Mapping[str, Baseline]:
        """Baselines of these scopes for windows of one length; scopes with too few calls have none."""
        known = self._project(project, now_ns)
        missing = [scope for scope in scopes if (scope, signal, width_s) not in known.fitted]
        if missing:
            prior = self.prior(project, signal, now_ns)
            bins = self._reader.bins(project, signal, now_ns, width_s=width_s, scopes=missing, busy=known.busy)
            for scope, (starts, calls, sessions) in bins.items():
                usual = np.ones(starts.shape, dtype=bool)
                for from_ns, to_ns in _apart(episodes, scope, signal):
                    usual &= (starts + width_s * SECOND <= from_ns) | (starts >= to_ns)
                known.fitted[scope, signal, width_s] = fit(sessions[usual], calls[usual], prior)
        found = {scope: known.fitted[scope, signal, width_s] for scope in scopes}
        return {scope: baseline for scope, baseline in found.items() if baseline.calls >= FEWEST_CALLS}


def _apart(episodes: Sequence[Episode], scope: str, signal: str) -> list[tuple[int, int]]:
    """Spans of time of one scope and signal that are left out of what is usual."""
    mine = [e for e in episodes if (e.scope, e.signal) == (scope, signal)]
    return [(e.from_ns, min(e.to_ns, e.from_ns + LEARNED_AFTER_NS)) for e in mine]


def usual_failures(bins: Bins, episodes: Sequence[Episode], before_ns: int) -> int:
    """Failing calls in five-minute bins that end before `before_ns` and lie outside the episodes."""
    return sum(
        failures
        for start, failures in bins
        if start + 300 * SECOND <= before_ns
        and not any(e.from_ns - 300 * SECOND < start < min(e.to_ns, e.from_ns + LEARNED_AFTER_NS) for e in episodes)
    )
