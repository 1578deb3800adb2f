"""A real store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from analytics.spans import Span
from analytics.store import Batch
from collector.store import DuckDBStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DuckDBStore]:
    """An empty store on a file of its own."""
    opened = DuckDBStore(tmp_path / "telltale.db")
    yield opened
    opened.close()


@pytest.fixture
def send(store: DuckDBStore) -> Callable[..., None]:
    """Store some spans."""

    def _send(*spans: Span) -> None:
        store.append(Batch(spans=list(spans)))

    return _send
