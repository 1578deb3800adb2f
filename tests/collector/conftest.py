"""Fixtures of the collector's tests."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from collector.service import Service
from tests.collector.running import TELLTALE, Process, config_for, environment, wait_for


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for the tests of a module."""
    running = Service(config_for(tmp_path_factory.mktemp("service")))
    running.start()
    yield running
    running.stop()


@pytest.fixture
def serve() -> Iterator[Callable[..., Process]]:
    """Starts `telltale serve` processes; all are gone at the end."""
    started: list[subprocess.Popen[str]] = []

    def start(folder: Path, *flags: str, env: dict[str, str] | None = None) -> Process:
        ready = folder / "ready.json"
        ready.unlink(missing_ok=True)
        ports = [flag for port in ("otlp-grpc", "otlp-http", "api") for flag in (f"--{port}-port", "0")]
        command = [*TELLTALE, "serve", "--db", str(folder / "telltale.db")]
        command += ["--ready-file", str(ready), *ports, *flags]
        with (folder / "serve.log").open("a") as log:
            child = subprocess.Popen(command, stdout=log, stderr=log, text=True, env=environment(env), cwd=folder)
        started.append(child)
        wait_for(lambda: ready.exists() or child.poll() is not None)
        assert child.poll() is None, (folder / "serve.log").read_text()
        return Process(folder, child, json.loads(ready.read_text()))

    yield start
    for child in started:
        if child.poll() is None:
            child.kill()
        child.wait()


def pytest_configure(config: pytest.Config) -> None:
    """`otlp(row, …)` names the rows of collector/receiver/CONFORMANCE.md that a test shows."""
    config.addinivalue_line("markers", "otlp(*rows): rows of collector/receiver/CONFORMANCE.md that this test shows")
