"""kill -9 during ingest: what was acknowledged is there after a restart, once."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from collector.store import DuckDBStore
from tests.collector.otlp import traces
from tests.collector.running import Process, wait_for

Serve = Callable[..., Process]


class Sender(threading.Thread):
    """Sends small batches over and over, and notes the span ids of those that were acknowledged."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.acknowledged: list[str] = []
        self.stopping = False
        self._url = url + "/v1/traces"

    def run(self) -> None:
        with httpx.Client(timeout=30) as client:
            while not self.stopping:
                request = traces(7)
                headers = {"content-type": "application/x-protobuf"}
                try:
                    answer = client.post(self._url, content=request.SerializeToString(), headers=headers)
                except httpx.TransportError:
                    return
                if answer.status_code == 200:
                    spans = request.resource_spans[0].scope_spans[0].spans
                    self.acknowledged += [span.span_id.hex() for span in spans]


def killed_while_sending(serve: Serve, folder: Path, after_s: float) -> list[str]:
    """Start, send from two threads, kill; returns what had been acknowledged."""
    process = serve(folder)
    senders = [Sender(process.urls["otlp_http"]) for _ in range(2)]
    for sender in senders:
        sender.start()
    wait_for(lambda: any(sender.acknowledged for sender in senders))
    time.sleep(after_s)
    process.kill()
    for sender in senders:
        sender.stopping = True
        sender.join(30)
    return [span for sender in senders for span in sender.acknowledged]


def stored_spans(folder: Path) -> list[str]:
    """Span ids in the database file, as a question sees them."""
    store = DuckDBStore(folder / "telltale.db")
    try:
        found: list[str] = store.read("SELECT span_id FROM {span}")["span_id"].to_pylist()
        return found
    finally:
        store.close()


def check_kills(serve: Serve, folder: Path, kills: int) -> None:
    moments = random.Random(kills)
    acknowledged: list[str] = []
    for _ in range(kills):
        acknowledged += killed_while_sending(serve, folder, moments.uniform(0.0, 0.5))
    stored = stored_spans(folder)
    assert len(stored) == len(set(stored))
    assert set(acknowledged) <= set(stored)


def test_acknowledged_spans_survive_kill_9(serve: Serve, tmp_path: Path) -> None:
    """Killed three times at random moments: 0 acknowledged spans lost, 0 doubled."""
    check_kills(serve, tmp_path, 3)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_two_hundred_kills(serve: Serve, tmp_path: Path) -> None:
    """The same, two hundred times on one database."""
    check_kills(serve, tmp_path, 200)
