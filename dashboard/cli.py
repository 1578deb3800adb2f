"""`telltale dashboard`: the pages as a process of their own, a client of the query API."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import Annotated

import typer

APP = Path(__file__).with_name("server.py")
BAD_USAGE = 2
LOOPBACK = ("127.0.0.1", "localhost", "::1")
HOSTS_VARIABLE = "TELLTALE_ALLOWED_HOSTS"


def register(app: typer.Typer) -> None:
    """Add `dashboard` to the command line."""
    app.command("dashboard")(dashboard)


def dashboard(
    api: Annotated[str, typer.Option(help="Address of the query API.", envvar="TELLTALE_API_URL")],
    port: Annotated[
        int, typer.Option(help="Port of the pages; 0 takes a free one.", envvar="TELLTALE_DASHBOARD_PORT")
    ] = 8501,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Beyond this machine, show the pages to all with TELLTALE_API_TOKEN.")
    ] = False,
) -> None:
    """Show the pages in a browser: what fails, since when, for whom, and the step."""
    if not api.startswith(("http://", "https://")):
        raise SystemExit(_say(f"--api must be an http or https address, not {api!r}.", BAD_USAGE))
    chosen = _free_port(host, port)
    environment = {**os.environ, "TELLTALE_API_URL": api}
    if host not in LOOPBACK and not insecure and environment.pop("TELLTALE_API_TOKEN", ""):
        _say("visitors sign in with a token of their own; --insecure shows the pages to all with yours", 0)
    os.chdir(APP.parent)  # Streamlit reads settings (`.streamlit/config.toml`) of the folder that it is started in
    os.execve(sys.executable, command(chosen, host), environment)  # noqa: S606 - our own interpreter, a fixed command


def command(port: int, host: str) -> list[str]:
    """The command that serves the pages: nothing reported home, no browser opened, no file watched, and no module
    taken from the working folder (`-P`): whoever can write a file there must not run code here. The pages
    tell their address themselves once they answer (`dashboard.server`).
    """
    settings = {
        "server.port": port,
        "server.address": host,
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "server.enableXsrfProtection": "true",
        "browser.gatherUsageStats": "false",
        "browser.serverAddress": host,
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "none",
        "logger.level": "warning",
        "logger.hideWelcomeMessage": "true",
    }
    flags = [f"--{key}={value}" for key, value in settings.items()]
    flags += [f"--server.allowedHosts={name}" for name in allowed_hosts(host)]
    return [sys.executable, "-P", "-m", "streamlit", "run", str(APP), *flags]


def allowed_hosts(host: str) -> list[str]:
    """The names by which a browser may call the pages.

    On a loopback address only its own names: else a page of another site could reach it by a name that it resolves to
    this machine (DNS rebinding). A proxy's name is added by TELLTALE_ALLOWED_HOSTS, comma-separated. On any other
    address the names are not known, and all are let in unless that variable names them.
    """
    named = [name.strip() for name in os.environ.get(HOSTS_VARIABLE, "").split(",") if name.strip()]
    return [*LOOPBACK, *named] if host in LOOPBACK else named


def _free_port(host: str, port: int) -> int:
    """The port to use. Ends the process with a sentence where it is taken or not allowed."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            reason = "is taken" if getattr(error, "errno", None) == 98 else f"cannot be used ({error})"
            raise SystemExit(
                _say(f"port {port} on {host} {reason}. Name another with --port (0 takes a free one).", 1)
            ) from None
        return int(probe.getsockname()[1])


def _say(sentence: str, code: int) -> int:
    print(f"telltale dashboard: {sentence}", file=sys.stderr)
    return code
