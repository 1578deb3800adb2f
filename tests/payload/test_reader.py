"""Reading a payload: what it declares, and what must never happen whatever it is."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from telltale.payload import Asked, read_payload, unwrap

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["error", "errors", "ok", "status", "code", "data", "message", "isError", "retryable", "x", ""]
            )
            | st.text(max_size=8),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@given(JSON)
@settings(max_examples=150, deadline=None)
def test_reading_never_raises(value: Any) -> None:
    """Any JSON value is read without an exception, and the same value gives the same reading."""
    asked = Asked("get_thing", {"id": 1})

    assert repr(read_payload(value, asked)) == repr(read_payload(value, asked))


@given(st.text(max_size=300) | st.binary(max_size=300))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read(sent: str | bytes) -> None:
    """Any text or bytes, unwrapped and read, raise nothing."""
    read_payload(unwrap(sent).value)


def test_deep_nesting_is_read() -> None:
    """Nesting far beyond any honest result is read without a recursion error."""
    deep: Any = 1
    for _ in range(50_000):
        deep = {"data": [deep]}

    read_payload(deep)
