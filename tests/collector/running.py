"""Running services for the collector's tests: in this process where that is enough, else as a real child process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from google.protobuf import json_format
from google.rpc import error_details_pb2  # noqa: F401 - registers the detail types
from google.rpc.status_pb2 import Status

from analytics.spans import Span, Trace
from analytics.store import TraceKey
from collector.config import Config, load
from collector.service import Service

TELLTALE = [sys.executable, "-m", "telltale"]
"""The command, as a process of its own."""

PROTOBUF, JSON = "application/x-protobuf", "application/json"

DEADLINE_S = 60.0
"""How long a test waits for something that takes a moment, on a slow machine."""


def environment(more: dict[str, str] | None = None) -> dict[str, str]:
    """The environment of a child process: this checkout first on its path, no settings of ours but `more`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TELLTALE_")}
    return {**kept, "PYTHONPATH": str(Path(__file__).parents[2]), **(more or {})}


def config_for(folder: Path, **settings: Any) -> Config:
    """Settings of a test's own service: free ports, a database in its folder."""
    ports = {"otlp_grpc_port": 0, "otlp_http_port": 0, "api_port": 0}
    return load(None, db=folder / "telltale.db", **{**ports, **settings})


def wait_for(found: Callable[[], Any], deadline_s: float = DEADLINE_S) -> Any:
    """Ask until the answer is truthy, and return it."""
    end = time.monotonic() + deadline_s
    while not (answer := found()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return answer


@dataclass
class Process:
    """A `telltale serve` of its own."""

    folder: Path
    child: subprocess.Popen[str]
    urls: dict[str, Any]

    def kill(self) -> None:
        """kill -9."""
        self.child.kill()
        self.child.wait()

    def terminate(self) -> int:
        """SIGTERM; returns the exit code."""
        self.child.send_signal(signal.SIGTERM)
        return self.child.wait(DEADLINE_S)


def stored(service: Service, trace_id: bytes | str) -> Trace:
    """What the service's store holds of one trace, with durable rows visible."""
    assert service.store is not None
    key = TraceKey("default", trace_id if isinstance(trace_id, str) else trace_id.hex())
    return service.store.traces([key])[0]


def stored_span(service: Service, trace_id: bytes | str) -> Span:
    """The only span of one trace."""
    trace = wait_for(lambda: (found := stored(service, trace_id)).spans and found)
    assert len(trace.spans) == 1
    span: Span = trace.spans[0]
    return span


def post(
    service: Service, body: bytes, content_type: str = PROTOBUF, path: str = "/v1/traces", **headers: str
) -> httpx.Response:
    """One request to the OTLP/HTTP port."""
    given = {"content-type": content_type} if content_type else {}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.post(service.urls.otlp_http + path, content=body, headers=given, timeout=30)


def status(answer: httpx.Response) -> Status:
    """The google.rpc.Status of an error answer, in whatever encoding it came."""
    if answer.headers["content-type"] == PROTOBUF:
        return Status.FromString(answer.content)
    assert answer.headers["content-type"] == JSON
    return json_format.Parse(answer.content, Status())


def json_span(**fields: Any) -> tuple[str, dict[str, Any]]:
    """A span in OTLP/JSON under a new trace id."""
    trace_id = os.urandom(16).hex()
    span = {"traceId": trace_id, "spanId": os.urandom(8).hex(), "name": "n", "startTimeUnixNano": "1", **fields}
    return trace_id, span


def send_json(service: Service, *spans: Any, **group: Any) -> Any:
    """Post spans as JSON; returns the HTTP answer."""
    body = {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}], **group}]}
    return post(service, json.dumps(body).encode(), JSON)


def send(service: Service, request: Any) -> bytes:
    """Post a protobuf trace request that must be taken; returns its (first) trace id."""
    answer = post(service, request.SerializeToString())
    assert answer.status_code == 200, status(answer)
    trace_id: bytes = request.resource_spans[0].scope_spans[0].spans[0].trace_id
    return trace_id
