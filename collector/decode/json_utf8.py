"""OTLP/JSON in which a text is not UTF-8: the record that holds it is rejected, the others are read.

The same as for protobuf, where strings are checked one by one. JSON is one text (RFC 8259 §8.1), so its parser refuses
the request; only then is it read again with a stand-in for each bad byte, and what holds a stand-in is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from collector.decode import json_shapes as shapes
from collector.decode.decoded import Decoded, DecodeError, Signal

_STAND_INS = range(0xFDD0, 0xFDF0)
"""Noncharacters for a program's own use (Unicode §23.7): no text of a sender should hold one."""

_encode = msgspec.json.Encoder().encode


def decode_without(body: bytes, signal: Signal, parse: Callable[[bytes], Any], decoded: Decoded) -> Any:
    """The request without the records whose text, resource or scope is not UTF-8; they are counted in `decoded`.

    Args:
        body: JSON that `parse` refused.
        signal: traces or logs.
        parse: from JSON to the request's shape.
        decoded: where the rejected records are counted.

    Raises:
        DecodeError: the body is UTF-8 and no JSON, or what is not UTF-8 is in no record.
    """
    stand_in = _unused(body)
    request = parse(_replaced(body, stand_in))
    sieve = _Sieve(stand_in.encode())
    if signal is Signal.TRACES:
        for spans in request.resource_spans or ():
            sieve.spans(spans)
    elif signal is Signal.LOGS:
        for logs in request.resource_logs or ():
            sieve.logs(logs)
    if not sieve.rejected:
        raise DecodeError("the body is not JSON: it is not UTF-8")
    what = "spans" if signal is Signal.TRACES else "log records"
    decoded.reasons[f"{what} rejected for text that is not UTF-8"] += sieve.rejected
    return request


def is_utf8(body: bytes) -> bool:
    """Whether a body is UTF-8 as a whole."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _unused(body: bytes) -> str:
    """A stand-in that does not occur in the body, neither as it is nor escaped."""
    escapes = body.lower()
    for number in _STAND_INS:
        if chr(number).encode() not in body and rb"\u%04x" % number not in escapes:
            return chr(number)
    raise DecodeError("the body is not JSON: it is not UTF-8")


def _replaced(body: bytes, stand_in: str) -> bytes:
    text = body.decode("utf-8", "surrogateescape")
    return text.translate(dict.fromkeys(range(0xDC80, 0xDD00), stand_in)).encode()


class _Sieve:
    """Takes out of groups what holds the stand-in, and counts the records."""

    def __init__(self, stand_in: bytes) -> None:
        self._stand_in = stand_in
        self.rejected = 0

    def spans(self, group: shapes.ResourceSpans) -> None:
        """Leave the good spans of one ResourceSpans."""
        for scoped in group.scope_spans or ():
            shared = (group.resource, group.schema_url, scoped.scope, scoped.schema_url)
            scoped.spans = self._good(shared, scoped.spans or ())
        if self._is_bad((group.resource, group.schema_url)):
            group.scope_spans = None

    def logs(self, group: shapes.ResourceLogs) -> None:
        """Leave the good records of one ResourceLogs."""
        for scoped in group.scope_logs or ():
            scoped.log_records = self._good((group.resource, scoped.scope), scoped.log_records or ())
        if self._is_bad((group.resource,)):
            group.scope_logs = None

    def _good(self, shared: tuple[Any, ...], records: Iterable[Any]) -> list[Any]:
        found = list(records)
        good = [] if self._is_bad(shared) else [record for record in found if not self._is_bad(record)]
        self.rejected += len(found) - len(good)
        return good

    def _is_bad(self, part: Any) -> bool:
        return self._stand_in in _encode(part)
