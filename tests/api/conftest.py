"""A real store, filled by the real judge, behind a real HTTP server."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from analytics.api import create_app
from analytics.client import ApiClient
from analytics.jobs import JudgeJob
from collector.store import DuckDBStore
from tests.api.scene import scene


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[DuckDBStore]:
    """An empty store on a file of its own."""
    opened = DuckDBStore(tmp_path / "empty.db")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBStore]:
    """A store with `tests.api.scene` in it, judged."""
    opened = DuckDBStore(tmp_path_factory.mktemp("api") / "telltale.db")
    opened.append(scene(time.time_ns()))
    JudgeJob(opened, pause_s=0).drain()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def url(store: DuckDBStore) -> Iterator[str]:
    """Where the API of that store answers."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        app = create_app(store, status=lambda: {"version": "test", "refused": {"too_large": 2}})
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        deadline = time.monotonic() + 60
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join(30)


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[ApiClient]:
    """A client of that API."""
    with ApiClient(url, timeout=60.0) as made:
        yield made
