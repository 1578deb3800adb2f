"""What the framework tests share: the background text's scenario, captured spans, and a real collector.

Each folder beside this file is run in its own locked environment by `run.py`, which names it in `TELLTALE_FRAMEWORK`.
Without that variable nothing here is collected: the main environment has none of the frameworks.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from datetime import date as calendar_date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

FRAMEWORK = os.environ.get("TELLTALE_FRAMEWORK", "")
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BAD_DATE = "next Tuesday"
DATE = "2026-10-06"
TURNS = ("Book next Tuesday at ten.", "Please try again.")
ACTIONS = ["fix_arguments", "retry_later", "stop_and_tell_user", "ok"]
"""What the four tool answers of the scenario ask for."""


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Only the folder of the framework whose environment this is."""
    if HERE not in collection_path.parents or collection_path.name == "conftest.py":
        return None
    return collection_path.relative_to(HERE).parts[0] != FRAMEWORK or None


class Backend(BaseHTTPRequestHandler):
    """A calendar that answers 503 twice and then books."""

    def do_POST(self) -> None:
        """Book a meeting."""
        server: Any = self.server
        server.hits += 1
        body = json.dumps({"meetingId": "m-7781"} if server.hits > 2 else {"detail": "db-7.internal is down"}).encode()
        self.send_response(201 if server.hits > 2 else 503)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Stay silent."""


class Scenario:
    """The worked example: a bad date, 503 twice, the budget reached, the user told, a later success."""

    turns = TURNS

    def __init__(self, url: str, server: Any) -> None:
        self._url = url
        self._server = server

    @property
    def hits(self) -> int:
        """How often the backend was really asked."""
        hits: int = self._server.hits
        return hits

    def book(self, date: str, slot: str = "10:00") -> dict[str, Any]:
        """The tool's business logic; raises what such code raises."""
        import httpx

        import telltale

        try:
            calendar_date.fromisoformat(date)
        except ValueError:
            raise telltale.ToolError(
                "INVALID_ARGUMENT", f"date must be an ISO-8601 calendar date such as {DATE}", field="date"
            ) from None
        answer = httpx.post(self._url, json={"date": date, "slot": slot}, trust_env=False)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    @staticmethod
    def next_step(user: str, told: object = None) -> dict[str, Any] | str:
        """The scripted model: the arguments of its next call of `book_meeting`, or what it says to the user.

        Args:
            user: the user's last words.
            told: the last tool answer as the model sees it, None at the beginning of a turn.
        """
        if told is None:
            return {"date": DATE if "again" in user else BAD_DATE, "slot": "10:00"}
        envelope = json.loads(told) if isinstance(told, str) else told
        assert isinstance(envelope, dict)
        if envelope["status"] == "ok":
            return "Booked."
        if envelope["error"]["action"] in ("fix_arguments", "retry_later"):
            return {"date": DATE, "slot": "10:00"}
        return "The calendar is not available; nothing was booked."

    def check_told(self, told: list[Any]) -> None:
        """What the model was given, from the framework's own record: compliant in every step, and the agent stopped."""
        from telltale.testing import assert_envelope

        envelopes = [assert_envelope(answer) for answer in told]
        assert [(e.get("error") or {}).get("action", "ok") for e in envelopes] == ACTIONS
        assert [(e.get("error") or {}).get("code") for e in envelopes] == [
            "INVALID_ARGUMENT",
            "UNAVAILABLE",
            "UNAVAILABLE",
            None,
        ]
        assert "internal" not in json.dumps(envelopes[:3])
        assert self.hits == 3  # the bad date never reached the backend, and the agent stopped at the budget

    @staticmethod
    def check_spans(spans: list[Any]) -> list[Any]:
        """Exactly one span a call carries the envelope, in order; gives those back."""
        tools = [s for s in spans if (s.attributes or {}).get("telltale.envelope.dialect")]
        tools.sort(key=lambda span: span.start_time)
        assert [s.attributes.get("telltale.error.action", "ok") for s in tools] == ACTIONS
        assert [bool(s.attributes.get("telltale.budget.exhausted")) for s in tools] == [False, False, True, False]
        assert [s.attributes.get("telltale.mapped_from") for s in tools[1:3]] == ["http 503"] * 2
        for span in tools:
            assert json.loads(span.attributes["gen_ai.tool.call.result"])["status"] in ("ok", "error")
            assert "book_meeting" in span.name or span.attributes.get("gen_ai.tool.name") == "book_meeting"
        return tools


