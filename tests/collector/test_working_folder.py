"""The working folder is no place for code: nothing in it is run, and a dashboard that ends is told in the log."""

from __future__ import annotations

import json
import os
import pkgutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from tests.collector.running import DEADLINE_S, environment, wait_for

COMMAND = [sys.executable, "-P", "-m", "telltale"]
"""As the installed `telltale` is run: without the working folder on its own path."""

OWN = Path(__file__).parents[2]
PORTS = [f"--{name}-port=0" for name in ("otlp-grpc", "otlp-http", "api")]


@pytest.fixture
def trapped(tmp_path: Path) -> Path:
    """A folder with a module of every name that could be imported, each of which notes that it was run, and with
    settings for Streamlit that would move the pages.
    """
    rooms = [OWN / room for room in ("dashboard", "collector", "analytics", "telltale")]
    names = {module.name for module in pkgutil.iter_modules()} | set(sys.stdlib_module_names)
    names |= {module.name for module in pkgutil.iter_modules([str(room) for room in rooms])}
    names |= {room.name for room in rooms} | {"sitecustomize", "usercustomize"}
    for name in names:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'a').write({name + ' '!r})\n")
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text('[server]\nbaseUrlPath = "elsewhere"\n')
    return tmp_path


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that are ended after the test."""
    children: list[subprocess.Popen[str]] = []
    yield children
    for child in children:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(DEADLINE_S)
        except subprocess.TimeoutExpired:
            child.kill()


def _start(started: list[subprocess.Popen[str]], folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Run a command in a folder; what it says goes to `said` there."""
    with (folder / "said").open("a") as said:
        command = [*COMMAND, *arguments]
        child = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said, text=True, env=environment())
    started.append(child)
    return child


def _pages_answer(folder: Path) -> bool:
    """Whether the dashboard that told its address in `said` answers there."""
    told = [line for line in (folder / "said").read_text().splitlines() if line.startswith("Telltale dashboard: ")]
    try:
        return bool(told) and httpx.get(told[0].split()[2] + "/_stcore/health").status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


def test_no_file_of_the_working_folder_is_run(trapped: Path, started: list[subprocess.Popen[str]]) -> None:
    """`dashboard` and `serve --dashboard` in a folder full of modules run none of them; their pages answer."""
    for name, command in {
        "alone": ("dashboard", "--api", "http://127.0.0.1:9", "--port", "0"),
        "beside": ("serve", "--db", "t.db", "--dashboard", "--dashboard-port", "0", *PORTS),
    }.items():
        child = _start(started, trapped, *command)
        wait_for(lambda: _pages_answer(trapped) or child.poll() is not None)  # noqa: B023 - called at once
        said = (trapped / "said").read_text()
        assert child.poll() is None, f"{name}: {said}"
        assert not (trapped / "sprung").exists(), f"{name}: {(trapped / 'sprung').read_text()}"
        (trapped / "said").unlink()


def test_a_dashboard_that_ends_is_told(tmp_path: Path, started: list[subprocess.Popen[str]]) -> None:
    """The log says so, with the exit code; the service goes on, and ends as it should."""
    service = _start(started, tmp_path, "serve", "--db", "t.db", "--dashboard", "--dashboard-port", "0", *PORTS)
    wait_for(lambda: _pages_answer(tmp_path) or service.poll() is not None)
    [dashboard] = [each for each in psutil.Process(service.pid).children() if "streamlit" in " ".join(each.cmdline())]
    os.kill(dashboard.pid, signal.SIGKILL)

    def told() -> list[dict[str, object]]:
        lines = [json.loads(line) for line in (tmp_path / "said").read_text().splitlines() if line.startswith("{")]
        return [line for line in lines if line["event"] == "dashboard_ended"]

    [line] = wait_for(told)
    assert line["exit_code"] == -signal.SIGKILL
    assert line["level"] == "error"
    assert service.poll() is None
    service.send_signal(signal.SIGTERM)
    assert service.wait(DEADLINE_S) == 0
