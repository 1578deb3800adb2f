"""Running, killing and verifying `store_child.py`."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from collector.store import DuckDBStore

CHILD = Path(__file__).with_name("store_child.py")


@dataclass(slots=True)
class Verdict:
    """What a verification found; all three lists must be empty."""

    lost: list[int]
    torn: list[int]
    doubled: list[int]
    rows: int
    seconds: float

    @property
    def clean(self) -> bool:
        """Nothing acknowledged is missing, in part or whole, and nothing is there twice."""
        return not (self.lost or self.torn or self.doubled)


def start(db: Path, acked: Path, *flags: str, prefix: list[str] | None = None) -> subprocess.Popen[bytes]:
    """A filling process."""
    command = [*(prefix or []), sys.executable, str(CHILD), str(db), str(acked), *flags]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def said(acked: Path) -> list[str]:
    """Whole lines of the account; a last line cut by the kill does not count."""
    if not acked.exists():
        return []
    return acked.read_text("utf-8").split("\n")[:-1]


def acknowledged(acked: Path) -> list[int]:
    """Numbers of the acknowledged batches."""
    return [int(line.split()[1]) for line in said(acked) if line.startswith("acked")]


def wait_until(condition: object, seconds: float = 60.0) -> None:
    """Poll; fail after a generous time."""
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "did not come about in time"
        time.sleep(0.02)


def kill(child: subprocess.Popen[bytes]) -> None:
    """kill -9."""
    child.send_signal(signal.SIGKILL)
    child.wait()


def verify(db: Path, acked: Path, rows: int = 20) -> Verdict:
    """Open the store as the service would, and compare it with what was acknowledged."""
    started = time.monotonic()
    store = DuckDBStore(db)
    seconds = time.monotonic() - started
    assert store.flush()
    found = store.read(
        "SELECT CAST(attributes->>'n' AS BIGINT) // 1000 AS batch, count(*) AS n, count(DISTINCT span_id) AS d"
        " FROM {span} AS s GROUP BY 1"
    ).to_pylist()
    total = store.read("SELECT count(*) AS n FROM {span} AS s").to_pylist()[0]["n"]
    store.close()
    counts = {row["batch"]: (row["n"], row["d"]) for row in found}
    numbers = acknowledged(acked)
    return Verdict(
        lost=[n for n in numbers if n not in counts],
        torn=[n for n in numbers if n in counts and counts[n][1] != rows],
        doubled=[n for n, (count, distinct) in counts.items() if count != distinct],
        rows=total,
        seconds=seconds,
    )
