"""The wheel in an empty environment: OpenTelemetry's API is all that comes with it, and the light install works."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLEAN = {
    name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST", "OTEL", "TELLTALE"))
}


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of an environment that has nothing but the wheel and what the wheel asks for."""
    folder = tmp_path_factory.mktemp("light")
    wheels, venv = folder / "wheels", folder / "venv"
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-qq", "--no-deps", "--wheel-dir", str(wheels), str(ROOT)],
        check=True,
        timeout=110,
    )
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True, timeout=110)
    (wheel,) = wheels.glob("*.whl")
    subprocess.run(
        [str(venv / "bin" / "python"), "-m", "pip", "install", "-qq", str(wheel)], check=True, timeout=110, env=CLEAN
    )
    return venv / "bin"


def test_readmes_three_lines_run_with_the_exporter_and_nothing_else(empty: Path) -> None:
    """`[otlp]` in an otherwise empty environment: a guarded call's span arrives at a collector."""
    (wheel,) = (empty.parents[1] / "wheels").glob("*.whl")
    venv = empty.parents[1] / "otlp"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True, timeout=110)
    install = [str(venv / "bin" / "python"), "-m", "pip", "install", "-qq", f"{wheel}[otlp]"]
    subprocess.run(install, check=True, timeout=110, env=CLEAN)
    received: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        """Keeps what arrives."""

        def do_POST(self) -> None:
            """Take one export."""
            received.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    code = (
        "import telltale\n"
        f"telltale.instrument(endpoint='http://127.0.0.1:{server.server_port}')\n"
        "telltale.guard(lambda: 1)()"
    )
    done = run(venv / "bin", "python", "-c", code)
    server.shutdown()

    assert (done.returncode, done.stderr) == (0, "")
    assert b"execute_tool <lambda>" in b"".join(received)


def run(empty: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the empty environment, away from the checkout."""
    return subprocess.run(
        [str(empty / command[0]), *command[1:]],
        cwd=empty,
        env=CLEAN,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_api_is_the_only_dependency(empty: Path) -> None:
    """Beside the wheel: opentelemetry-api, what that needs, and what a fresh environment has."""
    listed = run(empty, "python", "-m", "pip", "list", "--format", "json").stdout
    names = {found["name"].lower().replace("_", "-") for found in json.loads(listed)}

    of_the_api = {"typing-extensions", "importlib-metadata", "zipp", "deprecated", "wrapt"}
    assert names - {"pip", "setuptools"} - of_the_api == {"telltale-otel", "opentelemetry-api"}


def test_the_library_works_on_the_light_install(empty: Path) -> None:
    """Guard, budget, mapping and redaction need nothing more."""
    code = (
        "import telltale\n"
        "@telltale.guard\n"
        "def book(): raise TimeoutError('token=abcdef123456')\n"
        "print(book()['error']['action'], book()['error']['action'])\n"
        "print(telltale.error('CONFLICT', quote='password=hunter22')['error']['message'])"
    )
    done = run(empty, "python", "-c", code)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "retry_later stop_and_tell_user"
    assert "hunter22" not in done.stdout


def test_the_contract_command_works_and_the_others_name_the_extra(empty: Path) -> None:
    """`telltale contract` prints; everything else says what to install and leaves with 2."""
    contract = run(empty, "telltale", "contract")
    assert contract.returncode == 0
    assert len(json.loads(contract.stdout)["codes"]) == 7

    for command in (["serve"], ["calls"], ["check", "."], []):
        done = run(empty, "telltale", *command)
        assert done.returncode == 2
        assert "pip install 'telltale-otel[server]'" in done.stderr


def test_adapters_and_exporter_name_their_extra(empty: Path) -> None:
    """One clear sentence each."""
    for code, extra in (
        ("import telltale.adk", "adk"),
        ("import telltale.mcp", "mcp"),
        ("import telltale; telltale.instrument()", "otlp"),
        ("from telltale.testing import SpanCapture; SpanCapture()", "otlp"),
    ):
        done = run(empty, "python", "-c", code)
        assert done.returncode == 1
        assert f"pip install 'telltale-otel[{extra}]'" in done.stderr.splitlines()[-1]