@pytest.fixture
def scenario() -> Iterator[Scenario]:
    """A fresh run of the scenario with its own backend."""
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Backend)
    server.hits = 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Scenario(f"http://127.0.0.1:{server.server_port}/meetings", server)
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """No test sees what another configured or counted."""
    import telltale
    from telltale._budget import default_budget

    telltale.reset_defaults()
    vars(default_budget.store)["_counts"].clear()
    yield
    telltale.reset_defaults()


@pytest.fixture(scope="session")
def exporter() -> Any:
    """The app's own OpenTelemetry set-up, made once: OpenTelemetry allows one global provider a process."""
    from opentelemetry import trace
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    provider = TracerProvider(resource=Resource.create({"service.name": f"bot-{FRAMEWORK}"}))
    found = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(found))
    trace.set_tracer_provider(provider)
    return found


@pytest.fixture
def spans(exporter: Any) -> Iterator[Callable[[], list[Any]]]:
    """The spans that ended in this test, of the framework and of the library."""
    exporter.clear()
    yield lambda: list(exporter.get_finished_spans())
    exporter.clear()


class Service:
    """A running `telltale serve`, asked over its API."""

    def __init__(self, urls: dict[str, Any]) -> None:
        self.otlp = str(urls["otlp_http"])
        self._api = str(urls["api"])

    def calls(self, count: int, since: str, deadline_s: float = 60) -> list[dict[str, Any]]:
        """The judged calls of `book_meeting` since a moment, in the order of their start, once there are so many."""
        until = time.monotonic() + deadline_s
        rows: list[dict[str, Any]] = []
        while time.monotonic() < until:
            with urllib.request.urlopen(f"{self._api}/api/v1/calls?since=all&limit=200", timeout=10) as answer:
                rows = json.load(answer)["rows"]
            rows = [row for row in rows if row["tool"] == "book_meeting" and row["started_at"] >= since]
            if len(rows) >= count:
                break
            time.sleep(0.5)
        return sorted(rows, key=lambda row: str(row["started_at"]))


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The real service of the checkout, in its own process, one for all tests of a framework.

    Skipped where the checkout's environment is not made; CI makes it first.
    """
    command = ROOT / ".venv" / "bin" / "telltale"
    if not command.exists():
        pytest.skip("the checkout's own environment is not made: make setup")
    folder = tmp_path_factory.mktemp("service")
    ready = folder / "ready.json"
    ports = ["--otlp-grpc-port", "0", "--otlp-http-port", "0", "--api-port", "0"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "TELLTALE_", "PYTHON"))}
    process = subprocess.Popen(
        [str(command), "serve", "--db", str(folder / "calls.db"), "--ready-file", str(ready), *ports],
        env=clean,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        until = time.monotonic() + 90
        while not (ready.is_file() and ready.read_text().strip()):
            assert process.poll() is None, process.stderr and process.stderr.read()
            assert time.monotonic() < until, "telltale serve did not come up"
            time.sleep(0.2)
        yield Service(json.loads(ready.read_text()))
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture
def judged(exporter: Any, service: Service) -> Iterator[Callable[[], None]]:
    """Sends this test's spans to the service; called at the end, it checks how each call was judged."""
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider: Any = trace.get_tracer_provider()
    processor = BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{service.otlp}/v1/traces"))
    provider.add_span_processor(processor)
    since = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")

    def check() -> None:
        assert processor.force_flush()
        rows = service.calls(4, since)
        found = [(row["outcome"], row["code"], "budget_exhausted" in row["flags"]) for row in rows]
        assert found == [
            ("structured_error", "INVALID_ARGUMENT", False),
            ("structured_error", "UNAVAILABLE", False),
            ("structured_error", "UNAVAILABLE", True),
            ("ok", None, False),
        ]

    yield check
    processor.shutdown()


@pytest.fixture
def example() -> Callable[[str], str]:
    """Runs an example of `examples/` in this environment, as a newcomer would; gives what it printed."""
    import sys

    def run(name: str) -> str:
        clean = {
            key: value for key, value in os.environ.items() if not key.startswith(("OTEL_", "TELLTALE_", "PYTEST"))
        }
        done = subprocess.run(
            [sys.executable, str(ROOT / "examples" / name)],
            env=clean,
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def missing_signals() -> Callable[..., set[str]]:
    """The control-flow signals of a package that the library knows and that the named modules no longer have."""

    def missing(package: str, *modules: str) -> set[str]:
        from importlib import import_module

        from telltale._control_flow import _SIGNALS, is_control_flow

        known = {name.partition(".")[2] for name in _SIGNALS if name.startswith(f"{package}.")}
        for module in modules:
            for name, found in vars(import_module(module)).items():
                if name in known and isinstance(found, type) and is_control_flow(found.__new__(found)):
                    known.discard(name)
        return known

    return missing
