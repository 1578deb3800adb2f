"""The dashboard as a child process of the service: started beside it, ended with it; visitors sign in by themselves."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import structlog

from collector.service import Service

log = structlog.get_logger("collector.dashboard")

PATIENCE_S = 3
"""How long the child may take to end by itself."""

LOOK_EVERY_S = 0.5
"""How often `watch` looks whether the child still runs."""


def start(service: Service, host: str, port: int) -> subprocess.Popen[bytes]:
    """Start `telltale dashboard` against the running service; it prints its own address.

    It leads a process group of its own: Ctrl-C reaches the service alone, which then ends the dashboard in order. No
    module is taken from the working folder (`-P`): whoever can write a file there must not run code here.
    """
    environment = {name: value for name, value in os.environ.items() if name != "TELLTALE_API_TOKEN"}
    command = [sys.executable, "-P", "-m", "telltale", "dashboard", "--api", service.urls.api]
    command += ["--port", str(port), "--host", host]
    return subprocess.Popen(command, env=environment, start_new_session=True)  # noqa: S603 - our own command


def watch(child: subprocess.Popen[bytes], stopped: threading.Event) -> None:
    """Wait until the service is to stop or the dashboard ends before that, which the log then says: the service goes on
    without it, and spans are taken as before.
    """
    while not stopped.wait(LOOK_EVERY_S):
        if child.poll() is not None:
            log.error("dashboard_ended", exit_code=child.returncode, said="the service goes on without its pages")
            return


def end(child: subprocess.Popen[bytes]) -> None:
    """End the dashboard: politely first, then at once."""
    child.terminate()
    try:
        child.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
