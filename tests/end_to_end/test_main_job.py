"""The main job: spans go in over both protocols, and the failing step is found on the replay page."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from browsing import dashboard, settled
from from_outside import PATIENCE_S, ROOT, Running, end, telltale, wait_until
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from playwright.sync_api import expect
from recorded_spans import latest_end, recorded_spans

pytestmark = [pytest.mark.timeout(400), pytest.mark.xdist_group("browser")]
SAMPLES = sorted((ROOT / "sample_traces").glob("*.jsonl"))


def _send(exporter: SpanExporter, sample: Path) -> int:
    """Send one recording as if it had just ended; returns how many spans."""
    spans = recorded_spans(sample, time.time_ns() - latest_end(sample))
    assert exporter.export(spans) is SpanExportResult.SUCCESS
    exporter.shutdown()
    return len(spans)


def _exporters(service: Running) -> list[SpanExporter]:
    grpc = GrpcExporter(endpoint=service.urls["otlp_grpc"], insecure=True)
    return [grpc, HttpExporter(endpoint=f"{service.urls['otlp_http']}/v1/traces")]


def test_both_protocols_bring_every_span(service: Running) -> None:
    """What the official exporters sent over gRPC and over HTTP is counted and judged, each span once."""
    sent = 0
    for number, sample in enumerate(SAMPLES):
        sent += _send(_exporters(service)[number % 2], sample)

    wait_until(lambda: service.ask("status")["spans"] == sent, f"{sent} spans are counted")
    found = wait_until(lambda: service.ask("calls", outcome="silent_failure")["rows"], "a silent failure is judged")

    assert {"silent_failure"} == {row["outcome"] for row in found}
    wait_until(
        lambda: service.ask("overview")["failures"] == service.ask("calls", outcome="failed")["total"],
        "the overview counts what the list holds",  # calls may still be judged between the two questions
    )


@pytest.mark.browser
def test_the_failing_step_is_found_on_the_replay_page(service: Running, tab: Any) -> None:
    """From the first page, two clicks lead to the step that lied, with the raw payload on it."""
    for number, sample in enumerate(SAMPLES):
        _send(_exporters(service)[number % 2], sample)
    wait_until(lambda: service.ask("silent")["rows"], "a silent failure is judged")

    with dashboard(service.urls["api"]) as address:
        settled(tab, address)
        tab.locator(".st-key-tile-Silent-failures").get_by_role("link").click()
        tab.wait_for_url("**/silent**")
        settled(tab)
        tab.get_by_role("link", name="Replay").first.click()
        tab.wait_for_url("**/replay**")
        settled(tab)
        main = tab.get_by_test_id("stMain")
        main.get_by_text("silent failure").first.wait_for()
        opened = re.search(r"span=([0-9a-f]{16})", tab.url)
        assert opened, tab.url
        main.get_by_text(opened.group(1)).first.wait_for()
        # Asked at the end: calls go on being judged while the pages are opened.
        [call] = [row for row in service.ask("silent", limit=500)["rows"] if row["span_id"] == opened.group(1)]
        expect(main).to_contain_text(call["tool"], timeout=PATIENCE_S * 1000)
        expect(main).to_contain_text("silent failure", timeout=PATIENCE_S * 1000)


def test_the_booking_agent_ends_as_the_story_says(service: Running) -> None:
    """The example agent's failures are all structured, and the second 503 exhausts the budget."""
    command = [sys.executable, "examples/booking_agent.py", "--endpoint", service.urls["otlp_http"]]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=90, stdout=subprocess.DEVNULL)

    def booked() -> list[dict[str, Any]]:
        rows = service.ask("calls", tool="book_meeting")["rows"]
        return rows if any(row["outcome"] == "ok" for row in rows) else []

    rows = sorted(wait_until(booked, "the booking is judged"), key=lambda row: row["started_at"])
    story = [(row["outcome"], row["code"], "budget_exhausted" in row["flags"]) for row in rows]

    assert story == [
        ("structured_error", "INVALID_ARGUMENT", False),
        ("structured_error", "UNAVAILABLE", False),
        ("structured_error", "UNAVAILABLE", True),
        ("ok", None, False),
    ]
    session = service.ask("sessions")["rows"][0]
    assert session["flagged"]
    assert session["failures"] == 3


def test_a_recovered_session_stays_flagged(service: Running) -> None:
    """However the agent answered in the end, a session that holds a failure is flagged."""
    for sample in SAMPLES:
        _send(_exporters(service)[1], sample)
    failed = wait_until(lambda: service.ask("calls", outcome="failed")["rows"], "failures are judged")
    sessions = {row["session_id"] for row in failed if row["session_id"]}

    flagged = {row["session_id"] for row in service.ask("sessions", limit=500)["rows"] if row["flagged"]}

    assert sessions <= flagged


def _lives(process: psutil.Process) -> bool:
    """Whether a process still runs; one that has ended and that nobody has asked after yet does not."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def test_the_demo_shows_findings_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """`telltale demo` prints its addresses, shows failures on the overview, and is gone without a trace on Ctrl-C."""
    ports = [f"--{name}-port=0" for name in ("otlp-grpc", "otlp-http", "api", "dashboard")]
    child = telltale("demo", "--no-browser", "--speed", "4", *ports, TMPDIR=str(tmp_path))
    assert child.stdout is not None
    said = ""
    while "Ctrl-C" not in said and (line := child.stdout.readline()):
        said += line
    api = re.search(r"(http://127\.0\.0\.1:\d+)/api/v1/overview", said)
    assert api, said
    wait_until(lambda: httpx.get(api.group(), timeout=30).json()["failures"], "the demo shows a failure")
    started = psutil.Process(child.pid).children(recursive=True)
    assert started

    assert end(child, signal.SIGINT) == 0
    wait_until(lambda: not any(map(_lives, started)), "no process is left")
    assert list(tmp_path.glob("telltale-demo-*")) == []


@pytest.mark.parametrize("flag", ["--otlp-grpc-port", "--otlp-http-port", "--api-port", "--dashboard-port"])
def test_a_port_asked_for_and_taken_is_named_with_its_flag(flag: str, capfd: pytest.CaptureFixture[str]) -> None:
    """The demo does not start on another port than the one asked for: it says which is taken and what to change."""
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        child = telltale("demo", "--no-browser", flag, str(port))

        assert child.wait(60) == 1

    said = capfd.readouterr().err
    assert str(port) in said
    assert flag in said
    assert "Traceback" not in said
