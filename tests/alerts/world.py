"""A store with judged calls in it, an HTTP sink that remembers, and a clock that tests turn themselves."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from ipaddress import ip_network
from itertools import count
from typing import Any

import pyarrow as pa

from analytics.alerts import AlertJob
from analytics.calls import Call
from collector.store import DuckDBStore
from telltale.vocabulary import Confidence, Declared, Outcome, Payload

SECOND = 1_000_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
NOW = 1_790_000_000 * SECOND
_ROLLUP = """INSERT INTO rollup_hour BY NAME
SELECT project, CAST(started_ns // 3600000000000 AS INTEGER) AS hour, tool, outcome, coalesce(code, 'none') AS code,
    payload, measured, inferred, muted, list_contains(flags, 'budget_exhausted') AS budget_exhausted,
    CASE WHEN recovered THEN 'yes' WHEN NOT recovered THEN 'no' ELSE 'unknown' END AS recovered, count(*) AS calls
FROM call GROUP BY ALL"""
_EMPTY = {"string": "", "bool": True, "list<item: string>": [], "list<l: string>": []}
_NAMES = [f.name for f in fields(Call)]
_numbers = count(1)


def call(at_ns: int, tool: str = "search", session: str | None = None, **changes: Any) -> Call:
    """A judged call that started at `at_ns` and arrived a second later; healthy unless `changes` say otherwise."""
    number = next(_numbers)
    return Call(
        **{
            "id": f"call-{number}",
            "project": "default",
            "trace_id": f"{number:032x}",
            "span_id": f"{number:016x}",
            "span_ids": [f"{number:016x}"],
            "tool": tool,
            "started_ns": at_ns,
            "duration_ms": 20.0,
            "outcome": Outcome.OK,
            "declared": Declared.OK,
            "confidence": Confidence.CERTAIN,
            "payload": Payload.CAPTURED,
            "session_id": session or f"session-{number}",
            "session_source": "gen_ai.conversation.id",
            "received_ns": at_ns + SECOND,
            "recovered": None,
            **changes,
        }
    )


def failing(at_ns: int, code: str, **changes: Any) -> Call:
    """A call that failed with a declared code."""
    given = {"outcome": Outcome.STRUCTURED_ERROR, "declared": Declared.ERROR, "code": code, "declared_code": code}
    return call(at_ns, **{**given, "code_source": "declared", "error_message": f"{code} happened", **changes})


def add(store: DuckDBStore, calls: list[Call]) -> None:
    """Store judged calls and compute the rollups again; columns that the judge adds get an empty value."""
    with store.write() as transaction:
        columns = transaction.query("SELECT * FROM call LIMIT 0").schema
        empty = {f.name: _EMPTY.get(str(f.type), 0) for f in columns}
        rows = [
            {
                **empty,
                **{name: getattr(c, name) for name in _NAMES},
                "session_key": c.session_id or c.trace_id,
                "evidence": json.dumps(c.evidence),
            }
            for c in calls
        ]
        transaction.insert("call", pa.Table.from_pylist(rows, schema=columns))
        transaction.execute("DELETE FROM rollup_hour")
        transaction.execute(_ROLLUP)


@dataclass
class Sink:
    """A webhook receiver that remembers, and answers as told."""

    url: str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    got: list[dict[str, Any]] = field(default_factory=list)
    seen: list[dict[str, Any]] = field(default_factory=list)

    def of(self, status: str) -> list[dict[str, Any]]:
        """Accepted notices of one kind."""
        return [body for body in self.got if body["status"] == status]


LOOPBACK = (ip_network("127.0.0.0/8"),)


def run(job: AlertJob, from_ns: int, to_ns: int, step_ns: int = 10 * SECOND) -> list[Any]:
    """Evaluate as the service does, from one moment to another; returns every event."""
    return [event for now in range(from_ns, to_ns + 1, step_ns) for event in job.run_once(now)]
