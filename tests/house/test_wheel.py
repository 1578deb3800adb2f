"""The built wheel: one name in site-packages, every room inside it, and a command that finds them."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-qq", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, timeout=110)
    return next(folder.glob("*.whl"))


def test_wheel_puts_nothing_but_telltale_into_site_packages(wheel: Path) -> None:
    """No room, test or benchmark becomes a top-level package of somebody's environment."""
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}

    assert {top for top in tops if not top.endswith(".dist-info")} == {"telltale"}


def test_wheel_carries_what_the_service_reads(wheel: Path) -> None:
    """SQL, pages, theme and sample traces travel with the code."""
    names = zipfile.ZipFile(wheel).namelist()

    for kind in ("_rooms/analytics/questions/", "_rooms/analytics/schema/", "_rooms/dashboard/app.py", ".jsonl"):
        assert any(kind in name for name in names), kind
    assert "telltale/_rooms/dashboard/.streamlit/config.toml" in names


def test_command_of_the_wheel_uses_the_rooms_inside_it(wheel: Path, tmp_path: Path) -> None:
    """Away from a checkout, `telltale` imports the rooms that came with it, and ingests and judges a trace."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "TERM": "dumb"}
    sample = sorted((tmp_path / "site/telltale/_rooms/sample_traces").glob("*.jsonl"))[0]

    def telltale(*arguments: str) -> str:
        command = [sys.executable, "-m", "telltale", *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    telltale("ingest", str(sample), "--db", "t.db")
    where = subprocess.run(
        [
            sys.executable,
            "-c",
            "import telltale._command as c; c.rooms_on_path(); import collector; print(collector.__file__)",
        ],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert str(tmp_path) in where.stdout
    assert telltale("calls", "--db", "t.db", "--format", "jsonl").count("\n") > 0
