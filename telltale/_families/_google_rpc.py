"""Just enough protobuf to read RetryInfo out of `grpc-status-details-bin`, so that the library needs no protobuf.

google/rpc/status.proto: Status{3: details}; google/protobuf/any.proto: Any{1: type_url, 2: value};
google/rpc/error_details.proto: RetryInfo{1: retry_delay};
google/protobuf/duration.proto: Duration{1: seconds, 2: nanos}.
"""

from __future__ import annotations

from collections.abc import Iterator

_CAP = 16_384
_RETRY_INFO = b"google.rpc.RetryInfo"


def retry_delay(status: bytes) -> float | None:
    """Seconds that the service asks to wait, or None where the message holds no RetryInfo or is not readable."""
    try:
        for number, detail in _fields(status[:_CAP]):
            if number != 3 or not isinstance(detail, bytes):
                continue
            parts = dict(_fields(detail))
            url, value = parts.get(1), parts.get(2)
            if isinstance(url, bytes) and url.endswith(_RETRY_INFO) and isinstance(value, bytes):
                delay = dict(_fields(value)).get(1, b"")
                duration = dict(_fields(delay)) if isinstance(delay, bytes) else {}
                return _int(duration.get(1)) + _int(duration.get(2)) / 1e9
    except (IndexError, ValueError):
        return None
    return None


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Field numbers and values of one message; wire types varint, 64-bit, length-delimited and 32-bit."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        if wire == 2:
            size, at = _varint(data, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise ValueError("unknown wire type")
        if at + size > len(data):
            raise ValueError("cut short")
        yield key >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("varint too long")
