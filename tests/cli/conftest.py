"""The command line on a database file, as a process of its own and in this one."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from analytics.cli import register
from collector.store import DuckDBStore
from tests.api.scene import scene


@pytest.fixture(scope="session")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with `tests.api.scene` in it, stored but not judged; no process holds it."""
    path: Path = tmp_path_factory.mktemp("cli") / "telltale.db"
    store = DuckDBStore(path)
    store.append(scene(time.time_ns()))
    store.close()
    return path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run a command in this process."""
    monkeypatch.delenv("TELLTALE_DB", raising=False)
    monkeypatch.delenv("TELLTALE_API_URL", raising=False)
    app = typer.Typer()
    register(app)

    def _run(*arguments: object) -> Result:
        return CliRunner().invoke(app, [str(each) for each in arguments])

    return _run


@pytest.fixture
def process() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command as a process."""

    def _run(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "telltale", *(str(each) for each in arguments)]
        return subprocess.run(command, capture_output=True, text=True, input=stdin, timeout=110, check=False)

    return _run


def json_lines(text: str) -> list[dict[str, Any]]:
    """The objects of a jsonl output."""
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="session")
def of_users(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scene, all of it of the user ada."""
    path: Path = tmp_path_factory.mktemp("users") / "telltale.db"
    batch = scene(time.time_ns())
    for span in batch.spans:
        span.attributes = {**span.attributes, "user.id": "ada"}
    store = DuckDBStore(path)
    store.append(batch)
    store.close()
    return path
