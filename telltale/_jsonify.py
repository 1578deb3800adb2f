"""Any Python value as JSON text of a bounded length, with bounded work, never raising and never calling the network.

A value that fits is dumped in one go. One that does not, or that holds what JSON has no word for, is first copied up to
the cap: a 50 MB result costs no more than the cap.
"""

from __future__ import annotations

import dataclasses
import json
import json.encoder
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

_DEPTH_CAP = 40
_TOO_MUCH = -1
_SCALARS = (str, int, float)


def _encoder() -> Callable[[Any], str]:
    """JSON's C encoder, made once instead of for every call. Circles cannot reach it: the measure has a depth."""
    made: Any = getattr(json.encoder, "c_make_encoder", None)
    if made is None:
        return json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
    encode = made(None, None, json.encoder.encode_basestring, None, ":", ",", False, False, True)
    return lambda value: "".join(encode(value, 0))


_encode = _encoder()


def to_json(value: object, cap: int) -> tuple[str, bool]:
    """The JSON text, and whether it is only the beginning of the value.

    Args:
        value: anything; objects of pydantic, dataclasses, dates and the like become what they mean.
        cap: most characters of the text.
    """
    if _measure(value, cap, 0) >= 0:
        text = _encode(value)
        if len(text) <= cap:
            return text, False
    copy = _Copy(cap)
    text = _encode(copy.of(value, 0))
    return (text[:cap], True) if len(text) > cap else (text, copy.cut)


def _measure(value: Any, room: int, depth: int) -> int:
    """Room left after the value, or less than none where it does not fit or is not plain JSON data."""
    kind = type(value)
    if kind is str:
        room -= len(value)
    elif depth >= _DEPTH_CAP:
        room = _TOO_MUCH
    elif kind is dict:
        room = _measure_all(value.values(), room - _keys(value), depth)
    elif kind is list or kind is tuple:
        room = _measure_all(value, room - len(value), depth)
    elif kind is int:
        room -= value.bit_length() // 3 + 1
    else:
        room = room - 8 if value is None or kind is bool or kind is float else _TOO_MUCH
    return room


def _measure_all(values: Iterable[object], room: int, depth: int) -> int:
    for inner in values:
        # Texts are most of what tools return: measured here, without a further call.
        room = room - len(inner) if type(inner) is str else _measure(inner, room, depth + 1)
        if room < 0:
            return _TOO_MUCH
    return room


def _keys(mapping: dict[Any, Any]) -> int:
    """Room that the keys take; more than any room where one of them is no text."""
    try:
        return len("".join(mapping)) + 4 * len(mapping)
    except TypeError:
        return sys.maxsize


class _Copy:
    """A copy as plain JSON data that stops when its room is used up."""

    __slots__ = ("cut", "room")

    def __init__(self, room: int) -> None:
        self.room = room
        self.cut = False

    def of(self, value: Any, depth: int) -> Any:
        if self.room <= 0 or depth > _DEPTH_CAP:
            self.cut = True
            return None
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, list | tuple | set | frozenset):
            return self._sequence(value, depth)
        return self._scalar(value) if value is None or isinstance(value, _SCALARS) else self._other(value, depth)

    def _scalar(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return self._integer(value)
        self.room -= 4
        return value

    def _text(self, value: str) -> str:
        if len(value) > self.room:
            value, self.cut = value[: self.room], True
        self.room -= len(value)
        return str(value)

    def _integer(self, value: int) -> int | str:
        if value.bit_length() > 4096:
            self.cut = True
            return "<integer>"
        self.room -= 8
        return int(value)

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        copy: dict[str, Any] = {}
        for key, inner in value.items():
            if self.room <= 0:
                self.cut = True
                break
            copy[self._text(str(key))] = self.of(inner, depth + 1)
        return copy

    def _sequence(self, value: Any, depth: int) -> list[Any]:
        copy: list[Any] = []
        for inner in value:
            if self.room <= 0:
                self.cut = True
                break
            self.room -= 1
            copy.append(self.of(inner, depth + 1))
        return copy

    def _other(self, value: Any, depth: int) -> Any:
        if isinstance(value, bytes | bytearray | memoryview):
            return self._text(f"<{len(value)} bytes>")
        for method in ("model_dump", "isoformat", "to_dict"):
            if callable(found := getattr(value, method, None)) and not isinstance(value, type):
                try:
                    return self.of(found(), depth + 1)
                except Exception:  # a foreign method; its class name below is the honest rest
                    break
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {f.name: getattr(value, f.name, None) for f in dataclasses.fields(value)}
            return self._mapping(fields, depth)
        if type(value).__module__ in ("decimal", "uuid", "pathlib", "fractions", "enum", "ipaddress"):
            return self._text(str(value))
        return self._text(f"<{type(value).__module__}.{type(value).__qualname__}>")
