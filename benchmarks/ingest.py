"""Ingest until judged and visible: spans a second, on the wall and per CPU-second of the service.

    python -m benchmarks ingest

The whole service runs as it is shipped: OTLP in, redaction, journal, dedupe, DuckDB, verdicts, rollups, API. A run ends
when the API says that nothing waits to be judged, and its counts must equal what was sent. Beside it, freshness: a
failing call is sent every half second under load, and looked for in the API from its acknowledgement on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from benchmarks.otlp_load import SHAPES, Generator, attribute

BAR_PER_CPU_S = 10_000
"""Judged spans per CPU-second of the service, shape `whole`."""
BAR_FRESH_S = 5.0
"""From the acknowledgement of a failure to its row in the API, 99th percentile."""
BAR_RSS_MB = 1024

WARM_UP, BATCHES = 10, int(os.environ.get("BENCH_BATCHES", "300"))
FIRST_ALERTS_S = 11.0
"""The alert rules are evaluated every ten seconds; the first evaluation loads what they need, and no later one pays."""

RUNS = (("whole", "http"), ("whole", "grpc"), ("spread", "http"))


@dataclass
class Running:
    """A service of its own."""

    process: psutil.Process
    urls: dict[str, Any]

    def cpu_s(self) -> float:
        """CPU seconds of the service so far, children included."""
        times = self.process.cpu_times()
        return float(times.user + times.system + times.children_user + times.children_system)

    def status(self) -> dict[str, Any]:
        """What the API says of itself."""
        answer: dict[str, Any] = httpx.get(f"{self.urls['api']}/api/v1/status", timeout=60).json()
        return answer

    def wait_judged(self, spans: int) -> None:
        """Until everything sent is judged and counted."""
        while (status := self.status())["judged_lag_s"] > 0 or status["spans"] < spans:
            time.sleep(0.1)


@contextmanager
def service(filled: Path | None = None) -> Iterator[Running]:
    """`telltale serve` on free ports, on an empty store or on the `t.db` of a folder."""
    with ExitStack() as stack:
        folder = filled or stack.enter_context(tempfile.TemporaryDirectory())
        ready = Path(folder, "ready.json")
        flags = [f"--{name}-port=0" for name in ("otlp-grpc", "otlp-http", "api")]
        command = [
            sys.executable,
            "-m",
            "telltale",
            "serve",
            "--db",
            f"{folder}/t.db",
            "--ready-file",
            str(ready),
            *flags,
        ]
        with Path(folder, "log").open("w") as log:
            child = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            while not ready.exists():
                if child.poll() is not None:
                    raise RuntimeError(Path(folder, "log").read_text())
                time.sleep(0.05)
            yield Running(psutil.Process(child.pid), json.loads(ready.read_text()))
        finally:
            child.terminate()
            child.wait()


def load(running: Running, shape: str, protocol: str, batches: int, *more: str) -> dict[str, Any]:
    """Send from a process of its own; returns what it prints."""
    endpoint = running.urls["otlp_grpc" if protocol == "grpc" else "otlp_http"]
    command = [sys.executable, "-m", "benchmarks.otlp_load", endpoint, "--shape", shape, "--protocol", protocol]
    done = subprocess.run([*command, "--batches", str(batches), *more], check=True, capture_output=True, text=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def probe(running: Running, number: int) -> float:
    """Send one failing call of a tool of its own; seconds from its acknowledgement to its row in the API."""
    generator = Generator(number, SHAPES["whole"], time.time_ns())
    span = generator.trace()[0]
    del span.attributes[:]
    tool = f"probe-{number}-{os.getpid()}"
    for key, value in {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "error.type": "TIMEOUT",
    }.items():
        span.attributes.append(attribute(key, value))
    span.status.code = 2
    request = ExportTraceServiceRequest()
    request.resource_spans.add().scope_spans.add().spans.append(span)
    with httpx.Client(timeout=60) as client:
        headers = {"content-type": "application/x-protobuf"}
        while client.post(
            f"{running.urls['otlp_http']}/v1/traces", content=request.SerializeToString(), headers=headers
        ).is_error:
            time.sleep(0.1)
        acknowledged = time.perf_counter()
        url, params = f"{running.urls['api']}/api/v1/calls", {"tool": tool, "since": "all", "limit": "1"}
        while not client.get(url, params=params).json()["rows"]:
            time.sleep(0.02)
        return time.perf_counter() - acknowledged


def freshness(running: Running, requests_per_s: float) -> list[float]:
    """Probes every half second while requests are sent at this rate for a good fifteen seconds."""
    found: list[float] = []
    stop = threading.Event()

    def probing() -> None:
        number = 0
        while not stop.wait(0.5):
            found.append(probe(running, number))
            number += 1

    thread = threading.Thread(target=probing)
    thread.start()
    load(running, "whole", "http", max(4, int(15 * requests_per_s)), "--rate", str(requests_per_s), "--seed", "77")
    stop.set()
    thread.join()
    return sorted(found)


def measure(shape: str, protocol: str) -> None:
    """One run: a fresh service, a warm-up, then the clock."""
    with service() as running:
        warm = load(running, shape, protocol, WARM_UP, "--seed", "9")
        running.wait_judged(warm["spans"])
        time.sleep(FIRST_ALERTS_S)
        cpu, wall = running.cpu_s(), time.perf_counter()
        sent = load(running, shape, protocol, BATCHES)
        running.wait_judged(warm["spans"] + sent["spans"])
        wall, cpu = time.perf_counter() - wall, running.cpu_s() - cpu
        calls = running.status()["calls"]
        spans = sent["spans"]
        print(
            f"{shape:7} {protocol:5} {spans / cpu:9,.0f} judged spans per CPU-s"
            f"  {spans / wall:8,.0f}/s wall until visible  {spans / sent['seconds']:8,.0f}/s acknowledged"
            f"  p50 {sent['p50_ms']} ms  p99 {sent['p99_ms']} ms  {sent['bytes'] / spans:,.0f} B/span"
            f"  codes {sent['codes']}"
        )
        if calls != warm["calls"] + sent["calls"]:
            print(f"  COUNTS DIFFER: {calls} calls, {warm['calls'] + sent['calls']} sent")
        if (shape, protocol) == ("whole", "http"):
            at_rate = 0.6 * spans / wall
            waits = freshness(running, at_rate / 512)
            p50, p99 = waits[len(waits) // 2], waits[int(len(waits) * 0.99)]
            rss = running.process.memory_info().rss / 1e6
            print(f"  bar {BAR_PER_CPU_S:,}/CPU-s: {'met' if spans / cpu >= BAR_PER_CPU_S else 'MISSED'}")
            print(
                f"  freshness p50 {p50:.2f} s  p99 {p99:.2f} s over {len(waits)} probes"
                f" at {at_rate:,.0f} spans/s (bar {BAR_FRESH_S} s)"
            )
            print(f"  resident {rss:,.0f} MB (bar {BAR_RSS_MB} MB)")


def main() -> None:
    """Every shape and protocol."""
    load_average = os.getloadavg()[0]
    print(f"{BATCHES} requests of 512 spans, 4 senders, {os.cpu_count()} cores, load average before {load_average:.1f}")
    for shape, protocol in RUNS:
        measure(shape, protocol)


if __name__ == "__main__":
    main()
