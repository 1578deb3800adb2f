"""A real store with judged calls in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from collector.store import DuckDBStore


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBStore]:
    """An empty store on a file of its own."""
    folder: Path = tmp_path_factory.mktemp("questions")
    opened = DuckDBStore(folder / "telltale.db")
    yield opened
    opened.close()
