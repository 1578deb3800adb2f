"""Running services for the collector's tests: in this process where that is enough, else as a real child process."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collector.config import Config, load

DEADLINE_S = 60.0
"""How long a test waits for something that takes a moment, on a slow machine."""


def config_for(folder: Path, **settings: Any) -> Config:
    """Settings of a test's own service: free ports, a database in its folder."""
    ports = {"otlp_grpc_port": 0, "otlp_http_port": 0, "api_port": 0}
    return load(None, db=folder / "telltale.db", **{**ports, **settings})


def wait_for(found: Callable[[], Any], deadline_s: float = DEADLINE_S) -> Any:
    """Ask until the answer is truthy, and return it."""
    end = time.monotonic() + deadline_s
    while not (answer := found()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return answer


@dataclass
class Process:
    """A `telltale serve` of its own."""

    folder: Path
    child: subprocess.Popen[str]
    urls: dict[str, Any]

    def kill(self) -> None:
        """kill -9."""
        self.child.kill()
        self.child.wait()

    def terminate(self) -> int:
        """SIGTERM; returns the exit code."""
        self.child.send_signal(signal.SIGTERM)
        return self.child.wait(DEADLINE_S)
