"""Reading a payload: what it declares, and what must never happen whatever it is."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from telltale.payload import Asked, read_payload, unwrap

KEYS = (
    *("error", "errors", "ok", "status", "code", "data", "message", "isError", "retryable", "x", "", "output", "text"),
    *("content", "type", "state", "meta", "details", "detail", "results", "ret", "id", "RETURN", "TYPE", "MESSAGE"),
)
TELLING = st.sampled_from(
    ["Error: x", "error", "SUCCESS", "Not Found", "E", "text", "ValueError: y", "Invalid API key"]
)
BLOCK = st.builds(lambda text: {"type": "text", "text": text}, TELLING)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=40) | TELLING | BLOCK,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
)
CARRYING = st.dictionaries(
    st.sampled_from(["output", "result", "content", "message", "detail", "state", "status", "ok", "items"]),
    TELLING | BLOCK | st.lists(BLOCK | TELLING, min_size=1, max_size=2) | st.booleans() | st.none(),
    min_size=1,
    max_size=3,
)
"""Results of the shape that frameworks give them: telling texts and content blocks under the customary keys."""

TOOLS = st.sampled_from(["get_thing", "create_thing", "run", "check_thing", "thing"])


@given(JSON | CARRYING, TOOLS)
@settings(max_examples=400, deadline=None)
def test_reading_never_raises(value: Any, tool: str) -> None:
    """Any JSON value is read without an exception, and the same value gives the same reading; messages are texts."""
    asked = Asked(tool, {"id": 1})

    reading = read_payload(value, asked)

    assert isinstance(reading.message, str | None)
    assert repr(reading) == repr(read_payload(value, asked))


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


def test_envelopes_in_envelopes_are_read() -> None:
    """Guards around guards, far beyond any honest nesting."""
    deep: Any = []
    for _ in range(50_000):
        deep = {"status": "ok", "output": deep}

    assert not read_payload(deep).failed
