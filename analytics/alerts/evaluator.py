"""One evaluation of all rules: the store's calls and the incidents so far in, changed incidents out. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analytics.alerts import episodes, evidence, folding, watch
from analytics.alerts.baselines import FRESH_NS, Baselines
from analytics.alerts.incident import Finding, Incident
from analytics.alerts.outbox import Health
from analytics.alerts.reader import EVER_LATE, HOUR, POOL, SECOND, Reader
from analytics.alerts.rules import Moment, Rules
from analytics.alerts.settings import AlertSettings
from analytics.settings import JudgeSettings
from analytics.store import Store

MISSING_EVERY_NS = 60 * SECOND
"""How often the rules about missing calls are evaluated."""


class Evaluator:
    """Evaluates; remembers only what it could compute again."""

    def __init__(
        self, store: Store, settings: AlertSettings, tools: JudgeSettings, backtest_to_ns: int | None = None
    ) -> None:
        """
        Args:
            store: where calls are.
            settings: of the rules.
            tools: owners and runbooks.
            backtest_to_ns: how far a backtest will go; it takes every call as in time, and learns what is usual four
                times a day. None for the live service.
        """
        self._settings = settings
        self._tools = tools
        live = backtest_to_ns is None
        self._reader = Reader(store, int(settings.late_after_s * SECOND) if live else EVER_LATE)
        self._baselines = Baselines(self._reader, FRESH_NS if live else 6 * HOUR, backtest_to_ns)
        self._rules = Rules(self._reader, self._baselines, settings)
        self._missing: dict[str, tuple[int, list[Finding]]] = {}

    def evaluate(self, known: Sequence[Incident], now_ns: int, health: Iterable[Health] = ()) -> episodes.Changes:
        """What changes now, given the incidents so far; those are changed in place."""
        end_ns = now_ns - int(self._settings.lag_s * SECOND)
        findings: list[Finding] = watch.failing_destinations(health, now_ns)
        heard: dict[tuple[str, str | None], int] = {}
        busy: dict[str, Sequence[str]] = {}
        folded: list[folding.Folded] = []
        for project in self._reader.projects(end_ns):
            mine = [incident for incident in known if incident.project == project]
            moment = Moment(project, end_ns, episodes.settled(mine), episodes.episodes(mine, end_ns))
            busy[project] = self._baselines.busy(project, end_ns)
            met = self._rules.evaluate(moment)
            left, told = folding.fold(met, mine, self._reader, busy[project], end_ns)
            findings, folded = findings + left, folded + told
            if self._settings.no_data:
                findings += self._silent(project, end_ns)
            heard |= self._heard(project, mine, end_ns)
        changes = episodes.advance(findings, known, heard, now_ns, self._settings)
        evidence.gather(self._reader, changes.opened, busy, end_ns)
        for incident, _ in changes.opened:
            incident.text = self._describe(incident)
        folding.absorb(changes, folded, known, self._describe, now_ns)
        return changes

    def _describe(self, incident: Incident) -> str:
        return evidence.describe(incident, self._tools, self._settings)

    def projects(self, now_ns: int) -> list[str]:
        """Projects with calls in the past week."""
        return self._reader.projects(now_ns)

    def _silent(self, project: str, end_ns: int) -> list[Finding]:
        asked, found = self._missing.get(project, (0, []))
        if not 0 <= end_ns - asked < MISSING_EVERY_NS:
            found = watch.silent_scopes(self._reader, project, end_ns)
            self._missing[project] = (end_ns, found)
        return found

    def _heard(self, project: str, mine: Sequence[Incident], end_ns: int) -> dict[tuple[str, str | None], int]:
        """When the scopes of open incidents had their last call."""
        tools = {incident.tool or POOL for incident in mine if incident.open}
        if not tools:
            return {}
        found = self._reader.heard(project, tools - {POOL}, end_ns)
        return {(project, scope or None): last for scope, last in found.items()}
