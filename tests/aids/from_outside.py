"""The product from outside: its command as processes of their own, official exporters, a real browser."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 120.0


def wait_until(true: Callable[[], Any], what: str) -> Any:
    """Wait for something to become true, and return it."""
    deadline = time.monotonic() + PATIENCE_S
    while not (answer := true()):
        assert time.monotonic() < deadline, f"waited {PATIENCE_S:.0f} s until {what}"
        time.sleep(0.1)
    return answer


@dataclass
class Running:
    """A `telltale serve` of its own and where it answers."""

    child: subprocess.Popen[str]
    urls: dict[str, Any]

    def ask(self, path: str, **params: Any) -> dict[str, Any]:
        """Ask the query API."""
        whole = {} if "/" in path or path in ("status", "senders") else {"since": "all"}
        answer = httpx.get(f"{self.urls['api']}/api/v1/{path}", params={**whole, **params}, timeout=60)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found


def telltale(*arguments: str, **variables: str) -> subprocess.Popen[str]:
    """Start the command as a process group of its own, its output piped, without settings of the caller's."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TELLTALE_", "OTEL_"))}
    command = [sys.executable, "-m", "telltale", *arguments]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment | variables, text=True, stdout=subprocess.PIPE, start_new_session=True
    )


def end(child: subprocess.Popen[str], number: int = signal.SIGTERM) -> int:
    """Signal one process as a terminal would, wait, and make sure that its whole group is gone."""
    child.send_signal(number)
    try:
        return child.wait(60)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
