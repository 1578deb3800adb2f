"""The beginning of a cut JSON text, or of a cut repr."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telltale.payload.wrappers.prefix import parse_prefix


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"error": {"code": "X", "message": "cut he', {"error": {"code": "X", "message": "cut he"}}),
        ('{"error": {"code": "X", "mess', {"error": {"code": "X"}}),
        ('{"a": 1, "b": [1, 2, {"c": 3}, {"d": "lo', {"a": 1, "b": [1, 2, {"c": 3}, {"d": "lo"}]}),
        ('{"a": 1, "b": ["x", "lo', {"a": 1, "b": ["x"]}),
        ("{'error': {'code': 'X', 'fatal': True, 'mess", {"error": {"code": "X", "fatal": True}}),
        ("{'error': 'it was \\'sealed\\' on", {"error": "it was 'sealed' on"}),
        ("{\"x\": None, 'error': \"don't op", None),
        ("{'x': None, 'error': \"don't op", {"x": None, "error": "don't op"}),
        ('[{"id": 1}, {"id": 2}, {"i', [{"id": 1}, {"id": 2}]),
        ('{"a": "x,}]\\"", "b": tr', {"a": 'x,}]"'}),
        ('{"a', None),
        ("plain text", None),
        ("}{", None),
        ("", None),
    ],
)
def test_prefix(text: str, value: Any) -> None:
    """What was complete before the cut is kept, and what is left of a member's text."""
    assert parse_prefix(text) == value


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
        max_leaves=12,
    ),
    st.integers(0, 200),
)
@settings(max_examples=100, deadline=None)
def test_any_cut(value: Any, at: int) -> None:
    """Any JSON text or repr cut anywhere is read without an exception."""
    parse_prefix(json.dumps(value)[:at])
    parse_prefix(repr(value)[:at])
