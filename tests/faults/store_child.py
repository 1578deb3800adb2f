"""A process that fills a store and says what was acknowledged, for tests that kill it.

Batch n holds spans whose attribute `n` is n * 1000 and up; its number is written to ACKED only after `append` returned,
so every number in ACKED must be found in the store afterwards, each of its rows once.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from analytics.spans import Span
from analytics.store import Batch, StoreUnavailable
from collector.store import DuckDBStore, Limits, Options, Pace

START = 1_764_500_000_000_000_000


def batch(number: int, rows: int) -> Batch:
    """Batch `number`: the same rows whenever it is made."""
    return Batch(
        [
            Span(
                trace_id=f"{number:032x}",
                span_id=f"{number * 1000 + row:016x}",
                parent_span_id="",
                name="execute_tool search",
                kind=1,
                start_ns=START + number * 1000 + row,
                end_ns=START + number * 1000 + row + 500,
                attributes={"n": number * 1000 + row, "gen_ai.tool.call.result": "x" * 300},
            )
            for row in range(rows)
        ]
    )


def options(args: argparse.Namespace) -> Options:
    """Defaults, or checkpoints at every turn."""
    threshold = "64KB" if args.by_duckdb else "10MB"
    if not args.checkpoint:
        return Options(free_floor_bytes=0)
    pace = Pace(
        gather_s=0.01, busy_checkpoint_bytes=20_000, idle_checkpoint_bytes=1, idle_s=0.0, checkpoint_every_s=0.0
    )
    return Options(limits=Limits(checkpoint_threshold=threshold), pace=pace, segment_bytes=64_000, free_floor_bytes=0)


def main() -> None:
    """Fill until the count is reached or the process is killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("db", type=Path)
    parser.add_argument("acked", type=Path)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=10**9)
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--checkpoint", action="store_true")
    parser.add_argument("--by-duckdb", action="store_true", help="with --checkpoint: leave it to DuckDB at its commits")
    parser.add_argument("--again", action="store_true", help="send every batch twice")
    parser.add_argument("--stay", action="store_true", help="when all is in the database, say so and wait to be killed")
    args = parser.parse_args()
    store = DuckDBStore(args.db, options(args))
    acked = os.open(args.acked, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(acked, b"ready\n")
    for number in range(args.first, args.first + args.count):
        try:
            for _ in range(2 if args.again else 1):
                store.append(batch(number, args.rows))
        except StoreUnavailable as error:
            os.write(acked, f"refused {number} {error}\n".encode())
            continue
        os.write(acked, f"acked {number}\n".encode())
        with suppress(StoreUnavailable):  # the judge, too, comes again when the database takes nothing
            judge(store, number)
    if args.stay and store.flush():
        os.write(acked, b"stays\n")
        signal.pause()
    store.close()


def judge(store: DuckDBStore, number: int) -> None:
    """Write a derived row, as the judge does after each batch."""
    with store.write() as transaction:
        transaction.execute("DELETE FROM job_state WHERE name = 'judge'")
        transaction.execute("INSERT INTO job_state VALUES ('judge', $value)", {"value": number})


if __name__ == "__main__":
    main()
