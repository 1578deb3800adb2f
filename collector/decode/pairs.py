"""One attribute as it stands on the wire, read with the least work: known ones from memory, plain texts by hand."""

from __future__ import annotations

from functools import lru_cache
from sys import intern
from typing import Any

from google.protobuf.message import DecodeError as ProtobufDecodeError
from opentelemetry.proto.common.v1 import common_pb2

from collector.decode import messages
from collector.decode.decoded import DecodeError

Pair = tuple[str, Any]
"""Key and value of an attribute; immutable, so that any number of rows may share it."""

SMALL = 128
"""Bytes of an attribute that is worth remembering. Longer ones are payload, which hardly ever comes twice."""

_MOST = 16_384
"""Attributes remembered, at most 8 MB; then all are forgotten and those in use are learnt again."""

_TEXT, _VALUE, _KEY = 1 << 3 | 2, 2 << 3 | 2, 1 << 3 | 2
_ONE_BYTE, _TWO_BYTES = 1 << 7, 1 << 14


class NotUtf8Error(ValueError):
    """A text is not UTF-8, which OTLP demands (protobuf's `string`): its row cannot be kept."""


class KnownPairs:
    """Small attributes with a plain value, by their bytes. Used by one thread at a time, or harmlessly by several."""

    __slots__ = ("_pairs", "get")

    def __init__(self) -> None:
        self._pairs: dict[bytes, Pair] = {}
        self.get = self._pairs.get

    def learn(self, raw: bytes, pair: Pair) -> None:
        """Remember an attribute that needs no further look: neither cut nor changed whatever the limits."""
        if len(self._pairs) >= _MOST:
            self._pairs.clear()
        self._pairs[raw] = pair


KNOWN = KnownPairs()
"""Those of this process: the texts in it are also what rows in memory share."""


def text_pair(raw: bytes) -> tuple[str, str] | None:
    """Key and text of an attribute in the form that every encoder writes; None for any other, which is no error.

    That form: the key (shorter than 128 bytes), then a text value shorter than 2 MiB, and nothing else.

    Raises:
        NotUtf8Error: the key or the text is not UTF-8.
    """
    end = len(raw)
    if end < 4 or raw[0] != _KEY or raw[1] >= _ONE_BYTE:
        return None
    at = raw[1] + 2
    if at + 4 > end or raw[at] != _VALUE:
        return None
    size, start = _length(raw, at + 1)
    if start + size != end or size < 2 or raw[start] != _TEXT:
        return None
    size, start = _length(raw, start + 1)
    if start + size != end:
        return None
    try:
        return intern(raw[2:at].decode()), raw[start:].decode()
    except UnicodeDecodeError:
        raise NotUtf8Error from None


def _length(raw: bytes, at: int) -> tuple[int, int]:
    """A length of up to three bytes and where it ends; -1, which fits nowhere, for a longer one."""
    size = raw[at]
    if size < _ONE_BYTE:
        return size, at + 1
    if len(raw) < at + 3:
        return -1, 0
    size += (raw[at + 1] << 7) - _ONE_BYTE
    if size < _TWO_BYTES:
        return size, at + 2
    third = raw[at + 2]
    return (size + (third << 14) - _TWO_BYTES, at + 3) if third < _ONE_BYTE else (-1, 0)


def any_pair(raw: bytes) -> Any:
    """The KeyValue message of an attribute, whatever it holds.

    Raises:
        NotUtf8Error: a text in it is not UTF-8.
        DecodeError: it is no KeyValue, or nested deeper than protobuf reads.
    """
    return _parsed(common_pb2.KeyValue, messages.KeyValue, raw)


def any_value(raw: bytes) -> Any:
    """The AnyValue message of a log record's body; raises as `any_pair`."""
    return _parsed(common_pb2.AnyValue, messages.AnyValue, raw)


def _parsed(strict: Any, lenient: Any, raw: bytes) -> Any:
    try:
        return strict.FromString(raw)
    except ProtobufDecodeError:
        pass
    try:
        lenient.FromString(raw)
    except ProtobufDecodeError:
        raise DecodeError("the body is not an OTLP request in protobuf: an attribute cannot be read") from None
    raise NotUtf8Error


def text(raw: bytes) -> str:
    """A name or a message.

    Raises:
        NotUtf8Error: it is not UTF-8.
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise NotUtf8Error from None


@lru_cache(maxsize=4096)
def short_text(raw: bytes) -> str:
    """As `text`, NUL made visible, for texts of up to `SMALL` bytes: names come again and again."""
    return text(raw).replace("\0", "\u2400")
