"""`telltale dashboard`: what it starts, and what it says when it cannot."""

from __future__ import annotations

import socket
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from dashboard import cli

ROOM = Path(cli.__file__).parent


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would be executed, instead of executing it."""
    calls: list[Any] = []
    monkeypatch.setattr("os.chdir", lambda folder: None)
    monkeypatch.setattr("os.execve", lambda path, command, environment: calls.append((command, environment)))
    return calls


def run(*arguments: str) -> Any:
    """Run the command as the command line would."""
    app = typer.Typer()
    app.callback()(lambda: None)
    cli.register(app)
    return CliRunner().invoke(app, ["dashboard", *arguments])


def test_starts_streamlit_quietly(started: list[Any]) -> None:
    """Streamlit is started without telemetry, without a browser, without a file watcher, with XSRF protection."""
    result = run("--api", "http://127.0.0.1:4319", "--port", "0")

    command, environment = started[0]
    assert result.exit_code == 0
    for flag in (
        "--browser.gatherUsageStats=false",
        "--server.headless=true",
        "--server.fileWatcherType=none",
        "--server.enableXsrfProtection=true",
        "--server.address=127.0.0.1",
    ):
        assert flag in command
    assert environment["TELLTALE_API_URL"] == "http://127.0.0.1:4319"


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [((), True), (("--host", "0.0.0.0"), False), (("--host", "0.0.0.0", "--insecure"), True)],
)
def test_the_commands_own_token_opens_the_pages_to_nobody_else(
    started: list[Any], monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], kept: bool
) -> None:
    """Beyond this machine visitors sign in, unless the command is told otherwise."""
    monkeypatch.setenv("TELLTALE_API_TOKEN", "tt-own")

    result = run("--api", "http://127.0.0.1:4319", "--port", "0", *arguments)

    [(_, environment)] = started
    assert ("TELLTALE_API_TOKEN" in environment) is kept
    assert ("visitors sign in" in result.output) is not kept


def test_a_free_port_is_chosen(started: list[Any]) -> None:
    """Port 0 takes a free port; its address is not told before something answers there."""
    result = run("--api", "http://127.0.0.1:4319", "--port", "0")

    port = next(flag.split("=")[1] for flag in started[0][0] if flag.startswith("--server.port="))
    assert int(port) > 0
    assert "http://" not in result.output


def test_a_taken_port_is_named(started: list[Any]) -> None:
    """A taken port ends the command with a sentence that names the port and the flag."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]

        result = run("--api", "http://127.0.0.1:4319", "--port", str(port))

    assert result.exit_code != 0
    assert started == []
    assert f"port {port} on 127.0.0.1 is taken" in result.stderr
    assert "--port" in result.stderr


@pytest.mark.parametrize("api", ["127.0.0.1:4319", "file:///etc/passwd", ""])
def test_an_address_that_is_none(started: list[Any], api: str) -> None:
    """An API address that is not http or https is bad usage."""
    result = run("--api", api, "--port", "0")

    assert result.exit_code == 2
    assert "--api" in result.stderr
    assert started == []


def test_a_port_that_is_none(started: list[Any]) -> None:
    """A port out of range is refused in a sentence."""
    result = run("--api", "http://127.0.0.1:4319", "--port", "70000")

    assert result.exit_code != 0
    assert "70000" in result.stderr
    assert started == []


def test_settings_file_agrees() -> None:
    """Started by hand, the pages are as quiet as through the command."""
    settings = tomllib.loads((ROOM / ".streamlit" / "config.toml").read_text(encoding="utf-8"))

    assert settings["browser"]["gatherUsageStats"] is False
    assert settings["server"]["headless"] is True
    assert settings["server"]["fileWatcherType"] == "none"
    assert settings["server"]["enableXsrfProtection"] is True


def test_no_module_shadows_a_room() -> None:
    """Streamlit puts this folder first on the path: no file in it may carry a room's name."""
    names = {path.stem for path in ROOM.iterdir()}

    assert names.isdisjoint({"analytics", "collector", "telltale", "dashboard", "streamlit", "pandas"})


def test_only_its_own_names_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """On loopback the pages answer to its own names and those that are named; elsewhere to the named ones, or all."""
    monkeypatch.delenv("TELLTALE_ALLOWED_HOSTS", raising=False)
    assert cli.allowed_hosts("127.0.0.1") == ["127.0.0.1", "localhost", "::1"]
    assert cli.allowed_hosts("0.0.0.0") == []

    monkeypatch.setenv("TELLTALE_ALLOWED_HOSTS", "pages.example.com, ")
    assert cli.allowed_hosts("localhost")[-1] == "pages.example.com"
    assert cli.allowed_hosts("0.0.0.0") == ["pages.example.com"]
