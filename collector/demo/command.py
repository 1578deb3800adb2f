"""`telltale demo`: everything at once on an empty temporary store, until Ctrl-C; leaves nothing behind."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
import webbrowser
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import httpx
import typer

import collector
from analytics.store import StoreUnavailable
from collector import dashboard_process, logs
from collector.config import Config, ConfigError, load
from collector.demo.player import play
from collector.service import Service
from collector.sockets import PortTaken, bind

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

SAMPLES = Path(collector.__file__).parent.parent / "sample_traces"
DASHBOARD_PATIENCE_S = 60
"""How long the dashboard may take to answer before the demo says that it does not."""

PORTS = {
    "otlp_grpc_port": (4317, "--otlp-grpc-port"),
    "otlp_http_port": (4318, "--otlp-http-port"),
    "api_port": (4319, "--api-port"),
    "dashboard_port": (8501, "--dashboard-port"),
}
"""Each port's usual number and the flag that names another."""


def demo(  # noqa: PLR0917 - a command line has as many options as it has
    otlp_grpc_port: Annotated[
        int | None, typer.Option(help="OTLP over gRPC.", show_default="4317 or a free one")
    ] = None,
    otlp_http_port: Annotated[
        int | None, typer.Option(help="OTLP over HTTP.", show_default="4318 or a free one")
    ] = None,
    api_port: Annotated[int | None, typer.Option(help="Query API.", show_default="4319 or a free one")] = None,
    dashboard_port: Annotated[int | None, typer.Option(help="Dashboard.", show_default="8501 or a free one")] = None,
    speed: Annotated[float, typer.Option(help="How much faster than recorded.", min=0.1, max=100)] = 1.0,
    browser: Annotated[bool, typer.Option(help="Open the dashboard in a browser.")] = True,
) -> None:
    """Watch real tool calls being judged: an empty temporary store, sample traces played in as live traffic."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    asked = {
        "otlp_grpc_port": otlp_grpc_port,
        "otlp_http_port": otlp_http_port,
        "api_port": api_port,
        "dashboard_port": dashboard_port,
    }
    try:
        with tempfile.TemporaryDirectory(prefix="telltale-demo-") as folder:
            config = _config(Path(folder), {name: _port(name, number) for name, number in asked.items()})
            with _running(config) as (service, child):
                stopped_by_user = _watch(service, child, config, stop, speed=speed, browser=browser)
    except (ConfigError, PortTaken, StoreUnavailable) as error:
        print(f"telltale demo: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    print("Stopped. Nothing is left behind.", flush=True)
    if not stopped_by_user:
        raise SystemExit(1)


def _port(name: str, asked: int | None) -> int:
    """The port asked for; else the usual one, or a free one when that is taken.

    Raises:
        PortTaken: the port asked for cannot be bound.
    """
    usual, flag = PORTS[name]
    try:
        sock = bind("127.0.0.1", usual if asked is None else asked, flag)
    except PortTaken:
        if asked is not None:
            raise
        sock = bind("127.0.0.1", 0, flag)
        print(f"Port {usual} is taken; using {sock.getsockname()[1]} instead ({flag} names another).", flush=True)
    with sock:
        return int(sock.getsockname()[1])


def _config(folder: Path, ports: dict[str, int]) -> Config:
    """Settings of the demo: this machine only, a temporary store."""
    logs.configure("warning")
    return load(None, db=folder / "demo.db", host="127.0.0.1", **ports)


@contextmanager
def _running(config: Config) -> Iterator[tuple[Service, subprocess.Popen[bytes]]]:
    service = Service(config)
    service.start()
    try:
        child = dashboard_process.start(service, config.host, config.dashboard_port)
        try:
            yield service, child
        finally:
            dashboard_process.end(child)
    finally:
        service.stop()


def _watch(
    service: Service,
    child: subprocess.Popen[bytes],
    config: Config,
    stop: threading.Event,
    *,
    speed: float,
    browser: bool,
) -> bool:
    """Print where everything is and play the samples until stopped. False when the dashboard died before that."""
    dashboard = f"http://127.0.0.1:{config.dashboard_port}"
    player = threading.Thread(target=_play, args=(service.urls.otlp_http, stop, speed), name="player", daemon=True)
    player.start()
    _wait_for(dashboard, child, stop)
    print(f"\n  Dashboard   {dashboard}", flush=True)
    print(f"  API         {service.urls.api}/api/v1/overview")
    print(f"  OTLP/HTTP   {service.urls.otlp_http}    OTLP/gRPC   {service.urls.otlp_grpc}")
    print("  Sample traces are playing in as live traffic. Ctrl-C ends the demo.\n", flush=True)
    if browser and not stop.is_set() and _has_display():
        webbrowser.open(dashboard)
    while not stop.wait(1) and child.poll() is None:
        continue
    by_user = stop.is_set()
    if not by_user:
        print(f"telltale demo: the dashboard ended (exit code {child.returncode}).", file=sys.stderr, flush=True)
    stop.set()
    player.join(5)
    return by_user


def _play(otlp_http: str, stop: threading.Event, speed: float) -> None:
    """Send until stopped. A refused request is said once a round and the play goes on."""
    with httpx.Client(timeout=10) as client:

        def send(body: dict[str, Any]) -> None:
            try:
                client.post(f"{otlp_http}/v1/traces", json=body).raise_for_status()
            except httpx.HTTPError as error:
                if not stop.is_set():
                    print(f"telltale demo: a request was not taken ({type(error).__name__}).", file=sys.stderr)

        for said in play(SAMPLES, send, stop, speed):
            print(f"  Playing {said}", flush=True)


def _wait_for(dashboard: str, child: subprocess.Popen[bytes], stop: threading.Event) -> None:
    deadline = time.monotonic() + DASHBOARD_PATIENCE_S
    while time.monotonic() < deadline and child.poll() is None and not stop.wait(0.2):
        try:
            if httpx.get(f"{dashboard}/_stcore/health", timeout=2).status_code == httpx.codes.OK:
                return
        except httpx.HTTPError:
            continue


def _has_display() -> bool:
    """Whether a browser could show anything: never in CI or on a machine without a screen."""
    if os.environ.get("CI"):
        return False
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
