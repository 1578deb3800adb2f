"""What the rules ask of the store, as plain values: counts in windows, the past week, evidence."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analytics.alerts.queries import sql
from analytics.alerts.statistics import Counts
from analytics.store import Store

SECOND = 1_000_000_000
HOUR = 3600 * SECOND
WEEK = 7 * 24 * HOUR
WINDOWS = (300, 1800, 3600, 21600)
"""Lengths of the windows that are counted at each evaluation, in seconds."""

LONGEST = WINDOWS[-1] * SECOND
EVER_LATE = 1 << 62
"""Lateness (ns) that leaves out nothing: what is usual may be learned from history that was read in afterwards."""

POOL = ""
"""Name of the scope that holds all tools without a baseline of their own."""


@dataclass(slots=True, frozen=True)
class Total:
    """Calls of one tool in the baseline's hours, and the failing ones by signal."""

    calls: int
    failures: Mapping[str, int]


@dataclass(slots=True, frozen=True)
class Suspect:
    """A tool that failed in one way within the last hour: distinct sessions in 10 minutes and in the hour, the most
    failures of one session, where the last 10 minutes' failures begin (None: none there), and the last failure."""

    tool: str
    signal: str
    sessions_600: int
    most_600: int
    failures_600: int
    sessions_3600: int
    calls_3600: int
    first_ns: int | None
    last_ns: int


@dataclass(slots=True, frozen=True)
class SilentCode:
    """Silent failures of one scope with one code ("" for none): calls, and distinct sessions."""

    code: str
    calls: int
    sessions: int


@dataclass(slots=True, frozen=True)
class Settled:
    """Up to when the evidence of each (scope, signal) was used up by an incident that is over."""

    until: Mapping[tuple[str, str], int]

    def params(self) -> dict[str, Any]:
        """As the parallel lists that the questions take."""
        items = list(self.until.items())
        return {
            "settled_scopes": [scope for (scope, _), _ in items],
            "settled_signals": [signal for (_, signal), _ in items],
            "settled_until": [until for _, until in items],
        }


