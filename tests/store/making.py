"""Spans for the tests of the store."""

from __future__ import annotations

from typing import Any

from analytics.spans import Span

START = 1_764_500_000_000_000_000
DAY = 86_400_000_000_000


def span(number: int = 1, trace: int = 1, **fields: Any) -> Span:
    """A small span; every number is another one."""
    made = Span(
        trace_id=f"{trace * 0x9E3779B97F4A7C15F39CC0605CEDC834 % 2**128:032x}",
        span_id=f"{number:016x}",
        parent_span_id="",
        name="execute_tool search",
        kind=1,
        start_ns=START + number,
        end_ns=START + number + 1000,
        attributes={"gen_ai.tool.name": "search", "n": number},
    )
    for name, value in fields.items():
        setattr(made, name, value)
    return made
