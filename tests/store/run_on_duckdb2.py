"""Run the store's tests on DuckDB 2.0: the lock pins 1.5, and files must be good on both.

DuckDB 2.0 goes into a folder of its own, put first on the path; everything else stays the locked environment.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = Path(__file__).with_name("duckdb2.lock")
HOME = ROOT / ".venvs" / "duckdb2"
TESTS = ("tests/store", "tests/journal", "tests/questions", "tests/jobs")


def install() -> None:
    """Install DuckDB 2.0 beside the environment, once per version of the lock."""
    stamp = HOME / ".lock"
    if stamp.exists() and stamp.read_bytes() == LOCK.read_bytes():
        return
    command = ["-m", "pip", "install", "-qq", "--no-deps", "--require-hashes", "--upgrade", "--target", str(HOME)]
    subprocess.run([sys.executable, *command, "-r", str(LOCK)], check=True)
    stamp.write_bytes(LOCK.read_bytes())


def main() -> int:
    """Exit with pytest's code; the version in use is printed first."""
    install()
    path = os.pathsep.join([str(HOME), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": path}
    shown = "import duckdb, sys; print('DuckDB', duckdb.__version__); sys.exit(not duckdb.__version__.startswith('2.'))"
    if subprocess.run([sys.executable, "-c", shown], env=environment, check=False).returncode:
        return 1
    tests = [folder for folder in TESTS if (ROOT / folder).is_dir()]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", *tests, *sys.argv[1:]]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
