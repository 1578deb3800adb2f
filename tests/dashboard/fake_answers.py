"""What the stand-in API answers, derived from invented calls."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from fake_data import FAILED, stamp

Call = dict[str, Any]
_UNITS = {"m": 60, "h": 3600, "d": 86_400}


def full_call(call: Call) -> Call:
    """A call with everything that is known of it."""
    explained = [{"rule": r, "sentence": "What this rule says.", "evidence": []} for r in call["rules"]]
    shown = {key: value for key, value in call.items() if key[0] != "_"}
    return {**shown, "rules_explained": explained, "span_ids": [call["span_id"]], "lost": []}


def window(since: str, earlier: bool) -> tuple[str, str]:
    """The range that `since` names, or the one of equal length before it."""
    now = datetime.now(UTC)
    if since == "all":
        return ("", "9") if not earlier else ("9", "9")
    if since[-1] in _UNITS and since[:-1].isdigit():
        length = timedelta(seconds=int(since[:-1]) * _UNITS[since[-1]])
    else:
        length = now - datetime.fromisoformat(since)
    end = now - length if earlier else now + timedelta(seconds=1)
    return stamp(end - length - timedelta(seconds=1)), stamp(end)


def matches(call: Call, q: Any) -> bool:
    """Whether a call passes the filters of a request."""
    for key, field in (("tool", "tool"), ("agent", "agent"), ("session", "session_id"), ("user", "user")):
        if q.get(key) and q[key] != call[field]:
            return False
    outcomes = FAILED if q.get("outcome") == "failed" else (q.get("outcome") or "").split(",")
    if q.get("outcome") and call["outcome"] not in outcomes:
        return False
    if q.get("code") and (call["code"] or "none") not in q["code"].split(","):
        return False
    if q.get("flag") and q["flag"] not in call["flags"]:
        return False
    if q.get("fingerprint") and q["fingerprint"] != fingerprint(call):
        return False
    return not (q.get("payload") and q["payload"] != call["payload"])


def compliance(rows: list[Call]) -> dict[str, Any]:
    """The rate with its interval, denominator and what was not measured."""
    failed = [c for c in rows if c["outcome"] in FAILED]
    good, n = sum(c["outcome"] == "structured_error" for c in failed), len(failed)
    missing = sum(c["payload"] == "absent" for c in rows)
    if not n:
        return {"rate": None, "low": None, "high": None, "numerator": 0, "denominator": 0, "not_measured": missing}
    p, z = good / n, 1.96
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)
    return {"rate": p, "low": low, "high": high, "numerator": good, "denominator": n, "not_measured": missing}


def trend_rows(rows: list[Call], since: str) -> list[dict[str, Any]]:
    """Calls by outcome and hour."""
    buckets: dict[str, Counter[str]] = {}
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    for back in range(24):
        buckets[stamp(now - timedelta(hours=back))[:13]] = Counter()
    for call in rows:
        buckets.setdefault(call["started_at"][:13], Counter())[call["outcome"]] += 1
    names = ("ok", *FAILED)
    return [{"bucket": f"{b}:00:00Z", **{n: c[n] for n in names}} for b, c in sorted(buckets.items())]


def tool_rows(rows: list[Call]) -> list[dict[str, Any]]:
    """Tools, worst first."""
    made = []
    for tool in {c["tool"] for c in rows}:
        own = [c for c in rows if c["tool"] == tool]
        failed = [c for c in own if c["outcome"] in FAILED]
        times = sorted(c["duration_ms"] for c in own)
        outcomes = Counter(c["outcome"] for c in own)
        made.append(
            {
                "tool": tool,
                "calls": len(own),
                **{name: outcomes[name] for name in ("ok", *FAILED)},
                "not_measured": sum(c["payload"] == "absent" for c in own),
                "compliance": compliance(own),
                "failure_rate": len(failed) / len(own),
                "p50_ms": times[len(times) // 2],
                "p95_ms": times[int(len(times) * 0.95)],
                "budget_exhausted": sum("budget_exhausted" in c["flags"] for c in own),
                "sessions_failed": len({c["session_id"] for c in failed}),
                "last_failure_at": max((c["started_at"] for c in failed), default=None),
                "top_code": Counter(c["code"] for c in failed).most_common(1)[0][0] if failed else None,
            }
        )
    return sorted(made, key=lambda row: -row["failure_rate"])


def release_rows(rows: list[Call]) -> list[dict[str, Any]]:
    """The tools under each release."""
    made = []
    for release in sorted({c["release"] for c in rows}):
        own = [c for c in rows if c["release"] == release]
        starts = sorted(c["started_at"] for c in own)
        place = {"release": release, "first_call_at": starts[0], "last_call_at": starts[-1]}
        made += [{**row, **place} for row in tool_rows(own)]
    return made


def session_rows(rows: Iterable[Call]) -> list[dict[str, Any]]:
    """Sessions of some calls."""
    grouped: dict[str, list[Call]] = {}
    for call in rows:
        grouped.setdefault(call["session_id"], []).append(call)
    made = []
    for session, own in grouped.items():
        failed = [c for c in own if c["outcome"] in FAILED]
        made.append(
            {
                "session_id": session,
                "session_source": "attribute",
                "agent": own[0]["agent"],
                "user": own[0]["user"],
                "started_at": min(c["started_at"] for c in own),
                "ended_at": max(c["started_at"] for c in own),
                "calls": len(own),
                "failures": len(failed),
                "silent": sum(c["outcome"] == "silent_failure" for c in own),
                "unrecovered": sum(c["recovered"] is False for c in failed),
                "flagged": bool(failed),
                "codes": sorted({c["code"] for c in failed if c["code"]}),
                "tools": sorted({c["tool"] for c in own}),
                "traces": 1,
            }
        )
    return made


def fingerprint(call: Call) -> str:
    """What failures of one kind have in common."""
    return hashlib.sha256(f"{call['tool']} {call['code']} {call['outcome']}".encode()).hexdigest()[:16]


def group_rows(rows: list[Call]) -> list[dict[str, Any]]:
    """Failures by kind, most frequent first."""
    grouped: dict[tuple[str, Any, str], list[Call]] = {}
    for call in rows:
        if call["outcome"] in FAILED:
            grouped.setdefault((call["tool"], call["code"], call["outcome"]), []).append(call)
    made = [
        {
            "fingerprint": fingerprint(own[0]),
            "last_session": own[0]["session_id"],
            "last_span_id": own[0]["span_id"],
            "tool": tool,
            "code": code,
            "outcome": outcome,
            "message": own[0]["error_message"] or "[] after an upstream error",
            "calls": len(own),
            "sessions": len({c["session_id"] for c in own}),
            "users": len({c["user"] for c in own}),
            "agents": len({c["agent"] for c in own}),
            "first_seen": min(c["started_at"] for c in own),
            "last_seen": max(c["started_at"] for c in own),
            "releases": sorted({c["release"] for c in own}),
            "fault": "upstream" if code == "UNAVAILABLE" else "tool",
        }
        for (tool, code, outcome), own in grouped.items()
    ]
    return sorted(made, key=lambda row: -row["calls"])


def step_rows(rows: list[Call], text: str) -> list[dict[str, Any]]:
    """A session's steps."""
    steps: list[dict[str, Any]] = []

    def add(kind: str, title: str, call: Call | None = None, said: str | None = None) -> None:
        steps.append(
            {
                "n": len(steps),
                "kind": kind,
                "title": title,
                "span_id": call["span_id"] if call else f"{len(steps):016x}",
                "trace_id": rows[0]["trace_id"],
                "parent_span_id": "",
                "started_at": (call or rows[0])["started_at"],
                "duration_ms": call["duration_ms"] if call else 812.0,
                "span_status": "UNSET",
                "text": said,
                "call": full_call(call) if call else None,
                "arguments": call["arguments"] if call else None,
                "result": call["result"] if call else None,
                "told": call["error_message"] if call else None,
                "upstream": call["_upstream"] if call else [],
            }
        )

    add("user", f"user message {text}", said=f"Book next Tuesday at ten, please. {text}")
    for call in rows:
        add("model", f"chat model-x {text}", said=f"I will call a tool. {text}")
        add("tool", call["tool"], call)
    add("model", f"chat model-x {text}", said=f"There are no meetings next week. {text}")
    return steps


