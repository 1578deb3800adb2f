"""Incidents to Prometheus Alertmanager (API v2), which groups, silences and routes them.

Alertmanager forgets what is not repeated: firing incidents are sent again each minute, with an end that lies four
minutes ahead, so that they neither flap nor outlive this service. Labels hold bounded values only; numbers and texts
are annotations.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from analytics.alerts.evidence import deep_link, headline
from analytics.alerts.incident import Incident
from analytics.alerts.notice import Notice
from analytics.alerts.notifiers.egress import Egress, Poster
from analytics.alerts.reader import SECOND
from analytics.alerts.settings import AlertSettings
from analytics.alerts.wording import plain

END_AHEAD_NS = 240 * SECOND
BATCH = 500


class AlertmanagerNotifier:
    """Pushes incidents as alerts. Each incident is one alert; Alertmanager groups by (project, alertname)."""

    reaches_people = True

    def __init__(self, url: str, egress: Egress, settings: AlertSettings) -> None:
        """Prepare; raises ValueError where the address is none."""
        self._poster = Poster(url, egress, settings.webhook_timeout_s)
        self._settings = settings
        self.name = f"alertmanager:{self._poster.place}"

    def send(self, notice: Notice) -> None:
        """Push what a notice tells of, as it was written down; raises DeliveryError."""
        if notice.kind == "test":
            self._push([_test_alert(notice)])
            return
        ended = notice.kind == "resolved"
        self._push([_packed_alert(pack, notice, ended) for pack in notice.body["incidents"]])

    def refresh(self, incidents: Sequence[Incident], now_ns: int) -> None:
        """Push every firing incident again; raises DeliveryError."""
        alerts = [_alert(incident, self._settings, now_ns) for incident in incidents]
        for start in range(0, len(alerts), BATCH):
            self._push(alerts[start : start + BATCH])

    def _push(self, alerts: list[dict[str, Any]]) -> None:
        if alerts:
            self._poster.post(alerts, path="/api/v2/alerts")


def _labels(rule: str, project: str, tool: str | None, severity: str, code: str | None) -> dict[str, str]:
    labels = {"alertname": rule, "project": plain(project), "severity": severity, "tool": plain(tool or "")}
    labels["code"] = code or ""
    return {name: value for name, value in labels.items() if value}


def _alert(incident: Incident, settings: AlertSettings, now_ns: int) -> dict[str, Any]:
    return {
        "labels": _labels(incident.rule, incident.project, incident.tool, incident.severity, incident.code),
        "annotations": {"summary": headline(incident), "description": incident.text},
        "startsAt": _time(incident.detected_ns),
        "endsAt": _time(now_ns + END_AHEAD_NS),
        "generatorURL": deep_link(incident, settings),
    }


def _packed_alert(pack: dict[str, Any], notice: Notice, ended: bool) -> dict[str, Any]:
    alert = {
        "labels": _labels(pack["rule"], notice.project, pack["tool"], pack["severity"], pack["code"]),
        "annotations": {"summary": notice.title, "description": notice.text[:8000]},
        "startsAt": pack["detected"],
        "generatorURL": pack["dashboard"],
    }
    if ended:
        alert["endsAt"] = pack["resolved"]
    return alert


def _test_alert(notice: Notice) -> dict[str, Any]:
    labels = {"alertname": "telltale_test", "project": plain(notice.project), "severity": notice.severity}
    return {"labels": labels, "annotations": {"summary": notice.title, "description": notice.text}}


def _time(ns: int) -> str:
    return datetime.fromtimestamp(ns / SECOND, UTC).isoformat()