class Reader:
    """Asks the alert questions for windows that end at a given moment (ns)."""

    def __init__(self, store: Store, late_ns: int) -> None:
        self._store = store
        self._late_ns = late_ns

    def _rows(self, name: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self._store.read(sql(name), params).to_pylist()
        return rows

    def _range(self, project: str, from_ns: int, to_ns: int) -> dict[str, Any]:
        return {
            "project": project,
            "from_ns": from_ns,
            "to_ns": to_ns,
            "late_ns": self._late_ns,
            "with_recovered": False,
        }

    def _past(self, project: str, from_ns: int, to_ns: int) -> dict[str, Any]:
        return {**self._range(project, from_ns, to_ns), "late_ns": EVER_LATE, "with_recovered": True}

    def projects(self, to_ns: int) -> list[str]:
        """Projects with calls in the past week."""
        return [row["project"] for row in self._rows("projects", {"from_hour": (to_ns - WEEK) // HOUR})]

    def totals(self, project: str, to_ns: int) -> dict[str, Total]:
        """The 10,000 busiest tools over the past week without the last hour, busiest first."""
        hours = {"from_hour": (to_ns - WEEK) // HOUR, "to_hour": (to_ns - HOUR) // HOUR + 1}
        return {
            row["tool"]: Total(row["calls"], {s: row[s] for s in ("internal", "denied", "exhausted", "silent")})
            for row in self._rows("totals", {"project": project, **hours})
        }

    def window_calls(self, project: str, to_ns: int, busy: Sequence[str]) -> dict[str, dict[int, int]]:
        """Calls of each scope by window length in seconds."""
        params = {**self._range(project, to_ns - LONGEST, to_ns), "busy": busy}
        rows = self._rows("window_calls", params)
        return {row["scope"]: {w: row[f"calls_{w}"] for w in WINDOWS} for row in rows}

    def window_failures(
        self, project: str, to_ns: int, busy: Sequence[str], settled: Settled
    ) -> dict[tuple[str, str], dict[int, int]]:
        """Distinct failing sessions of each (scope, signal) by window length in seconds."""
        params = {**self._range(project, to_ns - LONGEST, to_ns), "busy": busy, **settled.params()}
        rows = self._rows("window_failures", params)
        return {(row["scope"], row["signal"]): {w: row[f"sessions_{w}"] for w in WINDOWS} for row in rows}

    def suspects(self, project: str, to_ns: int, settled: Settled) -> list[Suspect]:
        """Tools that failed within the last hour, those with most sessions first."""
        params = {**self._range(project, to_ns - HOUR, to_ns), **settled.params()}
        return [Suspect(**row) for row in self._rows("suspects", params)]

    def history(
        self, project: str, signal: str, tools: Collection[str], from_ns: int, to_ns: int
    ) -> dict[str, list[tuple[int, int]]]:
        """(start of a five-minute bin, failing calls in it) between two moments, by tool."""
        params = {**self._past(project, from_ns, to_ns), "signal": signal, "tools": sorted(tools)}
        found: dict[str, list[tuple[int, int]]] = {tool: [] for tool in tools}
        for row in self._rows("history", params):
            found[row["tool"]].append((row["bin_ns"], row["failures"]))
        return found

    def bins(
        self, project: str, signal: str, to_ns: int, *, width_s: int, scopes: Collection[str], busy: Sequence[str]
    ) -> dict[str, tuple[Counts, Counts, Counts]]:
        """(bin starts, calls, failing sessions) of the past week without the last hour, by scope."""
        params = {
            **self._past(project, to_ns - WEEK, to_ns - HOUR),
            "signal": signal,
            "width_ns": width_s * SECOND,
            "scopes": sorted(scopes),
            "busy": busy,
        }
        table = self._store.read(sql("bins"), params)
        owners = np.array(table["scope"].to_pylist(), dtype=object)
        columns = [np.array(table[name], dtype=np.float64) for name in ("bin_ns", "calls", "sessions")]
        found = {}
        for scope in scopes:
            mine = owners == scope
            found[scope] = (columns[0][mine], columns[1][mine], columns[2][mine])
        return found

    def last_calls(
        self, project: str, signal: str, tools: Collection[str], to_ns: int
    ) -> dict[str, list[tuple[int, str, bool]]]:
        """(moment, session, failed) of up to 500 last calls of the past day, newest first, by tool."""
        params = {**self._range(project, to_ns - 24 * HOUR, to_ns), "signal": signal, "tools": sorted(tools)}
        found: dict[str, list[tuple[int, str, bool]]] = {tool: [] for tool in tools}
        for row in self._rows("last_calls", params):
            found[row["tool"]].append((row["at_ns"], row["session"], row["failed"]))
        return found

    def heard(self, project: str, tools: Collection[str], to_ns: int) -> dict[str, int]:
        """The last call (ns) within the longest window of each tool that had one, and of the project under ''."""
        params = {**self._range(project, to_ns - LONGEST, to_ns), "tools": sorted(tools)}
        return {row["scope"]: row["last_ns"] for row in self._rows("heard", params)}

    def no_data(self, project: str, to_ns: int) -> list[dict[str, Any]]:
        """Scopes that were busy a week ago and are silent now: `scope`, `calls` then, `last_ns`."""
        return self._rows("no_data", {"project": project, "to_ns": to_ns})

    def evidence(
        self, project: str, signal: str, since: Mapping[str, int], own: Collection[str], to_ns: int
    ) -> dict[str, dict[str, Any]]:
        """What a notice shows of each scope's failures from its own `since` (ns) on; `own` are scopes of one tool."""
        params = self._hits(project, signal, since, own, to_ns)
        return {row["scope"]: row for row in self._rows("evidence", params)}

    def silent_codes(
        self, project: str, since: Mapping[str, int], own: Collection[str], to_ns: int
    ) -> dict[str, list[SilentCode]]:
        """The silent failures of each scope from its own `since` (ns) on, by code; `own` are scopes of one tool."""
        params = self._hits(project, "silent", since, own, to_ns)
        found: dict[str, list[SilentCode]] = {}
        for row in self._rows("hit_codes", params):
            found.setdefault(row["scope"], []).append(SilentCode(row["code"], row["calls"], row["sessions"]))
        return found

    def _hits(
        self, project: str, signal: str, since: Mapping[str, int], own: Collection[str], to_ns: int
    ) -> dict[str, Any]:
        return {
            **self._range(project, min(since.values()), to_ns),
            "signal": signal,
            "scopes": list(since),
            "since": list(since.values()),
            "own": sorted(own),
        }
