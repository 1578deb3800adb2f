"""The call object: what `telltale calls --format jsonl` prints and the API answers for one judged call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from analytics.questions.times import rfc3339

_COPIED = (
    "id",
    "project",
    "trace_id",
    "span_id",
    "session_id",
    "session_source",
    "agent",
    "user",
    "model",
    "service",
    "release",
    "tool",
    "call_id",
    "convention",
    "duration_ms",
    "declared",
    "outcome",
    "code",
    "declared_code",
    "code_source",
    "flags",
    "contract_fields",
    "rules",
    "confidence",
    "payload",
    "action",
    "retryable",
    "retry_after_s",
    "upstream",
    "fingerprint",
    "recovered",
    "inferred",
    "run_aborted",
    "muted",
    "rules_version",
)


def call_object(row: Mapping[str, Any]) -> dict[str, Any]:
    """One row of `call` as the object that leaves the service: RFC 3339 times, evidence as a list."""
    made = {name: row[name] for name in _COPIED}
    made["started_at"] = rfc3339(row["started_ns"])
    made["evidence"] = evidence_of(row)
    return made


def evidence_of(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The evidence of a verdict, from its JSON text."""
    found: list[dict[str, Any]] = msgspec.json.decode(row["evidence"])
    return found
