"""A process of a release with one more step than the file: it opens the file, which migrates it, and ends."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from analytics import schema
from collector.store import DuckDBStore

STEP = "ALTER TABLE {span} ADD COLUMN colour VARCHAR DEFAULT 'red'; CREATE TABLE added AS SELECT * FROM range(50000);"


def with_one_more_step() -> None:
    """From here on this process is of that release."""
    schema.HISTORY = (*schema.HISTORY, (schema.SCHEMA_VERSION + 1, "for a test"))
    schema.SCHEMA_VERSION = schema.HISTORY[-1][0]
    schema.migration = lambda _version: STEP  # type: ignore[assignment]


if __name__ == "__main__":
    with_one_more_step()
    DuckDBStore(Path(sys.argv[1])).close()
