"""Keep a file of today's shape as test data: run once per release, before the version is raised.

python tests/store/keep_shape.py
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from analytics import schema  # noqa: E402
from analytics.jobs.corrections import correct  # noqa: E402
from analytics.jobs.judge_job import JudgeJob  # noqa: E402
from analytics.spans import LogRecord, Span  # noqa: E402
from analytics.store import Batch  # noqa: E402
from collector.store import DuckDBStore  # noqa: E402
from telltale.vocabulary import Outcome  # noqa: E402

START = 1_764_500_000_000_000_000


def tool_span(n: int) -> Span:
    """The span of a tool call of one session; every other one failed without saying so."""
    said = {"status": "unauthorized"} if n % 2 else {"rows": [n]}
    attributes = {
        "n": n,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.result": json.dumps(said),
        "gen_ai.conversation.id": "chat-1",
    }
    return Span(
        "ab" * 16, f"{n + 1:016x}", "", "execute_tool search", 1, START + n, START + n + 9, attributes=attributes
    )


def main() -> None:
    """Write `data/shape-<version>.db.gz`: spans, a log, their verdicts, and what a person said of one."""
    spans = [tool_span(n) for n in range(5)]
    log = LogRecord("ab" * 16, "", "gen_ai.choice", START, body={"a": 1})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kept.db"
        store = DuckDBStore(path)
        store.append(Batch(spans, [log]))
        JudgeJob(store, pause_s=0).drain()
        correct(store, "default", f"{2:016x}", outcome=Outcome.OK, who="ada", why="the word is the answer here")
        store.close()
        (HERE / "data").mkdir(exist_ok=True)
        kept = HERE / "data" / f"shape-{schema.SCHEMA_VERSION}.db.gz"
        kept.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    print(f"{kept.name}: {kept.stat().st_size} bytes")


if __name__ == "__main__":
    main()
