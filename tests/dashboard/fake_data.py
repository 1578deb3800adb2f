"""Invented calls and sessions in the shapes of the query API: a busy day that ends now, otherwise always the same."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from typing import Any

HOSTILE = (
    '<img src=x onerror="window.__pwn=1"><script>window.__pwn=1</script> ![b](http://127.0.0.1:9/b.png) :red[x] $y$'
)
"""Text that would fetch an image, run a script or change the look wherever it is taken for more than text."""

FAILED = ("structured_error", "unstructured_error", "silent_failure")
TOOLS = {
    # tool: weights of ok, structured, unstructured, silent; codes of its failures
    "search_flights": ((90, 4, 2, 2), ("UNAVAILABLE", "INVALID_ARGUMENT")),
    "book_meeting": ((80, 12, 1, 1), ("INVALID_ARGUMENT", "CONFLICT", "UNAVAILABLE")),
    "list_invoices": ((85, 1, 4, 10), ("UNAVAILABLE", "PERMISSION_DENIED")),
    "send_mail": ((95, 1, 3, 1), ("RATE_LIMITED", "INTERNAL")),
    "get_weather": ((99, 1, 0, 0), ("UNAVAILABLE",)),
    "mcp__crm__find_customer": ((88, 3, 6, 3), ("NOT_FOUND", "PERMISSION_DENIED", "INTERNAL")),
}
ACTIONS = {
    "INVALID_ARGUMENT": "fix_arguments",
    "NOT_FOUND": "report_not_found",
    "CONFLICT": "choose_alternative",
    "RATE_LIMITED": "retry_later",
    "UNAVAILABLE": "retry_later",
    "PERMISSION_DENIED": "report_no_access",
    "INTERNAL": "stop_and_tell_user",
}


def stamp(at: datetime) -> str:
    """RFC 3339, UTC."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def result_of(outcome: str, code: str | None, tool: str) -> str | None:
    """What a tool with that outcome returns."""
    if outcome == "ok":
        return json.dumps({"status": "ok", "output": {"id": f"{tool}-7781", "items": ["a", "b"]}})
    if outcome == "structured_error":
        return json.dumps(
            {
                "status": "error",
                "error": {
                    "code": code,
                    "message": f"{tool} could not be done; follow the action.",
                    "action": ACTIONS[str(code)],
                    "retryable": code not in {"NOT_FOUND", "PERMISSION_DENIED", "INTERNAL"},
                },
            }
        )
    if outcome == "unstructured_error":
        return f"Error executing tool {tool}: HTTPStatusError('503 Service Unavailable')"
    return "[]"


def calls(number: int = 600, seed: int = 7, hostile: str | None = None) -> list[dict[str, Any]]:
    """Calls of about a day, newest first. `hostile` text goes into every field that a sender writes."""
    rng = random.Random(seed)
    now = datetime.now(UTC)
    made = []
    for n in range(number):
        tool = rng.choice(list(TOOLS))
        weights, codes = TOOLS[tool]
        outcome = rng.choices(("ok", *FAILED), weights)[0]
        code = None if outcome == "ok" else rng.choice(codes)
        at = now - timedelta(hours=24 * (n / number) ** 1.4, seconds=rng.random() * 20 + 3)
        made.append(_call(n, tool, outcome, code, at=at, rng=rng))
    if hostile:
        for row in made:
            _poison(row, hostile)
    return made


def _call(n: int, tool: str, outcome: str, code: str | None, *, at: datetime, rng: random.Random) -> dict[str, Any]:
    declared = {"ok": "ok", "structured_error": "error", "unstructured_error": "error"}.get(outcome, "ok")
    absent = outcome == "ok" and rng.random() < 0.04
    upstream = [] if outcome == "ok" or n % 3 == 0 else [_upstream(n, code)]
    silent = outcome == "silent_failure"
    evidence = [] if outcome == "ok" else [_evidence(silent, code, upstream)]
    return {
        "project": "default",
        "trace_id": f"{n // 4:032x}",
        "span_id": f"{n + 1:016x}",
        "session_id": f"chat-{n // 4:04d}",
        "agent": rng.choice(("booking_agent", "billing_agent")),
        "user": f"user-{n % 37}",
        "service": "assistant",
        "release": "2026.11.3" if n < 200 else "2026.11.2",
        "tool": tool,
        "call_id": f"call_{n}",
        "started_at": stamp(at),
        "duration_ms": round(rng.lognormvariate(5, 1), 2),
        "declared": declared,
        "outcome": outcome,
        "code": code,
        "declared_code": code if outcome == "structured_error" else None,
        "code_source": None if code is None else "upstream" if silent else "envelope",
        "flags": ["budget_exhausted"] if code == "UNAVAILABLE" and outcome == "structured_error" and n % 2 else [],
        "contract_fields": [],
        "rules": [e["rule"] for e in evidence],
        "evidence": evidence,
        "confidence": "probable" if silent else "certain",
        "payload": "absent" if absent else "captured",
        "action": ACTIONS.get(str(code)) if outcome == "structured_error" else None,
        "retryable": None if code is None else code == "UNAVAILABLE",
        "recovered": None if outcome == "ok" else n % 3 == 1,
        "inferred": False,
        "run_aborted": False,
        "rules_version": 1,
        "arguments": json.dumps({"query": f"item {n}", "limit": 10}),
        "result": None if absent else result_of(outcome, code, tool),
        "error_message": None if outcome in {"ok", "silent_failure"} else f"{tool} could not be done",
        "_upstream": upstream,
    }


def _evidence(silent: bool, code: str | None, upstream: list[dict[str, Any]]) -> dict[str, Any]:
    if silent and upstream:
        return {"rule": "empty_after_upstream_error", "span_id": upstream[0]["span_id"], "value": 503}
    if silent:
        return {"rule": "never_empty_otherwise", "key": "$", "value": "[]"}
    return {"rule": "error_mark", "key": "error.code", "value": code}


def _upstream(n: int, code: str | None) -> dict[str, Any]:
    status = {"UNAVAILABLE": 503, "PERMISSION_DENIED": 403, "RATE_LIMITED": 429, "NOT_FOUND": 404}.get(str(code), 500)
    return {
        "span_id": f"{n + 1:08x}deadbeef",
        "name": "GET",
        "host": "api.example.com",
        "status": str(status),
        "span_status": "ERROR",
    }


def _poison(row: dict[str, Any], text: str) -> None:
    for key in ("tool", "agent", "user", "service", "release", "session_id", "call_id"):
        row[key] = f"{row[key]} {text}"
    for key in ("arguments", "result", "error_message"):
        row[key] = f"{row[key] or ''} {text}"
    if row["outcome"] != "ok":
        row["declared_code"] = text
        row["code"] = row["code"] if len(row["span_id"]) % 2 else text
        row["flags"] = [*row["flags"], text]
        row["rules"] = [*row["rules"], text]
        row["evidence"] = [*row["evidence"], {"rule": text, "key": text, "value": text}]
        row["contract_fields"] = [text]
    for upstream in row["_upstream"]:
        upstream["name"] = upstream["host"] = text
