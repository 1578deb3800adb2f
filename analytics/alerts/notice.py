"""A notice: what leaves for people, about one or many incidents of the same kind in one project."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from analytics.alerts.evidence import calls_link, deep_link, headline, session_link
from analytics.alerts.incident import Incident, Rule, Severity
from analytics.alerts.reader import SECOND
from analytics.alerts.settings import AlertSettings
from analytics.alerts.wording import count, moment, plain

DETAILED = 20
"""Incidents that one notice shows in full; of the others it gives the number."""


@dataclass(slots=True, frozen=True)
class Notice:
    """One message. `kind` is firing, resolved or test; `id` stays the same over retries and destinations, so that a
    receiver can drop a repetition. `body` is the JSON object that a webhook gets. `spares` are destinations that it
    does not go to: those that it is about.
    """

    id: str
    kind: str
    project: str
    rule: str
    severity: str
    title: str
    text: str
    incidents: tuple[str, ...]
    body: dict[str, Any]
    spares: tuple[str, ...] = ()


def compose(kind: str, members: Sequence[Incident], settings: AlertSettings, now_ns: int) -> Notice:
    """The notice about these incidents of one project and rule."""
    shown = sorted(members, key=lambda i: (i.severity != Severity.PAGE, -i.numbers.get("sessions", 0), i.tool or ""))
    first = shown[0]
    pages = any(incident.severity == Severity.PAGE for incident in members)
    severity = Severity.PAGE if pages else Severity.TICKET
    ids = tuple(incident.id for incident in shown)
    title = _title(kind, shown)
    text = "\n\n".join(_text(kind, incident) for incident in shown[:DETAILED])
    if len(shown) > DETAILED:
        text += f"\n\nand {len(shown) - DETAILED} more, on the dashboard."
    notice_id = hashlib.sha256(json.dumps([kind, severity, sorted(ids)]).encode()).hexdigest()[:32]
    body = {
        "schema": "telltale.notice/1",
        "id": notice_id,
        "status": kind,
        "severity": str(severity),
        "alert": first.rule,
        "project": plain(first.project),
        "title": title,
        "text": text,
        "at": moment(now_ns),
        "count": len(shown),
        "dashboard": deep_link(first, settings)
        if len(shown) == 1
        else f"{settings.dashboard_url.rstrip('/')}/incidents",
        "incidents": [_pack(incident, settings) for incident in shown[:DETAILED]],
    }
    spares = tuple(incident.tool or "" for incident in members if incident.rule == Rule.NOTIFIER)
    return Notice(notice_id, kind, first.project, first.rule, str(severity), title, text, ids, body, spares)


def _title(kind: str, members: Sequence[Incident]) -> str:
    first = members[0]
    word = "RESOLVED" if kind == "resolved" else first.severity.upper()
    if len(members) == 1:
        return f"[{word}] {headline(first)}"
    return f"[{word}] {first.rule}: {count(len(members), 'tool')} in project {plain(first.project)}"


def _text(kind: str, incident: Incident) -> str:
    if kind != "resolved":
        return incident.text
    lasted = (incident.resolved_ns or 0) - (incident.first_failure_ns or incident.detected_ns)
    return (
        f"{headline(incident)}\nFrom {moment(incident.first_failure_ns)} to {moment(incident.resolved_ns)} "
        f"({max(0, lasted) // (60 * SECOND)} min)."
    )


def _pack(incident: Incident, settings: AlertSettings) -> dict[str, Any]:
    """One incident as structured evidence; every text from spans is one capped line."""
    return {
        "id": incident.id,
        "dedupe_key": incident.dedupe_key,
        "rule": incident.rule,
        "tool": plain(incident.tool) if incident.tool else None,
        "code": incident.code,
        "severity": incident.severity,
        "state": incident.state,
        "first_failure": moment(incident.first_failure_ns),
        "detected": moment(incident.detected_ns),
        "resolved": moment(incident.resolved_ns) if incident.resolved_ns else None,
        "numbers": {key: plain(v, 300) if isinstance(v, str) else v for key, v in incident.numbers.items()},
        "example_sessions": [
            {"session": plain(session), "link": session_link(incident, session, settings)}
            for session in incident.example_sessions
        ],
        "dashboard": deep_link(incident, settings),
        "calls": calls_link(incident, settings),
    }


def due(incidents: Iterable[Incident], settings: AlertSettings, now_ns: int) -> list[Notice]:
    """The notices to send now; marks what they tell of. One group is one rule in one project.

    A group that has told of `storm_size` open incidents says more only once per `group_interval_s`; resolved notices
    wait for the whole group, at most for that interval. What ended before it was told is not told at all.
    """
    groups: dict[tuple[str, str], list[Incident]] = defaultdict(list)
    for incident in incidents:
        groups[incident.project, incident.rule].append(incident)
    notices: list[Notice] = []
    for members in groups.values():
        notices += _resolved(members, settings, now_ns)
        notices += _firing(members, settings, now_ns)
    return notices


def _firing(members: list[Incident], settings: AlertSettings, now_ns: int) -> list[Notice]:
    new = [i for i in members if i.open and i.announced_ns is None and _ripe(i, settings, now_ns)]
    told = [i.announced_ns for i in members if i.open and i.announced_ns is not None]
    if not new or (len(told) >= settings.storm_size and now_ns - max(told) < settings.group_interval_s * SECOND):
        return []
    for incident in new:
        incident.announced_ns = now_ns
    return [compose("firing", new, settings, now_ns)]


def _ripe(incident: Incident, settings: AlertSettings, now_ns: int) -> bool:
    """Pages leave at once; a ticket may become a page within seconds, or be inhibited by one, and waits for that."""
    if incident.severity == Severity.PAGE:
        return True
    return incident.inhibited_by is None and now_ns - incident.detected_ns >= settings.ticket_wait_s * SECOND


def _resolved(members: list[Incident], settings: AlertSettings, now_ns: int) -> list[Notice]:
    over = [i for i in members if not i.open and i.settled_ns is None]
    untold = [i for i in over if i.announced_ns is None]
    for incident in untold:
        incident.settled_ns = now_ns
    told = [i for i in over if i.announced_ns is not None]
    if not told:
        return []
    still = any(i.open and i.announced_ns is not None for i in members)
    waited = now_ns - min(i.resolved_ns or now_ns for i in told) >= settings.group_interval_s * SECOND
    if still and not waited:
        return []
    for incident in told:
        incident.settled_ns = now_ns
    return [compose("resolved", told, settings, now_ns)]


def trial(settings: AlertSettings, now_ns: int) -> Notice:
    """A notice that tests a destination."""
    text = "Telltale can reach you here. Nothing is wrong."
    notice_id = hashlib.sha256(f"test {now_ns}".encode()).hexdigest()[:32]
    body = {
        "schema": "telltale.notice/1",
        "id": notice_id,
        "status": "test",
        "severity": str(Severity.TICKET),
        "alert": "test",
        "project": "default",
        "title": "[TEST] Telltale alerts",
        "text": text,
        "at": moment(now_ns),
        "count": 0,
        "dashboard": settings.dashboard_url,
        "incidents": [],
    }
    return Notice(notice_id, "test", "default", "test", str(Severity.TICKET), "[TEST] Telltale alerts", text, (), body)
