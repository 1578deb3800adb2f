"""Aids for the tests of tool authors: the contract, failing fakes, captured spans.

As a pytest plugin (installed with the package) it gives the fixtures `telltale_spans` and `guarded_tool`:

```python
def test_error_maps(guarded_tool):            # once for every tool that `guard` decorated
    assert_error_maps(guarded_tool)

def test_booking(telltale_spans):
    assert_contract(book_meeting, [Case({"date": "next Tuesday"}, code="INVALID_ARGUMENT", field="date")])
    assert telltale_spans.one("execute_tool book_meeting").attributes["error.type"] == "INVALID_ARGUMENT"
```
"""

from __future__ import annotations

from telltale.testing._capture import CapturedEvent, CapturedSpan, SpanCapture
from telltale.testing._contract import Case, assert_contract, assert_envelope, assert_error_maps, error_maps
from telltale.testing._fakes import failing_tool
from telltale.testing._registry import registered_tools

__all__ = [
    "CapturedEvent",
    "CapturedSpan",
    "Case",
    "SpanCapture",
    "assert_contract",
    "assert_envelope",
    "assert_error_maps",
    "error_maps",
    "failing_tool",
    "registered_tools",
]
