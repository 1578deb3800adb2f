"""The scalars of OTLP/JSON: hex ids, 64-bit integers as text or number, doubles with names, base64, open enums."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

from collector.decode.decoded import DecodeError


class IdError(DecodeError):
    """An id of a shape that no id has: its row cannot be kept, other rows can."""


def hex_id(text: str | None, length: int) -> str:
    """Lower-case hex of an id; "" for an absent, empty or all-zero one.

    Raises:
        IdError: wrong length or not hex (base64 ids fail here).
    """
    if not text:
        return ""
    if len(text) != length:
        raise IdError(f"an id must be {length} hex digits")
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        raise IdError(f"an id must be {length} hex digits") from None
    if len(raw) * 2 != length:
        raise IdError(f"an id must be {length} hex digits")
    return raw.hex() if any(raw) else ""


def integer(value: int | float | str, low: int, high: int) -> int:
    """A 64-bit integer, sent as a number or as decimal text.

    Raises:
        DecodeError: a fraction, out of range, or not a number.
    """
    if isinstance(value, str):
        text = value.removeprefix("-")
        if not (text.isascii() and text.isdigit() and len(text) <= 20):
            raise DecodeError("a 64-bit integer must be a whole number")
        number = int(value)
    elif isinstance(value, float):
        if not value.is_integer():
            raise DecodeError("a 64-bit integer must be a whole number")
        number = int(value)
    else:
        number = value
    if not low <= number < high:
        raise DecodeError("a 64-bit integer is out of range")
    return number


def uint64(value: int | float | str | None) -> int:
    """An unsigned 64-bit integer; 0 for an absent one."""
    if value is None:
        return 0
    return integer(value, 0, 2**64)


def double(value: float | int | str) -> float:
    """A double, finite or not.

    Raises:
        DecodeError: no number as JSON or its names write one; Python's own "1_0", " 1" and "١" are none.
    """
    try:
        if isinstance(value, str) and ("_" in value or not value.isascii() or value != value.strip()):
            raise ValueError(value)
        return float(value)
    except (ValueError, OverflowError):
        raise DecodeError('a doubleValue must be a number, "NaN", "Infinity" or "-Infinity"') from None


def base64_bytes(text: str) -> bytes:
    """The bytes of a bytesValue."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise DecodeError("a bytesValue must be base64") from None


def enum(value: int | float | str | None, names: Mapping[str, int]) -> int:
    """An enum's number. The specification sends numbers; known names are accepted, as the OTel Collector does."""
    if value is None:
        return 0
    if isinstance(value, str):
        if value in names:
            return names[value]
        raise DecodeError("an enum must be its number or a known name")
    return integer(value, -(2**31), 2**31)
