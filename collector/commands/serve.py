"""`telltale serve`: the service, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

from analytics.store import StoreUnavailable
from collector import dashboard_process, logs
from collector.config import Config, ConfigError, load
from collector.light import share_arenas, without_pandas
from collector.service import Service
from collector.sockets import PortTaken, bind
from collector.store import StoreHeld

CANNOT_START = 1
BAD_SETTING = 2


def serve(  # noqa: PLR0917 - a command line has as many options as it has
    config: Annotated[Path | None, typer.Option(help="Settings file.", envvar="TELLTALE_CONFIG")] = None,
    db: Annotated[Path | None, typer.Option(help="Database file.", show_default="telltale.db")] = None,
    dashboard: Annotated[bool, typer.Option("--dashboard", help="Run the dashboard beside the service.")] = False,
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    otlp_grpc_port: Annotated[int | None, typer.Option(help="OTLP over gRPC.", show_default="4317")] = None,
    otlp_http_port: Annotated[int | None, typer.Option(help="OTLP over HTTP.", show_default="4318")] = None,
    api_port: Annotated[int | None, typer.Option(help="Query API.", show_default="4319")] = None,
    dashboard_port: Annotated[int | None, typer.Option(help="Dashboard.", show_default="8501")] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Allow an address beyond this machine without tokens.")
    ] = False,
    ready_file: Annotated[Path | None, typer.Option(help="Written with the URLs once ready.")] = None,
) -> None:
    """Take spans in over OTLP, judge every tool call, answer on the query API. Port 0 takes a free port."""
    try:
        settings = load(
            config,
            db=db,
            dashboard=dashboard or None,
            host=host,
            otlp_grpc_port=otlp_grpc_port,
            otlp_http_port=otlp_http_port,
            api_port=api_port,
            dashboard_port=dashboard_port,
            insecure=insecure or None,
            ready_file=ready_file,
        )
    except ConfigError as error:
        raise SystemExit(_say(str(error), BAD_SETTING)) from None
    share_arenas()
    with without_pandas():
        _run(settings)


def _run(settings: Config) -> None:
    """Start, wait for a signal, stop."""
    try:
        logs.configure(settings.log_level)
        service = Service(settings)
        if settings.dashboard and settings.dashboard_port:
            bind(settings.host, settings.dashboard_port, "--dashboard-port").close()
        stopped = _on_signals()
        service.start()
    except ConfigError as error:
        raise SystemExit(_say(str(error), BAD_SETTING)) from None
    except StoreHeld as error:
        raise SystemExit(_say(f"{error.fact}; stop it first, or name another file with --db", CANNOT_START)) from None
    except (PortTaken, StoreUnavailable) as error:
        raise SystemExit(_say(str(error), CANNOT_START)) from None
    except OSError as error:
        raise SystemExit(_say(f"{error.filename or ''} {error.strerror or error}".strip(), CANNOT_START)) from None
    _announce(service)
    child = dashboard_process.start(service, settings.host, settings.dashboard_port) if settings.dashboard else None
    try:
        if child is not None:
            dashboard_process.watch(child, stopped)
        stopped.wait()
    finally:
        if child is not None:
            dashboard_process.end(child)
        service.stop()


def _on_signals() -> threading.Event:
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    return stopped


def _announce(service: Service) -> None:
    urls = service.urls
    print(f"Telltale takes OTLP at {urls.otlp_grpc} (gRPC) and {urls.otlp_http} (HTTP)", flush=True)
    print(f"Telltale answers at {urls.api}/api/v1/", flush=True)


def _say(sentence: str, code: int) -> int:
    print(f"telltale serve: {sentence}", file=sys.stderr)
    return code
