"""A stand-in for the query API, answering from invented calls in exactly the contract's shapes.

It exists so that the pages can be tested in states a real store is hard to bring into: hostile text in every field,
answers that come late, refusals, nothing at all.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime
from typing import Any

from fake_answers import (
    compliance,
    full_call,
    group_rows,
    incident_rows,
    matches,
    release_rows,
    session_rows,
    step_rows,
    tool_rows,
    trend_rows,
    window,
)
from fake_data import FAILED, stamp
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from analytics.api.endpoints import BY_NAME

Call = dict[str, Any]


def _named(answer: Any) -> str:
    """The endpoint that a method answers."""
    return str(answer.__name__).removeprefix("get_").replace("_", "-")


class FakeApi:
    """The answers, and the switches that put the API into a state."""

    def __init__(self, calls: list[Call], *, hostile: str | None = None) -> None:
        self.calls = calls
        self.hostile = hostile
        self.delay_s = 0.0
        self.refuse = False
        self.longest: int | None = None
        self.traces_left_out = 0
        self.service: dict[str, Any] = {}
        self.asked: list[str] = []
        self.authorization: set[str | None] = set()
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.incidents = incident_rows(calls, hostile) if calls else []

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
            "report",
        )
        routes = [Route(f"/api/v1/{name}", self._answering(getattr(self, f"get_{name}"))) for name in plain]
        routes += [
            Route("/api/v1/tools-codes", self._answering(self.get_tools_codes)),
            Route("/api/v1/calls/{span_id}", self._answering(self.get_call)),
            Route("/api/v1/sessions/{session:path}/replay", self._answering(self.get_replay)),
            Route("/api/v1/incidents/{id}/{what}", self._telling, methods=["POST"]),
            Route("/api/v1/corrections", self._telling, methods=["POST"]),
            Route("/api/v1/corrections/{correction}/undo", self._telling, methods=["POST"]),
        ]
        return Starlette(routes=routes)

    def _answering(self, answer: Any) -> Any:
        async def endpoint(request: Request) -> Response:
            self.asked.append(str(request.url))
            self.authorization.add(request.headers.get("authorization"))
            await asyncio.sleep(self.delay_s)
            if self.refuse:
                return JSONResponse({"error": "since: not a time"}, status_code=400)
            strange = request.query_params.keys() - set(BY_NAME[_named(answer)].filters)
            if strange:
                return JSONResponse({"error": f"{strange} does nothing here"}, status_code=400)
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
        if q.get("project", "default") != "default":
            return []
        begin, end = window(q.get("since", "24h"), earlier)
        end = min(end, q.get("as_of", end))
        return [c for c in self.calls if begin <= c["started_at"] < end and matches(c, q)]

    def get_overview(self, request: Request) -> dict[str, Any]:
        rows = self._matching(request)
        failed = [c for c in rows if c["outcome"] in FAILED]
        before = self._matching(request, earlier=True)
        return {
            "calls": len(rows),
            "failures": len(failed),
            "by_outcome": dict(Counter(c["outcome"] for c in rows)),
            "compliance": compliance(rows),
            "sessions": len({c["session_id"] for c in rows}),
            "sessions_failed": len({c["session_id"] for c in failed}),
            "sessions_unrecovered": len({c["session_id"] for c in failed if c["recovered"] is False}),
            "users_failed": len({c["user"] for c in failed}),
            "budget_exhausted": sum("budget_exhausted" in c["flags"] for c in rows),
            "silent": sum(c["outcome"] == "silent_failure" for c in rows),
            "inferred_internal": 0,
            "open_incidents": [i for i in self.incidents if i["state"] != "resolved"],
            "trend": trend_rows(rows, request.query_params.get("since", "24h")),
            "worst_tools": tool_rows(rows)[:8],
            "codes": [{"code": c, "calls": n} for c, n in Counter(c["code"] or "none" for c in failed).most_common()],
            "failing_sessions": [row for row in session_rows(rows) if row["flagged"]][:6],
            "previous": {
                "calls": len(before),
                "failures": sum(c["outcome"] in FAILED for c in before),
                "silent": sum(c["outcome"] == "silent_failure" for c in before),
                "compliance": compliance(before),
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
        return full_call(call)

    def get_tools(self, request: Request) -> dict[str, Any]:
        found = self._matching(request)
        rows = release_rows(found) if request.query_params.get("by") == "release" else tool_rows(found)
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
        rows = session_rows(self._matching(request))
        for key in ("flagged", "unrecovered"):
            if request.query_params.get(key) == "true":
                rows = [row for row in rows if row[key]]
        return {"rows": rows[: int(request.query_params.get("limit", 100))], "total": len(rows), "next_cursor": None}

    def get_replay(self, request: Request) -> dict[str, Any] | None:
        session = request.path_params["session"]
        rows = sorted((c for c in self.calls if c["session_id"] == session), key=lambda c: c["started_at"])
        if not rows:
            return None
        steps = step_rows(rows, self.hostile or "")
        first = next((s["n"] for s in steps if s["call"] and s["call"]["outcome"] in FAILED), None)
        shown = steps if self.longest is None else steps[self._first(request, steps) :][: self.longest]
        return {
            "session": session_rows(rows)[0],
            "steps": shown,
            "first_failing_step": first,
            "total": len(steps),
            "traces_left_out": self.traces_left_out,
            "calls_left_out": 0,
        }

    def _first(self, request: Request, steps: list[dict[str, Any]]) -> int:
        around = request.query_params.get("around", "0")
        place = next((s["n"] for s in steps if around in (str(s["n"]), s["span_id"])), 0)
        return int(min(place, len(steps) - (self.longest or 0)))

    def get_groups(self, request: Request) -> dict[str, Any]:
        rows = group_rows(self._matching(request))
        return {"rows": rows[: int(request.query_params.get("limit", 100))], "total": len(rows)}

    def get_incidents(self, request: Request) -> dict[str, Any]:
        state = request.query_params.get("state")
        rows = [i for i in self.incidents if not state or state in (i["state"], i["state"] != "resolved" and "open")]
        return {"rows": rows, "total": len(rows)}

    def get_report(self, _: Request) -> dict[str, Any]:
        took = {"median": 120.0, "p90": 840.0, "measured": 2}
        parts = dict.fromkeys(("detect_s", "notify_s", "acknowledge_s", "diagnose_s", "total_s"), took)
        parts["diagnose_s"] = {"median": None, "p90": None, "measured": 0}
        every = {"incidents": 2, **parts}
        months, codes = [{"month": "2026-11", **every}], [{"code": f"INTERNAL {self.hostile or ''}", **every}]
        return {"time_to_diagnose": {**every, "diagnosed": 1, "all": every, "months": months, "codes": codes}}

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
        row |= {"code": None, "undone_at": stamp(datetime.now(UTC)), "undone_by": f"bob {self.hostile or ''}"}
        row |= {"undone_why": f"It was another tool. {self.hostile or ''}", "id": "c-1"}
        row |= {"who": f"ada {self.hostile or ''}", "why": f"An empty list is normal. {self.hostile or ''}"}
        return {"rows": [{**row, "created_at": stamp(datetime.now(UTC))}] if self.calls else []}

    def get_status(self, request: Request) -> dict[str, Any]:
        if request.query_params.get("project", "default") != "default":
            return {"spans": 0, "calls": 0, "last_received_at": None, "judged_lag_s": 0.0, **self._service()}
        last = self.calls[0]["started_at"] if self.calls else None
        return {
            "spans": 5 * len(self.calls),
            "calls": len(self.calls),
            "last_received_at": last,
            "last_judged_at": last,
            "judged_lag_s": 0.4,
            **self._service(),
        }

    def _service(self) -> dict[str, Any]:
        """What `status` says of the service, whichever project is asked for."""
        projects = ["default", f"shop {self.hostile or ''}"] if self.calls else []
        return {"refused": {}, "version": "0.1.0", "projects": projects, **self.service}
