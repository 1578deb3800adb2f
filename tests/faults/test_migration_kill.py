"""kill -9 in the middle of a migration (faults 3 and 41): the next start does it, nothing is lost, the copy opens."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from store_child import batch

from analytics import schema
from collector.store import DuckDBStore

CHILD = Path(__file__).with_name("migrating_child.py")
CALLS = ("pwrite64", "fdatasync", "fsync", "rename", "ftruncate")

needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file of this release with a few rows."""
    (tmp_path / "old").mkdir()
    store = DuckDBStore(tmp_path / "old" / "m.db")
    for number in range(1, 6):
        store.append(batch(number, 20))
    store.close()
    return tmp_path / "old"


def migrated(db: Path, *prefix: str) -> int:
    """Open the file with the release that has one more step; returns the exit code."""
    return subprocess.run([*prefix, sys.executable, str(CHILD), str(db)], check=False, capture_output=True).returncode


def killed_at(old: Path, folder: Path, call: str, when: int) -> bool:
    """Kill at the `when`-th call on the files, then look at everything; False where it was not reached."""
    shutil.copytree(old, folder)
    db = folder / "m.db"
    watched = [flag for name in ("m.db", "m.db.wal") for flag in ("-P", str(folder / name))]
    paths = watched if call in ("pwrite64", "ftruncate") else []
    inject = f"inject={call}:signal=SIGKILL:when={when}"
    code = migrated(db, "strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject, *paths)
    assert migrated(db) == 0, (call, when)
    check(db, folder)
    return code != 0


def check(db: Path, folder: Path) -> None:
    """Migrated whole, with every row; this release refuses it and opens the copy from before, with every row."""
    probe = (
        "import sys; from pathlib import Path; sys.path[:0] = sys.argv[2:]; import migrating_child as m; "
        "m.with_one_more_step(); from collector.store import DuckDBStore; s = DuckDBStore(Path(sys.argv[1])); "
        "rows = s.read('SELECT count(*) AS n, count(DISTINCT span_id) AS d, min(colour) AS c FROM {span} AS s'); "
        "print(rows.to_pylist()[0], s.read('SELECT count(*) AS n FROM added')['n'][0].as_py()); s.close()"
    )
    paths = [str(CHILD.parent), str(CHILD.parents[2])]
    done = subprocess.run([sys.executable, "-c", probe, str(db), *paths], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "{'n': 100, 'd': 100, 'c': 'red'} 50000"
    before = folder / f"m.db.shape-{schema.SCHEMA_VERSION}"
    store = DuckDBStore(before)
    assert store.read("SELECT count(*) AS n FROM {span} AS s").to_pylist() == [{"n": 100}]
    store.close()


@needs_strace
@pytest.mark.timeout(300)
def test_a_kill_in_the_middle_of_a_migration(old: Path, tmp_path: Path) -> None:
    """At one early write; `make faults` walks all positions."""
    killed_at(old, tmp_path / "once", "pwrite64", 3)


@needs_strace
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_kills_at_every_point_of_a_migration(old: Path, tmp_path: Path) -> None:
    """The first, second, third … occurrence of each call, until the migration ends without a kill."""
    reached = 0
    for call in CALLS:
        for when in range(1, 40):
            hit = killed_at(old, tmp_path / f"{call}-{when}", call, when)
            reached += hit
            shutil.rmtree(tmp_path / f"{call}-{when}")
            if not hit:
                break
    print(f"{reached} kill points in a migration, nothing lost")
    assert reached > 5
