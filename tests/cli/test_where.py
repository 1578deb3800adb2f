"""Where a command asks when nobody says, and what it says when there is nobody to ask."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics.jobs import JudgeJob
from collector.service import Service
from collector.store import DuckDBStore
from tests.api.scene import scene
from tests.cli.conftest import json_lines
from tests.collector.running import config_for

Run = Callable[..., Any]
NOBODY = "9"
"""A port on which nobody answers."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder without a database, on a machine without a service."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TELLTALE_API_PORT", NOBODY)
    return folder


@pytest.fixture
def beside(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """A service with the scene in its file, where the settings say."""
    service = Service(config_for(tmp_path))
    service.start()
    try:
        assert service.store is not None
        service.store.append(scene(time.time_ns()))
        JudgeJob(service.store, pause_s=0).drain()
        monkeypatch.setenv("TELLTALE_API_PORT", service.urls.api.rpartition(":")[2])
        yield service
    finally:
        service.stop()


@pytest.mark.parametrize("command", ["calls", "tools", "incidents", "sessions", "report", "rules"])
def test_a_bare_command_asks_the_service_beside_it(run: Run, beside: Service, command: str) -> None:
    """Where the settings' file is not there, and a service answers where the settings say; standard error says so."""
    result = run(command)

    assert result.exit_code == 0, result.stderr
    assert f"asking the service at {beside.urls.api}" in result.stderr
    assert result.stdout == run(command, "--api", beside.urls.api).stdout or command == "report"


@pytest.mark.parametrize("command", ["calls", "incidents"])
def test_a_bare_command_in_the_folder_of_a_service(
    run: Run, process: Run, beside: Service, here: Path, command: str
) -> None:
    """The settings' file is held by the service that answers where the settings say: it is asked, and that is said."""
    (here / "telltale.toml").write_text(f"db = '{beside.config.db}'\n")
    result = process(command)

    assert result.returncode == 0, result.stderr
    assert "is held by PID" in result.stderr
    assert f"asking the service at {beside.urls.api}" in result.stderr
    assert result.stdout == run(command, "--api", beside.urls.api).stdout


def test_a_bare_command_with_nobody_to_ask(run: Run, here: Path) -> None:
    """One sentence names both places and both options; nothing is made."""
    result = run("tools")

    assert result.exit_code == 2
    for word in ("telltale.db", f"http://127.0.0.1:{NOBODY}", "--db", "--api"):
        assert word in result.stderr
    assert list(here.iterdir()) == []


def test_the_file_of_the_settings_is_asked(run: Run, here: Path, db: Path) -> None:
    """`db` of telltale.toml, as the service itself takes it."""
    (here / "telltale.toml").write_text(f"db = '{db}'\n")
    result = run("calls", "--format", "jsonl")

    assert len(json_lines(result.stdout)) == 5
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        (("calls",), f"ask that service with --api http://127.0.0.1:{NOBODY}"),
        (("alerts", "backtest"), "name a copy with --db (`telltale backup` makes one)"),
        (("rejudge", "--since", "all"), "stop it first"),
    ],
)
def test_a_held_file_says_what_this_command_can_do(
    run: Run, process: Run, here: Path, command: tuple[str, ...], advice: str
) -> None:
    """The address where a question is answered; a command that needs the file is not sent to an API it cannot ask."""
    store = DuckDBStore(here / "telltale.db")
    try:
        result = process(*command)
    finally:
        store.close()

    assert result.returncode == 2
    assert "telltale.db is held by PID" in result.stderr
    assert advice in result.stderr
    assert ("--api" in result.stderr) is (command == ("calls",))


@pytest.mark.parametrize("command", [("calls",), ("tools",), ("report",), ("incidents",), ("alerts", "backtest")])
def test_a_range_that_ends_before_it_begins_is_refused(run: Run, db: Path, command: tuple[str, ...]) -> None:
    """0 calls would be taken for an answer."""
    result = run(*command, "--since", "2026-12-01", "--until", "2026-11-01", "--db", db)

    assert result.exit_code == 2
    assert "until" in result.stderr
    assert "before" in result.stderr


@pytest.mark.parametrize("command", ["calls", "silent"])
def test_the_trace_stands_in_for_a_session_that_is_not_named(run: Run, tmp_path: Path, command: str) -> None:
    """In a table, under the id by which `--session` finds it; the rows of jsonl stay as they are."""
    path = tmp_path / "telltale.db"
    batch = scene(time.time_ns())
    for span in batch.spans:
        span.attributes.pop("gen_ai.conversation.id", None)
    store = DuckDBStore(path)
    store.append(batch)
    store.close()
    rows = json_lines(run(command, "--db", path, "--format", "jsonl").stdout)
    table = run(command, "--db", path).stdout

    assert rows
    for row in rows:
        assert row["session_id"] is None
        assert row["trace_id"] in table
        found = json_lines(run(command, "--db", path, "--session", row["trace_id"], "--format", "jsonl").stdout)
        assert row["span_id"] in {each["span_id"] for each in found}
