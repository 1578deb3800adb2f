"""The pages over a stand-in for the query API, each test with caches of its own."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
import uvicorn
from streamlit.testing.v1 import AppTest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from fake_api import FakeApi  # noqa: E402
from fake_data import calls  # noqa: E402

APP = HERE.parents[1] / "dashboard" / "app.py"


class Served:
    """A stand-in API that listens on a port of its own."""

    def __init__(self, api: FakeApi) -> None:
        self.api = api
        self._server = uvicorn.Server(
            uvicorn.Config(api.app(), host="127.0.0.1", port=0, log_level="critical", lifespan="off")
        )
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        deadline = time.monotonic() + 60
        while not self._server.started:
            assert time.monotonic() < deadline, "the stand-in API did not start"
            time.sleep(0.01)
        self.url = f"http://127.0.0.1:{self._server.servers[0].sockets[0].getsockname()[1]}"

    def stop(self) -> None:
        """Stop listening and wait until it is so."""
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(timeout=60)


@pytest.fixture(autouse=True)
def _fresh_caches() -> Iterator[None]:
    """No answer of one test is seen by the next."""
    st.cache_data.clear()
    st.cache_resource.clear()
    yield
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Served]]:
    """Start a stand-in API and point the pages at it."""
    started: list[Served] = []

    def start(number: int = 240, hostile: str | None = None, **switches: Any) -> Served:
        api = FakeApi(calls(number, hostile=hostile), hostile=hostile)
        for name, value in switches.items():
            setattr(api, name, value)
        served = Served(api)
        started.append(served)
        monkeypatch.setenv("TELLTALE_API_URL", served.url)
        return served

    yield start
    for served in started:
        served.stop()


@pytest.fixture
def page() -> Callable[..., AppTest]:
    """Run a page of the app with URL parameters: `page("calls", tool="search")`."""

    def run(name: str = "overview", **query: str) -> AppTest:
        at = AppTest.from_file(str(APP), default_timeout=60)
        if name != "overview":
            at.run()
            at.switch_page(f"app_pages/{name}.py")
        for key, value in query.items():
            at.query_params[key] = value
        return at.run()

    return run
