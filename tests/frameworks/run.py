"""Build one locked environment per framework and run that framework's tests in it; `make test-frameworks`.

    python tests/frameworks/run.py                 # all
    python tests/frameworks/run.py mcp crewai      # the named ones
    python tests/frameworks/run.py --lock          # renew the locks to the newest versions

Frameworks pin against each other, so each has an environment of its own under `.venvs/`, made once and again when its
lock changes. Exit 0 when all passed, 1 when a test failed or an environment could not be built, 2 on bad usage.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
VENVS = ROOT / ".venvs"
FRAMEWORKS = sorted(folder.name for folder in HERE.iterdir() if (folder / "requirements.lock").is_file())


def uv() -> str | None:
    """The uv of the checkout's environment, else the one on PATH, else None: pip does it too, more slowly."""
    beside = Path(sys.executable).with_name("uv")
    return str(beside) if beside.is_file() else shutil.which("uv")


def environment(name: str) -> Path:
    """The interpreter of a framework's environment, made now where it is missing or its lock has changed.

    The checkout is put on its path by a `.pth` file: nothing of it is built or installed.
    """
    lock = HERE / name / "requirements.lock"
    folder = VENVS / name
    python = folder / "bin" / "python"
    stamp = folder / ".lock-digest"
    digest = hashlib.sha256(lock.read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text() == digest and python.is_file():
        return python
    shutil.rmtree(folder, ignore_errors=True)
    print(f"{name}: making {folder.relative_to(ROOT)}", flush=True)
    tool = uv()
    if tool:
        _run([tool, "venv", "--quiet", "--python", sys.executable, str(folder)])
        _run([tool, "pip", "sync", "--quiet", "--require-hashes", "--python", str(python), str(lock)])
    else:
        _run([sys.executable, "-m", "venv", str(folder)])
        _run([str(python), "-m", "pip", "install", "-qq", "--require-hashes", "-r", str(lock)])
    site = next((folder / "lib").glob("python3*/site-packages"))
    (site / "telltale-checkout.pth").write_text(f"{ROOT}\n")
    stamp.write_text(digest)
    return python


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True)


def renew(names: list[str]) -> int:
    """Renew locks from `requirements.in`, hashed and without addresses."""
    tool = uv()
    if not tool:
        print("renewing a lock needs uv", file=sys.stderr)
        return 2
    for name in names:
        folder = HERE / name
        options = ["--universal", "--generate-hashes", "--no-header", "--no-emit-index-url", "--no-emit-find-links"]
        command = [tool, "pip", "compile", "--quiet", "--upgrade", str(folder / "requirements.in"), *options]
        _run([*command, "--python-version", "3.11", "--output-file", str(folder / "requirements.lock")])
    return 0


def test(name: str, arguments: list[str]) -> tuple[bool, str]:
    """Run one framework's tests; whether all passed, and pytest's last line."""
    try:
        python = environment(name)
    except (subprocess.CalledProcessError, OSError) as failed:
        return False, f"the environment could not be built: {failed}"
    settings = {**os.environ, "TELLTALE_FRAMEWORK": name, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [str(python), "-m", "pytest", "-p", "telltale.testing._plugin", "-p", "no:cacheprovider", "-q"]
    done = subprocess.run(
        [*command, str(HERE / name), *arguments], cwd=ROOT, env=settings, capture_output=True, text=True, check=False
    )
    lines = done.stdout.strip().splitlines() or done.stderr.strip().splitlines() or ["no output"]
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n", flush=True)
    return done.returncode == 0, lines[-1].strip("= ")


def main(argv: list[str]) -> int:
    """Test the named frameworks, or all; prints one line each and a summary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="framework", help=f"of {', '.join(FRAMEWORKS)}")
    parser.add_argument("--lock", action="store_true", help="renew the locks instead of testing")
    options, more = parser.parse_known_args(argv)
    unknown = [name for name in options.names if name not in FRAMEWORKS]
    if unknown:
        print(f"no such framework: {', '.join(unknown)}; there are {', '.join(FRAMEWORKS)}", file=sys.stderr)
        return 2
    names = options.names or FRAMEWORKS
    if options.lock:
        return renew(names)
    failed = []
    for name in names:
        started = time.monotonic()
        passed, line = test(name, more)
        print(
            f"{'passed' if passed else 'FAILED'}  {name:<14} {line}  ({time.monotonic() - started:.0f} s)", flush=True
        )
        failed += [] if passed else [name]
    print(
        f"{len(names) - len(failed)} of {len(names)} frameworks passed"
        + (f"; failed: {', '.join(failed)}" if failed else "")
    )
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
