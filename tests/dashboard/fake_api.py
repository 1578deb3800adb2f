"""A stand-in for the query API, answering from invented calls in exactly the contract's shapes.

It exists so that the pages can be tested in states a real store is hard to bring into: hostile text in every field,
answers that come late, refusals, nothing at all.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from fake_data import FAILED, stamp
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

Call = dict[str, Any]
_UNITS = {"m": 60, "h": 3600, "d": 86_400}


class FakeApi:
    """The answers, and the switches that put the API into a state."""

    def __init__(self, calls: list[Call], *, hostile: str | None = None) -> None:
        self.calls = calls
        self.hostile = hostile
        self.delay_s = 0.0
        self.refuse = False
        self.asked: list[str] = []
        self.authorization: set[str | None] = set()
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.incidents = _incidents(calls, hostile) if calls else []

    def app(self) -> Starlette:
        """The application that answers."""
        plain = (
            "overview",
            "calls",
            "tools",
            "silent",
            "sessions",
            "groups",
            "incidents",
            "senders",
            "status",
            "rules",
            "corrections",
        )
        routes = [Route(f"/api/v1/{name}", self._answering(getattr(self, f"get_{name}"))) for name in plain]
        routes += [
            Route("/api/v1/tools-codes", self._answering(self.get_tools_codes)),
            Route("/api/v1/calls/{span_id}", self._answering(self.get_call)),
            Route("/api/v1/sessions/{session:path}/replay", self._answering(self.get_replay)),
            Route("/api/v1/incidents/{id}/{what}", self._telling, methods=["POST"]),
            Route("/api/v1/corrections", self._telling, methods=["POST"]),
        ]
        return Starlette(routes=routes)

    def _answering(self, answer: Any) -> Any:
        async def endpoint(request: Request) -> Response:
            self.asked.append(str(request.url))
            self.authorization.add(request.headers.get("authorization"))
            await asyncio.sleep(self.delay_s)
            if self.refuse:
                return JSONResponse({"error": "since: not a time"}, status_code=400)
            body = answer(request)
            return JSONResponse(
                {"as_of": stamp(datetime.now(UTC)), **body} if body is not None else {}, 200 if body else 404
            )

        return endpoint

    async def _telling(self, request: Request) -> Response:
        if request.headers.get("x-telltale-request") != "1":
            return JSONResponse({"error": "x-telltale-request is missing"}, status_code=403)
        body = await request.json()
        self.told.append((request.url.path, body))
        for row in self.incidents:
            if row["id"] == request.path_params.get("id"):
                key = {"acknowledge": "acknowledged", "diagnose": "diagnosed"}[request.path_params["what"]]
                row.update({key: stamp(datetime.now(UTC)), "cause": body.get("cause") or row["cause"]})
                row["state"] = "acknowledged" if row["state"] == "firing" else row["state"]
        return JSONResponse({"as_of": stamp(datetime.now(UTC)), "rows": []})

    def _matching(self, request: Request, earlier: bool = False) -> list[Call]:
        q = request.query_params
        begin, end = _window(q.get("since", "24h"), earlier)
        return [c for c in self.calls if begin <= c["started_at"] < end and _matches(c, q)]

    def get_overview(self, request: Request) -> dict[str, Any]:
        rows = self._matching(request)
        failed = [c for c in rows if c["outcome"] in FAILED]
        before = self._matching(request, earlier=True)
        return {
            "calls": len(rows),
            "failures": len(failed),
            "by_outcome": dict(Counter(c["outcome"] for c in rows)),
            "compliance": _compliance(rows),
            "sessions": len({c["session_id"] for c in rows}),
            "sessions_failed": len({c["session_id"] for c in failed}),
            "sessions_unrecovered": len({c["session_id"] for c in failed if c["recovered"] is False}),
            "users_failed": len({c["user"] for c in failed}),
            "budget_exhausted": sum("budget_exhausted" in c["flags"] for c in rows),
            "silent": sum(c["outcome"] == "silent_failure" for c in rows),
            "inferred_internal": 0,
            "open_incidents": [i for i in self.incidents if i["state"] != "resolved"],
            "trend": _trend(rows, request.query_params.get("since", "24h")),
            "worst_tools": _tools(rows)[:8],
            "previous": {
                "calls": len(before),
                "failures": sum(c["outcome"] in FAILED for c in before),
                "silent": sum(c["outcome"] == "silent_failure" for c in before),
                "compliance": _compliance(before),
            },
        }

    def get_calls(self, request: Request) -> dict[str, Any]:
        rows = self._matching(request)
        start, limit = int(request.query_params.get("cursor", 0)), int(request.query_params.get("limit", 100))
        after = start + limit if start + limit < len(rows) else None
        page = [{k: v for k, v in c.items() if k[0] != "_"} for c in rows[start : start + limit]]
        return {"rows": page, "total": len(rows), "next_cursor": None if after is None else str(after)}

    def get_call(self, request: Request) -> dict[str, Any] | None:
        call = next((c for c in self.calls if c["span_id"] == request.path_params["span_id"]), None)
        if call is None:
            return None
        return _full(call)

    def get_tools(self, request: Request) -> dict[str, Any]:
        rows = _tools(self._matching(request))
        return {"rows": rows, "total": len(rows)}

    def get_tools_codes(self, request: Request) -> dict[str, Any]:
        counted = Counter(
            (c["tool"], c["code"] or "none", c["outcome"]) for c in self._matching(request) if c["outcome"] in FAILED
        )
        rows = [{"tool": t, "code": c, "outcome": o, "calls": n} for (t, c, o), n in counted.items()]
        return {"rows": rows, "total": len(rows)}

    def get_silent(self, request: Request) -> dict[str, Any]:
        rows = [c for c in self._matching(request) if c["outcome"] == "silent_failure"]
        return {"rows": rows[: int(request.query_params.get("limit", 100))], "total": len(rows)}

    def get_sessions(self, request: Request) -> dict[str, Any]:
        rows = _sessions(self._matching(request))
        for key in ("flagged", "unrecovered"):
            if request.query_params.get(key) == "true":
                rows = [row for row in rows if row[key]]
        return {"rows": rows[: int(request.query_params.get("limit", 100))], "total": len(rows), "next_cursor": None}

    def get_replay(self, request: Request) -> dict[str, Any] | None:
        session = request.path_params["session"]
        rows = sorted((c for c in self.calls if c["session_id"] == session), key=lambda c: c["started_at"])
        if not rows:
            return None
        steps = _steps(rows, self.hostile or "")
        first = next((s["n"] for s in steps if s["call"] and s["call"]["outcome"] in FAILED), None)
        return {"session": _sessions(rows)[0], "steps": steps, "first_failing_step": first}

    def get_groups(self, request: Request) -> dict[str, Any]:
        rows = _groups(self._matching(request))
        return {"rows": rows[: int(request.query_params.get("limit", 100))], "total": len(rows)}

    def get_incidents(self, _: Request) -> dict[str, Any]:
        return {"rows": self.incidents, "total": len(self.incidents)}

    def get_senders(self, _: Request) -> dict[str, Any]:
        if not self.calls:
            return {"rows": []}
        text = f" {self.hostile}" if self.hostile else ""
        rows = [
            {
                "service": f"assistant{text}",
                "scope": f"opentelemetry.instrumentation.adk{text}",
                "convention": f"gen_ai{text}",
                "spans": 5 * len(self.calls),
                "calls": len(self.calls),
                "first_seen": self.calls[-1]["started_at"],
                "last_seen": self.calls[0]["started_at"],
                "lost": [{"what": f"results of tools{text}", "switch": f"OTEL_CAPTURE_CONTENT=true{text}"}],
            }
        ]
        return {"rows": rows}

    def get_rules(self, request: Request) -> dict[str, Any]:
        said = Counter(rule for call in self._matching(request) for rule in call["rules"])
        unchecked = {"rate": None, "denominator": 0, "numerator": 0, "not_measured": 1}
        rows = [
            {"rule": rule, "sentence": f"What {rule} says.", "confidence": "certain", "calls": n, "muted": 0}
            | {"silent": 0, "last_seen": None, "precision": unchecked}
            for rule, n in said.items()
        ]
        return {"rows": rows, "total": len(rows)}

    def get_corrections(self, _: Request) -> dict[str, Any]:
        row = {"tool": "send_mail", "rule": "error_mark", "judged": "silent_failure", "outcome": "ok"}
        row |= {"who": f"ada {self.hostile or ''}", "why": f"An empty list is normal. {self.hostile or ''}"}
        return {"rows": [{**row, "created_at": stamp(datetime.now(UTC))}] if self.calls else []}

    def get_status(self, _: Request) -> dict[str, Any]:
        last = self.calls[0]["started_at"] if self.calls else None
        return {
            "spans": 5 * len(self.calls),
            "calls": len(self.calls),
            "last_received_at": last,
            "last_judged_at": last,
            "judged_lag_s": 0.4,
            "refused": {},
            "version": "0.1.0",
        }


def _full(call: Call) -> Call:
    explained = [{"rule": r, "sentence": "What this rule says.", "evidence": []} for r in call["rules"]]
    shown = {key: value for key, value in call.items() if key[0] != "_"}
    return {**shown, "rules_explained": explained, "span_ids": [call["span_id"]], "lost": []}


def _window(since: str, earlier: bool) -> tuple[str, str]:
    now = datetime.now(UTC)
    if since == "all":
        return ("", "9") if not earlier else ("9", "9")
    if since[-1] in _UNITS and since[:-1].isdigit():
        length = timedelta(seconds=int(since[:-1]) * _UNITS[since[-1]])
    else:
        length = now - datetime.fromisoformat(since)
    end = now - length if earlier else now + timedelta(seconds=1)
    return stamp(end - length - timedelta(seconds=1)), stamp(end)


def _matches(call: Call, q: Any) -> bool:
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
    if q.get("fingerprint") and q["fingerprint"] != _fingerprint(call):
        return False
    return not (q.get("payload") and q["payload"] != call["payload"])


def _compliance(rows: list[Call]) -> dict[str, Any]:
    failed = [c for c in rows if c["outcome"] in FAILED]
    good, n = sum(c["outcome"] == "structured_error" for c in failed), len(failed)
    missing = sum(c["payload"] == "absent" for c in rows)
    if not n:
        return {"rate": None, "low": None, "high": None, "numerator": 0, "denominator": 0, "not_measured": missing}
    p, z = good / n, 1.96
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)
    return {"rate": p, "low": low, "high": high, "numerator": good, "denominator": n, "not_measured": missing}


def _trend(rows: list[Call], since: str) -> list[dict[str, Any]]:
    buckets: dict[str, Counter[str]] = {}
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    for back in range(24):
        buckets[stamp(now - timedelta(hours=back))[:13]] = Counter()
    for call in rows:
        buckets.setdefault(call["started_at"][:13], Counter())[call["outcome"]] += 1
    names = ("ok", *FAILED)
    return [{"bucket": f"{b}:00:00Z", **{n: c[n] for n in names}} for b, c in sorted(buckets.items())]


def _tools(rows: list[Call]) -> list[dict[str, Any]]:
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
                "compliance": _compliance(own),
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


def _sessions(rows: Iterable[Call]) -> list[dict[str, Any]]:
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


def _fingerprint(call: Call) -> str:
    return hashlib.sha256(f"{call['tool']} {call['code']} {call['outcome']}".encode()).hexdigest()[:16]


def _groups(rows: list[Call]) -> list[dict[str, Any]]:
    grouped: dict[tuple[str, Any, str], list[Call]] = {}
    for call in rows:
        if call["outcome"] in FAILED:
            grouped.setdefault((call["tool"], call["code"], call["outcome"]), []).append(call)
    made = [
        {
            "fingerprint": _fingerprint(own[0]),
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


def _steps(rows: list[Call], text: str) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []

    def add(kind: str, title: str, call: Call | None = None, said: str | None = None) -> None:
        steps.append(
            {
                "n": len(steps) + 1,
                "kind": kind,
                "title": title,
                "span_id": call["span_id"] if call else f"{len(steps):016x}",
                "trace_id": rows[0]["trace_id"],
                "parent_span_id": "",
                "started_at": (call or rows[0])["started_at"],
                "duration_ms": call["duration_ms"] if call else 812.0,
                "span_status": "UNSET",
                "text": said,
                "call": _full(call) if call else None,
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


def _incidents(calls: list[Call], hostile: str | None) -> list[dict[str, Any]]:
    now, text = datetime.now(UTC), f" {hostile}" if hostile else ""
    failed = [c for c in calls if c["outcome"] in FAILED]
    base = {"project": "default", "severity": "page", "numbers": {f"sessions in 5 min{text}": 7, "normal": 0.4}}
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
            "text": f"7 sessions denied in 5 minutes; normal is 0.4.{text}",
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
