"""Failing system calls: batches are refused or the process ends, and nothing acknowledged is lost or doubled."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from store_harness import Verdict, start, verify

needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")

CALLS = ("fdatasync", "fsync", "pwrite64", "write", "ftruncate")


def failing_at(folder: Path, call: str, error: str, when: str) -> Verdict:
    """Fill a store while one call on its files fails; then open it as if nothing had been."""
    folder.mkdir()
    db, acked = folder / "e.db", folder / "acked"
    files = (db, Path(f"{db}.wal"), Path(f"{db}.journal"))
    watched = [flag for file in files for flag in ("-P", str(file))] if call != "fdatasync" else []
    inject = f"inject={call}:error={error}:when={when}"
    prefix = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject, *watched]
    child = start(db, acked, "--checkpoint", "--count", "12", prefix=prefix)
    child.wait()
    return verify(db, acked)


@needs_strace
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("call", "error"), [("fdatasync", "EIO"), ("pwrite64", "ENOSPC")])
def test_a_call_that_fails(tmp_path: Path, call: str, error: str) -> None:
    """Once, early and later; `make faults` walks all positions."""
    for when in ("2", "5"):
        verdict = failing_at(tmp_path / f"{call}-{when}", call, error, when)
        assert verdict.clean, (call, error, when, verdict)


@needs_strace
@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("error", ["EIO", "ENOSPC"])
def test_every_call_that_can_fail(tmp_path: Path, error: str) -> None:
    """Each of the first calls of each kind fails once, and from some position on all of them do."""
    walked = 0
    for call in CALLS:
        for when in [*(str(n) for n in range(1, 25)), "3+", "10+"]:
            folder = tmp_path / f"{call}-{when}"
            verdict = failing_at(folder, call, error, when)
            assert verdict.clean, (call, error, when, verdict)
            shutil.rmtree(folder)
            walked += 1
    print(f"{error} at {walked} positions, nothing lost")
