"""A real store on a real file, a real HTTP sink, and alert jobs that send to it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from analytics.alerts import AlertJob, AlertSettings, build_notifiers
from analytics.settings import JudgeSettings
from collector.store import DuckDBStore
from tests.alerts.world import LOOPBACK, Sink


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DuckDBStore]:
    """An empty store on a real file."""
    opened = DuckDBStore(tmp_path / "alerts.duckdb")
    yield opened
    opened.close()


@pytest.fixture
def sink() -> Iterator[Sink]:
    """A real HTTP server on a free port of the loopback address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            made.seen.append({"path": self.path, "headers": dict(self.headers.items()), "body": body})
            if made.status == 200:
                made.got.append(json.loads(body))
            self.send_response(made.status)
            for name, value in made.headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Keep the test output quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Sink(f"http://127.0.0.1:{server.server_address[1]}/hook?token=secret")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture
def make_job(store: DuckDBStore, sink: Sink) -> Callable[..., AlertJob]:
    """Builds an alert job that sends to the sink; keyword arguments are settings."""

    def make(tools: JudgeSettings | None = None, **settings: Any) -> AlertJob:
        given = AlertSettings(**{"webhooks": (sink.url,), "allow_private": LOOPBACK, **settings})
        return AlertJob(store, given, build_notifiers(given), tools or JudgeSettings())

    return make
