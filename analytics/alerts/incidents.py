"""Incidents for those who read them, and the words that people say of them."""

from __future__ import annotations

import time

from analytics.alerts.incident import Incident, from_rows
from analytics.alerts.queries import sql
from analytics.store import Store


class UnknownIncidentError(Exception):
    """No incident has this id."""


def list_incidents(store: Store, project: str = "default", state: str = "", since: int = 0) -> list[Incident]:
    """Incidents of a project, newest first.

    Args:
        store: where they are.
        project: whose.
        state: firing, acknowledged or resolved; "" for any.
        since: only those detected at or after this moment, in ns since 1970 UTC.
    """
    params = {"project": project, "state": state, "since_ns": since}
    return from_rows(store.read(sql("incidents"), params).to_pylist())


def incident(store: Store, incident_id: str) -> Incident:
    """One incident.

    Raises:
        UnknownIncidentError: there is none with this id.
    """
    found = from_rows(store.read(sql("incident"), {"id": incident_id}).to_pylist())
    if not found:
        raise UnknownIncidentError(incident_id)
    return found[0]


def acknowledge(store: Store, incident_id: str, who: str) -> Incident:
    """Somebody has seen it and looks after it. Returns the incident as it now is.

    Raises:
        UnknownIncidentError: there is none with this id.
    """
    return _say(store, "acknowledge", incident_id, {"who": who})


def diagnose(store: Store, incident_id: str, who: str, cause: str) -> Incident:
    """Somebody knows the cause, which ends the time to diagnose. Returns the incident as it now is.

    Raises:
        UnknownIncidentError: there is none with this id.
    """
    return _say(store, "diagnose", incident_id, {"who": who, "cause": cause})


def _say(store: Store, name: str, incident_id: str, said: dict[str, str]) -> Incident:
    incident(store, incident_id)
    with store.write() as transaction:
        transaction.execute(sql(name), {"id": incident_id, "now_ns": time.time_ns(), **said})
    return incident(store, incident_id)
