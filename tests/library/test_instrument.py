"""`telltale.instrument`: one line, the app's own set-up, and a collector that is dead or slow costs a call nothing."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from telltale._instrument import _exporter

ROOT = Path(__file__).parents[2]
CALLS = """
import time, telltale
book = telltale.guard("book")(lambda n: {"n": n})
slowest = 0.0
for n in range(COUNT):
    started = time.thread_time()
    book(n)
    slowest = max(slowest, time.thread_time() - started)
"""


class Collector(BaseHTTPRequestHandler):
    """A minimal OTLP/HTTP receiver."""

    received: ClassVar[list[tuple[str, dict[str, str], ExportTraceServiceRequest]]] = []
    status = 200

    def do_POST(self) -> None:
        """Take one export."""
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            import gzip

            body = gzip.decompress(body)
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.received.append((self.path, headers, ExportTraceServiceRequest.FromString(body)))
        self.send_response(self.status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Stay silent."""


@pytest.fixture
def collector() -> Iterator[str]:
    """A receiver on a free port; gives its address."""
    Collector.received, Collector.status = [], 200
    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def run_python(code: str, timeout: float = 60, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter, as an app would."""
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "TELLTALE_", "PYTEST_"))
    }
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def received_spans() -> dict[str, list[Any]]:
    """What the receiver got: span names by service."""
    found: dict[str, list[Any]] = {}
    for _, _, request in Collector.received:
        for resource in request.resource_spans:
            names = {a.key: a.value.string_value for a in resource.resource.attributes}
            for scope in resource.scope_spans:
                found.setdefault(names.get("service.name", ""), []).extend(span.name for span in scope.spans)
    return found


def test_three_lines_send_spans(collector: str) -> None:
    """What README says: import, instrument, guard."""
    code = CALLS.replace("COUNT", "3").replace(
        "import time, telltale", f"import time, telltale; telltale.instrument(endpoint={collector!r}, service='bot')"
    )
    done = run_python(code)

    assert (done.returncode, done.stderr) == (0, "")
    assert received_spans() == {"bot": ["execute_tool book"] * 3}
    assert Collector.received[0][0] == "/v1/traces"


def test_the_environment_and_headers_are_honoured(collector: str) -> None:
    """The standard OTEL variables decide where nothing is said; headers carry an ingest token."""
    code = "import telltale; telltale.instrument(headers={'authorization': 'Bearer t1'}); telltale.guard('x')(int)()"
    done = run_python(code, OTEL_EXPORTER_OTLP_ENDPOINT=collector, OTEL_SERVICE_NAME="from-env")

    assert (done.returncode, done.stderr) == (0, "")
    assert received_spans() == {"from-env": ["execute_tool x"]}
    assert Collector.received[0][1]["authorization"] == "Bearer t1"


def test_the_apps_own_provider_is_used_and_calling_twice_is_once(collector: str) -> None:
    """No second provider, no doubled spans."""
    code = f"""
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
own = TracerProvider(resource=Resource.create({{"service.name": "own"}}))
trace.set_tracer_provider(own)
import telltale
telltale.instrument(endpoint={collector!r}, service="ignored")
telltale.instrument(endpoint={collector!r})
assert trace.get_tracer_provider() is own
telltale.guard("x")(int)()
"""
    done = run_python(code)

    assert (done.returncode, done.stderr) == (0, "")
    assert received_spans() == {"own": ["execute_tool x"]}


def test_client_instrumentations_that_are_installed_are_switched_on() -> None:
    """A tool's upstream answers are evidence; a second switching on is avoided."""
    code = """
import httpx, telltale
telltale.instrument(endpoint="http://127.0.0.1:9")
telltale.instrument(endpoint="http://127.0.0.1:9/")
from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor
print(HTTPXClientInstrumentor().is_instrumented_by_opentelemetry, flush=True)
import os; os._exit(0)
"""
    done = run_python(code)

    assert done.stdout.split() == ["True"]
    assert "already instrumented" not in done.stderr


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def test_a_dead_collector_adds_nothing_to_a_call_and_no_memory() -> None:
    """20,000 calls against a closed port: no call waits, the queue is bounded, the process ends soon."""
    endpoint = f"http://127.0.0.1:{free_port()}"
    code = (
        f"import telltale; telltale.instrument(endpoint={endpoint!r})"
        + CALLS.replace("COUNT", "20_000")
        + "\nimport json, telltale._instrument as i; from collections import deque\n"
        "processor = i._sending[next(iter(i._sending))]\n"
        "inside = getattr(processor, '_batch_processor', processor).__dict__.values()\n"
        "queues = [found for found in inside if isinstance(found, deque)]\n"
        "print(json.dumps({'slowest_s': slowest, 'queued': max(len(q) for q in queues)}), flush=True)\n"
    )
    started = time.monotonic()
    done = run_python(code, timeout=90)

    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["queued"] <= 2048
    assert found["slowest_s"] < 1
    assert time.monotonic() - started < 80


def test_a_collector_that_hangs_or_refuses_costs_a_call_nothing(collector: str) -> None:
    """A socket that accepts and never answers; a receiver that says 400."""
    Collector.status = 400
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        for endpoint in (f"http://127.0.0.1:{deaf.getsockname()[1]}", collector):
            code = f"import telltale; telltale.instrument(endpoint={endpoint!r})" + CALLS.replace("COUNT", "2000")
            done = run_python(code + "\nprint(slowest < 1, flush=True)")
            assert (done.returncode, done.stdout.split()) == (0, ["True"])


def test_without_the_extra_the_sentence_says_what_to_install() -> None:
    """The SDK is not part of the light install."""
    code = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(("opentelemetry.sdk", "opentelemetry.exporter")):
            raise ModuleNotFoundError(name=name)
sys.meta_path.insert(0, Absent())
import telltale
try:
    telltale.instrument()
except ModuleNotFoundError as missing:
    print(missing)
"""
    done = run_python(code)

    assert done.stdout.startswith(
        "telltale.instrument needs the OpenTelemetry SDK and exporter: pip install 'telltale-otel[otlp]'"
    )


def test_the_example_tells_the_worked_example_and_sends_it(collector: str) -> None:
    """Bad date, 503 twice, budget spent, user told, later success; all in one conversation."""
    done = subprocess.run(
        [sys.executable, "examples/booking_agent.py", "--endpoint", collector, "--session", "conv-1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    spans = [
        (span.name, {a.key: a.value.string_value or a.value.bool_value for a in span.attributes}, span)
        for _, _, request in Collector.received
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    tools = sorted((s for s in spans if s[0] == "execute_tool book_meeting"), key=lambda s: s[2].start_time_unix_nano)
    requests = [s for s in spans if s[0] == "POST"]

    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing was booked" in done.stdout
    assert "Booked: m-7781" in done.stdout
    assert [t[1].get("telltale.error.action", "ok") for t in tools] == [
        "fix_arguments",
        "retry_later",
        "stop_and_tell_user",
        "ok",
    ]
    assert [bool(t[1].get("telltale.budget.exhausted")) for t in tools] == [False, False, True, False]
    assert {s[1]["gen_ai.conversation.id"] for s in spans if "gen_ai.operation.name" in s[1]} == {"conv-1"}
    assert {r[2].parent_span_id for r in requests} <= {t[2].span_id for t in tools}
    assert len(requests) == 3


@pytest.mark.parametrize(
    ("endpoint", "protocol", "target"),
    [
        ("http://127.0.0.1:4318", "http", "http://127.0.0.1:4318/v1/traces"),
        ("127.0.0.1:4318", "http", "http://127.0.0.1:4318/v1/traces"),
        ("https://otel.example/v1/traces", "http", "https://otel.example/v1/traces"),
        ("http://127.0.0.1:4317", "grpc", "127.0.0.1:4317"),
        ("grpc://127.0.0.1:9999", "grpc", "127.0.0.1:9999"),
    ],
)
def test_the_endpoint_says_which_protocol(endpoint: str, protocol: str, target: str) -> None:
    """Port 4317 and `grpc://` are OTLP/gRPC, everything else OTLP/HTTP under its customary path."""
    exporter = _exporter(endpoint, {"authorization": "Bearer t1"})

    assert f".proto.{protocol}." in type(exporter).__module__
    assert exporter._endpoint == target
    exporter.shutdown()


def test_grpc_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """`OTEL_EXPORTER_OTLP_PROTOCOL` decides where no endpoint is given."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    exporter = _exporter(None, {})

    assert ".proto.grpc." in type(exporter).__module__
    exporter.shutdown()
