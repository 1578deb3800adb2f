"""Attributes read by hand, against protobuf's own reading of the same bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from collector.decode import pairs
from collector.decode.pairs import NotUtf8Error, any_pair, text_pair
from tests.collector.otlp import any_value, field

TEXT = st.text(st.characters(codec="utf-8"), max_size=300)


@given(key=TEXT, value=st.one_of(TEXT, st.integers(-(2**63), 2**63 - 1), st.booleans(), st.lists(TEXT, max_size=3)))
def test_what_is_read_by_hand_is_what_protobuf_reads(key: str, value: object) -> None:
    """A text pair is the same pair; anything else is left to protobuf."""
    raw = KeyValue(key=key, value=any_value(value)).SerializeToString()
    read = text_pair(raw)
    assert read is None or read == (key, value)
    if isinstance(value, str) and 0 < len(key.encode()) < 128:
        assert read == (key, value)


@given(raw=st.binary(max_size=12), key=st.binary(max_size=4), value=st.binary(max_size=20))
def test_any_bytes_are_read_as_protobuf_reads_them(raw: bytes, key: bytes, value: bytes) -> None:
    """Bytes that protobuf refuses or reads otherwise are never taken for a text."""
    for each in (raw, field(1, key) + field(2, value), field(1, key) + field(2, field(1, value)) + raw):
        try:
            read = text_pair(each)
        except NotUtf8Error:
            with pytest.raises(NotUtf8Error):
                any_pair(each)
            continue
        if read is not None:
            message = any_pair(each)
            assert (message.key, message.value.string_value) == read
            assert message.value.WhichOneof("value") == "string_value"


@pytest.mark.parametrize("size", [0, 1, 124, 125, 126, 127, 128, 16_380, 16_383, 16_384, 2**21 - 5, 2**21 - 4, 2**21])
def test_lengths_at_the_edges_of_their_encoding(size: int) -> None:
    """One, two and three bytes of length; longer texts go to protobuf."""
    raw = KeyValue(key="k", value=AnyValue(string_value="x" * size)).SerializeToString()
    read = text_pair(raw)
    assert read in (None, ("k", "x" * size))
    assert (read is None) == (size >= 2**21 - 4)


def test_a_length_of_four_bytes_is_no_length_of_three() -> None:
    """What protobuf refuses as longer than the bytes is not read with the fourth byte for a tag."""
    inner = b"\x0a" + b"\x05" + b"x" * (2**21 - 2)
    raw = field(1, b"k") + b"\x12\x80\x80\x80" + inner
    assert text_pair(raw) is None


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sender of ever new attributes makes the memory be cleared, not grow."""
    monkeypatch.setattr(pairs, "_MOST", 10)
    known = pairs.KnownPairs()
    for n in range(100):
        known.learn(b"%d" % n, ("k", n))
        assert len(known._pairs) <= 10
        assert known.get(b"%d" % n) == ("k", n)
