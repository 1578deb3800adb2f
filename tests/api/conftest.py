"""A real store and the API over it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from collector.store import DuckDBStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DuckDBStore]:
    """An empty store on a file of its own."""
    opened = DuckDBStore(tmp_path / "telltale.db")
    yield opened
    opened.close()
