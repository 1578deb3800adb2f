"""Findings become incidents, and incidents end: one episode, however often the rule is evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from analytics.alerts.baselines import Episode
from analytics.alerts.incident import FOLDED, AlertEvent, Finding, Incident, Rule, Severity, State, begin
from analytics.alerts.reader import LONGEST, POOL, SECOND, Settled
from analytics.alerts.rules import SPECS
from analytics.alerts.settings import AlertSettings

_SIGNALS = {spec.rule.value: spec.signal for spec in SPECS}

MOST_OPEN = 10_000
"""Open incidents beyond which none is added: names of tools come from senders, and may be made up without end."""

REMEMBER_S = 60
"""How stale the stored time of the last hit may be (s): not every evaluation of a firing incident is worth a write."""


@dataclass(slots=True)
class Changes:
    """What one evaluation changed: incidents to store by id, and the events for the caller."""

    incidents: dict[str, Incident] = field(default_factory=dict)
    opened: list[tuple[Incident, Finding]] = field(default_factory=list)
    events: list[AlertEvent] = field(default_factory=list)


def episodes(incidents: Iterable[Incident], now_ns: int) -> list[Episode]:
    """When which scope was firing; an open incident reaches beyond now."""
    return [
        Episode(
            scope=scope,
            signal=signal,
            from_ns=incident.first_failure_ns or incident.detected_ns,
            to_ns=incident.resolved_ns if incident.resolved_ns is not None else now_ns + LONGEST,
        )
        for incident in incidents
        for scope, signal in _told(incident)
    ]


def settled(incidents: Iterable[Incident]) -> Settled:
    """Up to when the evidence of each scope and signal was told of by an incident that is over."""
    until: dict[tuple[str, str], int] = {}
    for incident in incidents:
        for key in _told(incident) if incident.resolved_ns is not None else ():
            until[key] = max(until.get(key, 0), incident.resolved_ns or 0)
    return Settled(until)


def _told(incident: Incident) -> list[tuple[str, str]]:
    """The (scope, signal) that an incident tells of: its own, and the silent failures that were folded into it."""
    if incident.rule not in _SIGNALS:
        return []
    signals = [_SIGNALS[incident.rule], *([_SIGNALS[Rule.SILENT]] if incident.tells_of_silent else ())]
    return [(incident.tool or POOL, signal) for signal in signals]


def advance(
    findings: Iterable[Finding],
    known: Sequence[Incident],
    heard: Mapping[tuple[str, str | None], int],
    now_ns: int,
    settings: AlertSettings,
) -> Changes:
    """Open, keep, escalate and end incidents.

    Args:
        findings: what is met now.
        known: open incidents.
        heard: the last call (ns) of each (project, tool) that had one lately; (project, None) for the project.
        now_ns: the moment of this evaluation.
        settings: how long an incident keeps firing.
    """
    changes = Changes()
    current = {incident.scope: incident for incident in known if incident.open}
    for finding in findings:
        incident = current.get((finding.rule, finding.project, finding.tool))
        if incident is not None:
            _keep(incident, finding, now_ns, settings, changes)
        elif finding.severity is not None and len(current) < MOST_OPEN:
            incident = begin(finding, now_ns)
            current[incident.scope] = incident
            changes.incidents[incident.id] = incident
            changes.opened.append((incident, finding))
            changes.events.append(AlertEvent("firing", incident))
    for incident in current.values():
        if _over(incident, heard, now_ns, settings):
            incident.state, incident.resolved_ns = State.RESOLVED, now_ns
            changes.incidents[incident.id] = incident
            changes.events.append(AlertEvent("resolved", incident))
    _inhibit(list(current.values()), changes)
    return changes


def _keep(incident: Incident, finding: Finding, now_ns: int, settings: AlertSettings, changes: Changes) -> None:
    met_ns = finding.met_ns or now_ns
    if finding.severity is Severity.PAGE and incident.severity == Severity.TICKET:
        kept = {name: incident.numbers[name] for name in FOLDED if name in incident.numbers}
        incident.severity, incident.numbers = Severity.PAGE, {**finding.numbers, **kept}
        incident.announced_ns, incident.last_met_ns = None, met_ns
        changes.incidents[incident.id] = incident
        changes.opened.append((incident, finding))
        changes.events.append(AlertEvent("escalated", incident))
    elif met_ns - incident.last_met_ns >= min(REMEMBER_S, settings.keep_firing_s / 4) * SECOND:
        incident.last_met_ns = met_ns
        changes.incidents[incident.id] = incident


def _over(
    incident: Incident, heard: Mapping[tuple[str, str | None], int], now_ns: int, settings: AlertSettings
) -> bool:
    """Not met for `keep_firing_s`, and called since: silence ends nothing until no window holds the failures."""
    quiet_ns = now_ns - incident.last_met_ns
    if quiet_ns < settings.keep_firing_s * SECOND:
        return False
    if incident.rule in (Rule.NO_DATA, Rule.NOTIFIER):
        return True
    called = heard.get((incident.project, incident.tool), 0) > incident.last_met_ns
    return called or quiet_ns >= LONGEST


def _inhibit(current: Sequence[Incident], changes: Changes) -> None:
    """A ticket on a tool that a page already tells of waits until that page is over."""
    pages = {(i.project, i.tool): i for i in current if i.open and i.severity == Severity.PAGE}
    for incident in current:
        if not incident.open or incident.severity == Severity.PAGE or incident.announced_ns is not None:
            continue
        page = pages.get((incident.project, incident.tool))
        reason = page.id if page else None
        if reason != incident.inhibited_by:
            incident.inhibited_by = reason
            changes.incidents[incident.id] = incident
