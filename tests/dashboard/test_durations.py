"""Durations in the tables of tools: what is known to two digits only is marked."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard import tool_tables
from dashboard.view import View


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ({"p95_ms": 1000.0, "durations_exact": True}, "1.0 s"),
        ({"p95_ms": 970.0, "durations_exact": False}, "≈ 970 ms"),
        ({"p95_ms": None, "durations_exact": False}, "–"),
        ({"p95_ms": 12.0}, "12 ms"),
    ],
)
def test_a_duration_that_is_nearly_so_is_marked(
    row: dict[str, Any], shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the command line marks it; a service of an earlier release says nothing of it."""
    frames: list[Any] = []
    monkeypatch.setattr(tool_tables, "opening", lambda frame, *_, **__: frames.append(frame))
    tool_tables.tools([{"tool": "search", "calls": 1, **row}], View(), "tools")

    assert frames[0]["p95"].tolist() == [shown]