def standing(now: datetime) -> dict[str, Any]:
    """What an open incident has come to by now."""
    return {
        "calls": 31,
        "failing_calls": 12,
        "sessions": 9,
        "users": 7,
        "recent": 5,
        "before": 3,
        "window_s": 600,
        "last_failure": stamp(now - timedelta(seconds=40)),
    }


def incident_rows(calls: list[Call], hostile: str | None) -> list[dict[str, Any]]:
    """One open and one resolved incident."""
    now, text = datetime.now(UTC), f" {hostile}" if hostile else ""
    failed = [c for c in calls if c["outcome"] in FAILED]
    base = {
        "project": "default",
        "severity": "page",
        "numbers": {f"sessions in 5 min{text}": 7, "normal": 0.4},
        "now": None,
    }
    examples = list(dict.fromkeys(c["session_id"] for c in failed))[:3]
    return [
        {
            **base,
            "id": "inc-1",
            "rule": "permission_denied",
            "tool": f"mcp__crm__find_customer{text}",
            "code": "PERMISSION_DENIED",
            "state": "firing",
            "first_failure": stamp(now - timedelta(minutes=14)),
            "detected": stamp(now - timedelta(minutes=12)),
            "notified": stamp(now - timedelta(minutes=12)),
            "acknowledged": None,
            "diagnosed": None,
            "resolved": None,
            "cause": None,
            "example_sessions": examples,
            "text": f"7 sessions denied in 5 minutes; normal is 0.4.{text}\nDashboard: http://127.0.0.1:8501/replay",
            "now": standing(now),
        },
        {
            **base,
            "id": "inc-0",
            "rule": f"internal_above_baseline{text}",
            "tool": "send_mail",
            "code": "INTERNAL",
            "state": "resolved",
            "first_failure": stamp(now - timedelta(hours=9)),
            "detected": stamp(now - timedelta(hours=8, minutes=58)),
            "notified": stamp(now - timedelta(hours=8, minutes=58)),
            "acknowledged": stamp(now - timedelta(hours=8, minutes=50)),
            "diagnosed": stamp(now - timedelta(hours=8, minutes=20)),
            "resolved": stamp(now - timedelta(hours=8)),
            "cause": f"Certificate of the mail relay expired.{text}",
            "example_sessions": examples,
            "text": f"send_mail INTERNAL above its normal.{text}",
        },
    ]
