"""Duplicates and disorder (faults 14 and 15): all three times, shuffled, across a kill, and the same verdicts."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from benchmarks.otlp_load import SHAPES, Generator, attribute
from tests.collector.conftest import serve  # noqa: F401 - a fixture
from tests.collector.running import DEADLINE_S, PROTOBUF, Process, wait_for

Serve = Callable[..., Process]
NOT_COMPARED = {"received_at", "judged_at"}


def request(spans: list[Span]) -> bytes:
    """Spans of one service as a request."""
    made = ExportTraceServiceRequest()
    resource = made.resource_spans.add()
    resource.resource.attributes.append(attribute("service.name", "shop"))
    scope = resource.scope_spans.add()
    scope.scope.name = "tests"
    scope.spans.extend(spans)
    return made.SerializeToString()


def send(process: Process, bodies: list[bytes]) -> None:
    """All of them, each until it is taken."""
    with httpx.Client(timeout=DEADLINE_S, headers={"content-type": PROTOBUF}) as client:
        for body in bodies:
            while (code := client.post(process.urls["otlp_http"] + "/v1/traces", content=body).status_code) != 200:
                assert code == 503


def answers(process: Process, calls: int) -> dict[str, Any]:
    """What the pages show once everything is judged: the calls by span, the counts, the sessions."""
    api = process.urls["api"] + "/api/v1"

    def ask(path: str, **params: str) -> Any:
        answer = httpx.get(f"{api}/{path}", params=params, timeout=DEADLINE_S)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def judged() -> bool:
        status = ask("status")
        return bool(status["judged_lag_s"] == 0 and status["calls"] == calls)

    wait_for(judged, 300)
    whole = {"since": "all", "limit": "1000"}
    rows = {
        row["span_id"]: {key: value for key, value in row.items() if key not in NOT_COMPARED}
        for row in ask("calls", **whole)["rows"]
    }
    tools = {row["tool"]: (row["calls"], row["ok"], row["silent_failure"]) for row in ask("tools", **whole)["rows"]}
    sessions = {
        row["session_id"]: (row["calls"], row["failures"], row["silent"]) for row in ask("sessions", **whole)["rows"]
    }
    overview = {
        key: value for key, value in ask("overview", since="all").items() if key in ("calls", "failures", "by_outcome")
    }
    return {"calls": rows, "tools": tools, "sessions": sessions, "overview": overview}


@pytest.mark.timeout(600)
def test_everything_three_times_shuffled_and_across_a_kill(serve: Serve, tmp_path: Path) -> None:  # noqa: F811
    """Counts, verdicts and sessions equal those of one ordered send of whole traces; children came before parents."""
    generator = Generator(14, SHAPES["whole"], time.time_ns())
    whole = [generator.trace() for _ in range(40)]
    calls = generator.counts["calls"]
    ordered, disordered = tmp_path / "ordered", tmp_path / "disordered"
    for folder in (ordered, disordered):
        folder.mkdir()

    first = serve(ordered)
    send(first, [request(spans) for spans in whole])
    expected = answers(first, calls)
    first.terminate()

    chance = random.Random(15)
    spans = [span for trace in whole for span in trace]
    chance.shuffle(spans)
    bodies = [request(spans[n : n + 7]) for n in range(0, len(spans), 7)] * 3
    chance.shuffle(bodies)
    second = serve(disordered)
    send(second, bodies[: len(bodies) // 2])
    second.kill()
    third = serve(disordered)
    send(third, bodies[len(bodies) // 3 :])  # what was acknowledged just before the kill comes again
    assert answers(third, calls) == expected
