"""Any Python value as JSON text of a bounded length, with bounded work, never raising and never calling the network.

A value that fits is dumped in one go. One that does not, or that holds what JSON has no word for, is first copied up to
the cap: only that much of a 50 MB result is ever encoded.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import json.encoder
import marshal
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, cast

_DEPTH_CAP = 40
_SCALARS = (str, int, float)
_CONTAINERS = frozenset((dict, list, tuple, set, frozenset))
_LEVELS = 200
"""Deeper plain data is copied up to the depth cap; well within the encoder's recursion."""


def _encoder() -> Callable[[Any], str]:
    """JSON's C encoder, made once instead of for every call. Circles cannot reach it: `_small` refuses them."""
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
    with suppress(ValueError, TypeError, RecursionError):  # no plain data, a circle, or nested too deep
        # marshal tells in a microsecond how much there is (version 2, which writes what is shared as often as it
        # stands there, hence `_small` before it); the text's own length is checked below.
        if _small(value, cap) and len(marshal.dumps(cast("Any", value), 2)) <= cap:
            text = _encode(value)
            if len(text) <= cap:
                return _encodable(text), False
    copy = _Copy(cap)
    text = _encodable(_encode(copy.of(value, 0)))
    return (text[:cap], True) if len(text) > cap else (text, copy.cut)


def _encodable(text: str) -> str:
    """The text, with a question mark for half a surrogate pair: exporters cannot send it."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _small(value: object, cap: int) -> bool:
    """Whether the value, written out as a tree, holds at most `cap` parts.

    A list that holds itself twice, or twenty lists that each hold the next one twice, are small in memory and without
    end, or millions, as a tree; encoders walk all of it without letting go of the interpreter. Level by level, this
    stops at the cap.
    """
    level: list[Any] = [value] if type(value) in _CONTAINERS else []
    parts = 0
    for _ in range(_LEVELS):
        if not level:
            return True
        parts += sum(map(len, level))
        if parts > cap:
            return False
        level = [inner for inner in gc.get_referents(*level) if type(inner) in _CONTAINERS]
    return False


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
        try:
            return self._known(value, depth)
        except Exception:  # a foreign class's own methods; its name is the honest rest
            self.cut = True
            return self._text(_class_name(value))

    def _known(self, value: Any, depth: int) -> Any:
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
            name = self._text(str(key))  # before its value, which may use up the room
            copy[name] = self.of(inner, depth + 1)
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
        return self._text(_class_name(value))


def _class_name(value: object) -> str:
    return f"<{type(value).__module__}.{type(value).__qualname__}>"
