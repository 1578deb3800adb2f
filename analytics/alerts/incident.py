"""An incident: one episode in which a rule was met for one scope, with the moments that time to diagnose is made of."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any

import pyarrow as pa


class Severity(StrEnum):
    """Whether somebody is woken up, or reads it in the morning."""

    PAGE = "page"
    TICKET = "ticket"


class State(StrEnum):
    """Where an incident stands. A diagnosis is a time and a cause beside the state."""

    FIRING = "firing"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"


class Rule(StrEnum):
    """What can be met. The value is the alert's name in every notice."""

    INTERNAL = "internal_above_baseline"
    DENIED = "permission_denied"
    EXHAUSTED = "budget_exhausted"
    SILENT = "silent_failures"
    NO_DATA = "no_data"
    NOTIFIER = "notifier_failing"


@dataclass(slots=True, frozen=True)
class Finding:
    """A rule that is met now: for `tool`, or for the project's quiet tools together (None).

    Without a severity it opens nothing and only keeps an open incident open. `since_ns` is where the evidence begins,
    `met_ns` the failure that met it last (None: this evaluation); `numbers` everything that the arithmetic used, so
    that a person can repeat it.
    """

    rule: Rule
    project: str
    tool: str | None
    severity: Severity | None
    since_ns: int
    numbers: dict[str, Any]
    code: str | None = None
    signal: str = ""
    met_ns: int | None = None


@dataclass(slots=True)
class Incident:
    """A row of table `alert`; names and meaning are the table's. Times are nanoseconds since 1970 UTC."""

    id: str
    dedupe_key: str
    rule: str
    project: str
    tool: str | None
    severity: str
    detected_ns: int
    last_met_ns: int
    code: str | None = None
    state: str = State.FIRING
    first_failure_ns: int | None = None
    announced_ns: int | None = None
    notified_ns: int | None = None
    acknowledged_ns: int | None = None
    acknowledged_by: str | None = None
    diagnosed_ns: int | None = None
    diagnosed_by: str | None = None
    resolved_ns: int | None = None
    settled_ns: int | None = None
    cause: str | None = None
    inhibited_by: str | None = None
    numbers: dict[str, Any] = field(default_factory=dict)
    example_sessions: list[str] = field(default_factory=list)
    text: str = ""

    @property
    def open(self) -> bool:
        """Whether the episode still goes on."""
        return self.state != State.RESOLVED

    @property
    def tells_of_silent(self) -> bool:
        """Whether a finding on the silent failures of its scope was folded into it (`analytics.alerts.folding`)."""
        return FOLDED[0] in self.numbers

    @property
    def scope(self) -> tuple[str, str, str | None]:
        """What at most one open incident exists for."""
        return (self.rule, self.project, self.tool)


FOLDED = ("silent_calls", "silent_sessions")
"""Numbers of an incident that another rule's finding put there; they stay when it grows graver."""


@dataclass(slots=True, frozen=True)
class AlertEvent:
    """Something that one evaluation changed: `kind` is firing, escalated or resolved."""

    kind: str
    incident: Incident


def begin(finding: Finding, now_ns: int) -> Incident:
    """The incident that a finding opens."""
    start = finding.since_ns
    named = json.dumps([finding.rule, finding.project, finding.tool, start])
    key = hashlib.sha256(named.encode("utf-8", "replace")).hexdigest()
    return Incident(
        id=key[:16],
        dedupe_key=key,
        rule=finding.rule,
        project=finding.project,
        tool=finding.tool,
        code=finding.code,
        severity=finding.severity or Severity.TICKET,
        detected_ns=now_ns,
        last_met_ns=finding.met_ns or now_ns,
        first_failure_ns=start,
        numbers=dict(finding.numbers),
    )


def to_arrow(incidents: list[Incident]) -> pa.Table:
    """Rows for table `alert`."""
    rows = [{**asdict(incident), "numbers": json.dumps(incident.numbers)} for incident in incidents]
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def from_rows(rows: list[dict[str, Any]]) -> list[Incident]:
    """Incidents of rows read from table `alert`."""
    names = [f.name for f in fields(Incident)]
    return [Incident(**{**{name: row[name] for name in names}, "numbers": json.loads(row["numbers"])}) for row in rows]


def _arrow_type(name: str) -> pa.DataType:
    if name.endswith("_ns"):
        return pa.int64()
    return pa.list_(pa.string()) if name == "example_sessions" else pa.string()


_SCHEMA = pa.schema([(f.name, _arrow_type(f.name)) for f in fields(Incident)])
