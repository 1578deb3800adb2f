"""Memory of the service on a large store: a minute of ingest and of a dashboard's questions over many stored calls.

The bar: at most 1 GB resident with ten million calls stored: `TELLTALE_BENCH_CALLS=10000000 make bench ARGS=memory`.
The default is a million; the calls are those of `benchmarks.queries`. BENCH_MEMORY_SECONDS is how long,
BENCH_MEMORY_SPANS_S how many spans come in meanwhile.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import httpx

from benchmarks.ingest import BAR_RSS_MB, Running, service
from benchmarks.queries import CALLS, fill
from collector.store import DuckDBStore

SECONDS = float(os.environ.get("BENCH_MEMORY_SECONDS", "60"))
SPANS_S = int(os.environ.get("BENCH_MEMORY_SPANS_S", "2000"))
SPANS_A_REQUEST = 200
QUESTIONS = (
    "overview",
    "tools",
    "tools-codes",
    "calls",
    "silent",
    "sessions",
    "groups",
    "rules",
    "senders",
    "incidents",
)


def main() -> None:
    """Fill, serve, load, print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", _FILL, str(folder / "t.db")], check=True)
        size = (folder / "t.db").stat().st_size / 1e6
        print(f"{CALLS:,} calls, {size:,.0f} MB, filled in {time.perf_counter() - began:.0f} s", flush=True)
        started = time.perf_counter()
        with service(folder) as running:
            idle = _resident(running)
            print(f"  ready after {time.perf_counter() - started:.1f} s, resident {idle:,.0f} MB", flush=True)
            _loaded(running)


_FILL = """
import sys
from pathlib import Path
from benchmarks.memory import filled
filled(Path(sys.argv[1]))
"""
"""In a process of its own: what filling takes is given back."""


def filled(path: Path) -> None:
    """A store with the calls of `benchmarks.queries`."""
    store = DuckDBStore(path)
    try:
        fill(store)
        store.checkpoint()
    finally:
        store.close()


def _loaded(running: Running) -> None:
    """Ingest and questions for the time; prints the memory meanwhile."""
    endpoint = running.urls["otlp_http"]
    rate = SPANS_S / SPANS_A_REQUEST
    command = [sys.executable, "-m", "benchmarks.otlp_load", endpoint, "--spans", str(SPANS_A_REQUEST)]
    command += ["--batches", str(int(rate * SECONDS)), "--rate", str(rate)]
    stop, answers = threading.Event(), Counter[str]()
    asking = threading.Thread(target=_ask, args=(running, stop, answers))
    asking.start()
    highest, told = 0.0, time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sender:
        while sender.poll() is None:
            time.sleep(0.2)
            highest = max(highest, now := _resident(running))
            if time.perf_counter() - told > SECONDS / 6:
                told = time.perf_counter()
                print(f"  resident {now:,.0f} MB", flush=True)
        assert sender.stdout is not None
        sent = sender.stdout.read().strip()
    stop.set()
    asking.join()
    print(f"  sent: {sent}\n  answers of the API by status: {dict(answers)}")
    print(f"  highest resident {highest:,.0f} MB (bar {BAR_RSS_MB} MB: {'met' if highest <= BAR_RSS_MB else 'MISSED'})")


def _ask(running: Running, stop: threading.Event, answers: Counter[str]) -> None:
    with httpx.Client(base_url=f"{running.urls['api']}/api/v1", timeout=120) as client:
        for path, since in itertools.cycle(itertools.product(QUESTIONS, ("24h", "30d"))):
            if stop.wait(0.5):
                return
            params = {} if path == "senders" else {"since": since}  # who sends is no matter of time
            answers[str(client.get(path, params=params).status_code)] += 1


def _resident(running: Running) -> float:
    """Megabytes of the service's process."""
    return float(running.process.memory_info().rss / 1e6)


if __name__ == "__main__":
    main()
