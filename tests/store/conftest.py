"""Stores and spans for the tests of this folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from collector.store import DuckDBStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test's store lives."""
    return tmp_path / "t.db"


@pytest.fixture
def store(path: Path) -> Iterator[DuckDBStore]:
    """An open, empty store."""
    store = DuckDBStore(path)
    yield store
    store.close()
