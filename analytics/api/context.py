"""What every endpoint has at hand, and how an endpoint is declared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from analytics.api.query import Query
from analytics.settings import JudgeSettings
from analytics.store import Store

Answer = dict[str, Any]
"""What an endpoint answers; `as_of` is added on the way out."""

Status = Callable[[], Mapping[str, Any]]
"""What the process knows of itself: received and refused counts, judged lag, version."""


class Incidents(Protocol):
    """A person's word on an incident, for an alert job that keeps incidents in memory; the rows themselves are read
    from the `alert` table."""

    def acknowledge(self, incident_id: str, who: str) -> object:
        """Mark one as seen."""

    def diagnose(self, incident_id: str, who: str, cause: str) -> object:
        """Name the cause of one."""


@dataclass(slots=True, frozen=True)
class Context:
    """The store and the settings that answers come from."""

    store: Store
    settings: JudgeSettings = field(default_factory=JudgeSettings)
    status: Status | None = None
    alerts: Incidents | None = None


@dataclass(slots=True, frozen=True)
class Endpoint:
    """One endpoint under `/api/v1/`: its path, what it answers, and the function that does.

    `filters` names the parameters that it uses; any other is refused, for one that did nothing would be taken for an
    answer. `body` names the texts that the body of a POST must hold, `optional` those that it may hold.
    """

    name: str
    path: str
    summary: str
    answer: Callable[[Context, Query], Answer]
    filters: tuple[str, ...]
    method: str = "GET"
    body: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
