"""Every endpoint answers on an empty store, in the documented shape."""

from __future__ import annotations

import pytest

from analytics.api import Context, answer
from analytics.api.endpoints import ENDPOINTS
from collector.store import DuckDBStore

PLAIN = [each.name for each in ENDPOINTS if each.method == "GET" and "{" not in each.path]


@pytest.mark.parametrize("name", PLAIN)
def test_an_empty_store_answers_honestly(empty: DuckDBStore, name: str) -> None:
    """Nothing stored is an empty list or unknown rates, never an error and never 100 %."""
    made = answer(Context(empty), name, {})

    assert made["as_of"].endswith("Z")
    if "rows" in made and name != "rules":
        assert (made["rows"], made["total"]) == ([], 0)
    if "compliance" in made:
        assert made["compliance"]["rate"] is None
