"""The house keeps its own promises: names, files and commands that documents and packaging rely on."""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("telltale", "collector", "analytics", "dashboard")


def test_no_installed_distribution_owns_a_rooms_name() -> None:
    """A stranger's package called `analytics` must not be what `import analytics` finds."""
    owners = importlib.metadata.packages_distributions()

    strangers = {room: owners[room] for room in ROOMS if set(owners.get(room, [])) - {"telltale-otel"}}

    assert strangers == {}


def test_no_dashboard_module_carries_a_rooms_name() -> None:
    """Streamlit puts dashboard/ first on the path: a dashboard/analytics.py would shadow the room."""
    names = {path.stem for path in (ROOT / "dashboard").iterdir()}

    assert names & set(ROOMS) == set()


def test_tests_are_no_packages() -> None:
    """With importlib import mode a tests/analytics/__init__.py would take the place of the room."""
    assert list((ROOT / "tests").rglob("__init__.py")) == []


def test_make_help_explains_every_target() -> None:
    """Each public target of the Makefile says in one line what it does."""
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    for target in ("demo", "test", "lint", "types", "bench", "serve", "clean"):
        assert f"make {target} " in shown


def test_lock_names_no_place() -> None:
    """The lock pins by hash and version and says nothing of where packages come from."""
    lock = (ROOT / "requirements.lock").read_text()

    assert "://" not in lock
    assert "--index-url" not in lock
    assert "--find-links" not in lock


@pytest.mark.skipif(shutil.which("docker-compose") is None, reason="docker-compose is not installed")
def test_compose_file_is_valid() -> None:
    """docker-compose accepts the file that the README tells newcomers to use."""
    done = subprocess.run(["docker-compose", "config"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "collector" in done.stdout
