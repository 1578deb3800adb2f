"""Keep a file of today's shape as test data: run once per release, before the version is raised.

python tests/store/keep_shape.py
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from analytics import schema  # noqa: E402
from analytics.spans import LogRecord, Span  # noqa: E402
from analytics.store import Batch  # noqa: E402
from collector.store import DuckDBStore  # noqa: E402

START = 1_764_500_000_000_000_000


def main() -> None:
    """Write `data/shape-<version>.db.gz`."""
    spans = [
        Span("ab" * 16, f"{n + 1:016x}", "", "execute_tool search", 1, START + n, START + n + 9, attributes={"n": n})
        for n in range(5)
    ]
    log = LogRecord("ab" * 16, "", "gen_ai.choice", START, body={"a": 1})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kept.db"
        store = DuckDBStore(path)
        store.append(Batch(spans, [log]))
        store.close()
        (HERE / "data").mkdir(exist_ok=True)
        kept = HERE / "data" / f"shape-{schema.SCHEMA_VERSION}.db.gz"
        kept.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    print(f"{kept.name}: {kept.stat().st_size} bytes")


if __name__ == "__main__":
    main()
