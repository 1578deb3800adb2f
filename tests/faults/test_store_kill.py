"""Kill -9 at any moment: every acknowledged span is there after the restart, once."""

from __future__ import annotations

import random
import shutil
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from store_harness import acknowledged, kill, said, start, verify, wait_until


def kills(folder: Path, rounds: int, seed: int, *flags: str) -> list[float]:
    """Fill and kill one store again and again; returns the times from start to an open store."""
    folder.mkdir(exist_ok=True)
    db, acked = folder / "k.db", folder / "acked"
    chance = random.Random(seed)
    ready = []
    for _ in range(rounds):
        seen = len(said(acked))
        first = max([0, *(int(line.split()[1]) for line in said(acked) if " " in line)]) + 1
        child = start(db, acked, "--first", str(first), *flags)
        wait_until(lambda seen=seen, child=child: len(said(acked)) > seen or child.poll() is not None)
        time.sleep(chance.uniform(0.02, 0.9))
        kill(child)
        verdict = verify(db, acked)
        assert verdict.clean, verdict
        ready.append(verdict.seconds)
    return ready


@pytest.mark.parametrize("flags", [(), ("--checkpoint",), ("--again",)], ids=["plain", "checkpoints", "sent twice"])
def test_a_few_kills_lose_nothing(tmp_path: Path, flags: tuple[str, ...]) -> None:
    """0 acknowledged lost, 0 torn, 0 doubled."""
    kills(tmp_path, 2, 7, *flags)
    assert acknowledged(tmp_path / "acked")


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_two_hundred_kills_lose_nothing(tmp_path: Path) -> None:
    """200 kills at random moments, with rare and with constant checkpoints; restart to ready below 5 s."""
    ready = kills(tmp_path / "a", 70, 1) + kills(tmp_path / "b", 70, 2, "--checkpoint")
    ready += kills(tmp_path / "c", 60, 3, "--checkpoint", "--by-duckdb")
    counted = sum(len(acknowledged(tmp_path / name / "acked")) for name in "abc")
    print(f"200 kills, {counted} acknowledged batches, slowest restart {max(ready):.2f} s")
    assert max(ready) < 25  # five times the bar: the machine may be busy


needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
POINTS = ("fdatasync", "write", "pwrite64", "ftruncate", "rename", "unlink", "fsync")


def killed_at(folder: Path, call: str, when: int) -> bool:
    """Run until the `when`-th `call` on the store's files is hit and kill there; whether it was reached."""
    db, acked = folder / "s.db", folder / "acked"
    inject = f"inject={call}:signal=SIGKILL:when={when}"
    watched = [f for name in ("s.db", "s.db.wal", "s.db.creating") for f in ("-P", str(folder / name))]
    journal = [] if call in ("pwrite64", "ftruncate") else ["-P", str(folder / "s.db.journal")]
    prefix = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject]
    if call in ("pwrite64", "ftruncate"):
        prefix += [*watched, *journal]
    child = start(db, acked, "--checkpoint", "--count", "12", prefix=prefix)
    code = child.wait()
    return code != 0


@needs_strace
@pytest.mark.parametrize("call", ["fdatasync", "pwrite64", "rename"])
def test_kills_at_exact_points(tmp_path: Path, call: str) -> None:
    """At a few positions of a system call that matters; `make faults` walks all of them."""
    for when in (1, 5):
        folder = tmp_path / f"{call}-{when}"
        folder.mkdir()
        killed_at(folder, call, when)
        verdict = verify(folder / "s.db", folder / "acked")
        assert verdict.clean, (call, when, verdict)


@needs_strace
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_kills_at_every_point(tmp_path: Path) -> None:
    """A kill at the first, second, third … occurrence of each call, until the run ends without one."""
    reached = 0
    for call in POINTS:
        for when in range(1, 60):
            folder = tmp_path / f"{call}-{when}"
            folder.mkdir()
            hit = killed_at(folder, call, when)
            verdict = verify(folder / "s.db", folder / "acked")
            assert verdict.clean, (call, when, verdict)
            reached += hit
            shutil.rmtree(folder)
            if not hit:
                break
    print(f"{reached} kill points, nothing lost")
    assert reached > 50


def test_a_file_that_was_half_made_is_made_again(tmp_path: Path) -> None:
    """A kill while a new file is made leaves a file under another name, or an empty one: the next start makes it."""
    (tmp_path / "k.db.creating").write_bytes(b"half")
    (tmp_path / "k.db").touch()
    child = start(tmp_path / "k.db", tmp_path / "acked", "--count", "2")
    assert child.wait() == 0
    assert verify(tmp_path / "k.db", tmp_path / "acked").rows == 40
