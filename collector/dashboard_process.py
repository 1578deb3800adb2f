"""The dashboard as a child process of the service: started with an API token of its own, ended with the service."""

from __future__ import annotations

import os
import subprocess
import sys

from collector.access.tokens import Role
from collector.service import Service

PATIENCE_S = 3
"""How long the child may take to end by itself."""


def start(service: Service, host: str, port: int) -> subprocess.Popen[bytes]:
    """Start `telltale dashboard` against the running service; it prints its own address.

    It leads a process group of its own: Ctrl-C reaches the service alone, which then ends the dashboard in order.
    """
    environment = {**os.environ, "TELLTALE_API_TOKEN": service.tokens.own_token(Role.OPERATOR)}
    command = [sys.executable, "-m", "telltale", "dashboard", "--api", service.urls.api]
    command += ["--port", str(port), "--host", host]
    return subprocess.Popen(command, env=environment, start_new_session=True)  # noqa: S603 - our own command


def end(child: subprocess.Popen[bytes]) -> None:
    """End the dashboard: politely first, then at once."""
    child.terminate()
    try:
        child.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
