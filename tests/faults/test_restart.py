"""kill -9 under full load, with a write-ahead log and a journal to take in: from the new start to ready (fault 1)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from benchmarks.otlp_load import SHAPES, requests
from tests.collector.conftest import serve  # noqa: F401 - a fixture
from tests.collector.running import DEADLINE_S, PROTOBUF, Process, wait_for

BAR_S = 5.0
LIMIT_S = 5 * BAR_S
"""Five times the bar: the machine may be busy."""

Serve = Callable[..., Process]


class Flood(threading.Thread):
    """Sends prepared requests as fast as they are taken, until nobody answers; counts the spans of those taken."""

    def __init__(self, url: str, bodies: list[tuple[bytes, int]]) -> None:
        super().__init__(daemon=True)
        self.acknowledged = 0
        self._url, self._bodies = f"{url}/v1/traces", bodies

    def run(self) -> None:
        with httpx.Client(timeout=DEADLINE_S, headers={"content-type": PROTOBUF}) as client:
            try:
                while self._bodies:
                    body, spans = self._bodies[-1]
                    if client.post(self._url, content=body).status_code == 200:
                        self.acknowledged += spans
                        self._bodies.pop()
            except httpx.TransportError:
                return


def size(path: Path) -> int:
    """Bytes of a file or of the files of a folder."""
    if path.is_dir():
        return sum(size(file) for file in path.iterdir())
    return path.stat().st_size if path.exists() else 0


def killed_at_full_speed(serve: Serve, folder: Path, megabytes: float) -> int:  # noqa: F811
    """Flood a service until log and journal hold so much together, kill it; returns the acknowledged spans."""
    process = serve(folder)
    made, _ = requests(int(megabytes * 2) + 40, 512, SHAPES["whole"], 5, time.time_ns())
    counted = [(body, _spans(body)) for body in made]
    senders = [Flood(process.urls["otlp_http"], counted[n::4]) for n in range(4)]
    for sender in senders:
        sender.start()
    log, journal = folder / "telltale.db.wal", folder / "telltale.db.journal"
    wait_for(lambda: size(log) + size(journal) > megabytes * 1e6 or not any(s.is_alive() for s in senders), 600)
    process.kill()
    for sender in senders:
        sender.join(DEADLINE_S)
    return sum(sender.acknowledged for sender in senders)


def _spans(body: bytes) -> int:
    return len(ExportTraceServiceRequest.FromString(body).resource_spans[0].scope_spans[0].spans)


def restarted(serve: Serve, folder: Path, megabytes: float) -> float:  # noqa: F811
    """Seconds from the start of the new process to its readiness; everything acknowledged is there."""
    acknowledged = killed_at_full_speed(serve, folder, megabytes)
    log, journal = size(folder / "telltale.db.wal"), size(folder / "telltale.db.journal")
    started = time.monotonic()
    process = serve(folder)
    seconds = time.monotonic() - started
    status = httpx.get(process.urls["api"] + "/api/v1/status", timeout=DEADLINE_S).json()
    print(
        f"\n  killed with {acknowledged:,} spans acknowledged, a write-ahead log of {log / 1e6:.0f} MB and a journal of"
        f" {journal / 1e6:.0f} MB: ready after {seconds:.1f} s (bar {BAR_S:.0f} s). {' '.join(status['recovery'])}"
    )
    status_url = process.urls["api"] + "/api/v1/status"
    wait_for(lambda: httpx.get(status_url, timeout=DEADLINE_S).json()["spans"] >= acknowledged, 300)  # once judged
    return seconds


def test_ready_soon_after_a_kill(serve: Serve, tmp_path: Path) -> None:  # noqa: F811
    """Ten megabytes to take in: ready within the limit, nothing acknowledged missing."""
    assert restarted(serve, tmp_path, 10) < LIMIT_S


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_ready_soon_after_a_kill_with_all_that_can_wait(serve: Serve, tmp_path: Path) -> None:  # noqa: F811
    """As much as the log may grow to before it is taken into the file, and the journal of it: the same limit."""
    assert restarted(serve, tmp_path, 160) < LIMIT_S
