"""Reads the Python `repr` of plain data, as some frameworks record it, without ever evaluating anything.

Understood: dicts, lists, tuples, sets, strings, numbers, None/True/False, constructor calls such as
`TextContent(type='text', text='…')` (their named arguments become an object), the field lists that pydantic prints
(`content='…' name='x'`), and opaque `<object at …>` marks. One pass over the text, no recursion, bounded in depth and
in tokens.
"""

from __future__ import annotations

import re
from json.encoder import encode_basestring
from typing import Any

MAX_TOKENS = 30_000
"""Largest number of tokens read; a longer repr stays text."""

MAX_DEPTH = 100
"""Deepest nesting read; a deeper repr stays text."""

_TOKEN = re.compile(
    r"""\s*+(?:
      (?P<text>[bBuUrR]{0,2}(?:'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+"))
    | (?P<number>[+-]?(?:\d[\d_]{0,400}(?:\.\d{0,400})?(?:[eE][+-]?\d{1,5})?)(?![\w.]))
    | (?P<word>[A-Za-z_][\w.]{0,200})
    | (?P<mark>[\[\](){},:=])
    | (?P<opaque><[^<>]{0,500}>)
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": ""}
_WORDS = {"None": None, "True": True, "False": False, "nan": "nan", "inf": "inf"}
_CLOSES = {"[": "]", "(": ")", "{": "}"}


class ReprError(ValueError):
    """The text is not the repr of plain data, or is beyond the bounds."""


class _Frame:
    """An open bracket: what closes it, the items so far, a pending key, and the constructor's name where it is one."""

    __slots__ = ("close", "comma", "items", "key", "name", "pairs")

    def __init__(self, close: str, name: str | None = None) -> None:
        self.close = close
        self.name = name
        self.items: list[Any] = []
        self.pairs: dict[str, Any] = {}
        self.key: str | None = None
        self.comma = False

    def add(self, value: Any) -> None:
        if self.key is None:
            self.items.append(value)
        else:
            self.pairs[self.key] = value
            self.key = None

    def value(self) -> Any:
        """What the bracket stands for, once it is closed."""
        if self.name is not None or self.close == "":
            if self.pairs:
                return self.pairs
            return self.items[0] if len(self.items) == 1 else self.items
        if self.close == "}":
            return self.items if self.items else self.pairs
        if self.close == ")" and len(self.items) == 1 and not self.comma:
            return self.items[0]
        return self.items


def parse(text: str) -> Any:
    """The data that a repr stands for: None, bool, int, float, str, list, dict (tuples and sets become lists).

    Raises:
        ReprError: the text is something else, goes on after the data, or is too deep or too long.
    """
    return _Reader(text).read()


_PLAIN = re.compile(
    r"""'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+"|\b(?:None|True|False|null|true|false)\b"""
    r"""|(?P<open>['"].*)""",  # no quote ends it: the rest is consumed, so that no later quote tries again
    re.DOTALL,
)
_WORD = re.compile(r"\b(?:None|True|False|null|true|false)\b")
_JSON_WORDS = {"None": "null", "True": "true", "False": "false"}


def as_json(text: str) -> str:
    """The repr of plain dicts and lists as JSON, for a fast decoder; of anything else, a text that is no JSON.

    Whatever is JSON afterwards stands for the same value as `parse` gives (the words `null`, `true` and `false` are
    bare words in a repr, so they become texts); tuples, sets, calls and keys that are no texts make no JSON.
    """
    if '"' in text or "\\" in text:
        return _PLAIN.sub(_json_token, text)
    pieces = text.split("'")  # what is between texts, and the texts, in turn
    pieces[::2] = _WORD.sub(_json_token, "'".join(pieces[::2])).split("'")
    return '"'.join(pieces)


def _json_token(match: re.Match[str]) -> str:
    piece = match[0]
    quote = piece[0]
    if match.lastgroup is not None:
        return "'"
    if quote == "'" and "\\" not in piece and '"' not in piece:
        return f'"{piece[1:-1]}"'
    if quote in "'\"":
        return piece if "\\" not in piece and quote == '"' else encode_basestring(_unquote(piece))
    return _JSON_WORDS.get(piece, f'"{piece}"')


class _Reader:
    """A pushdown reader over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.end = len(text.rstrip())
        self.at = 0
        self.tokens = 0
        self.stack: list[_Frame] = [_Frame("")]
        self.after_value = False

    def read(self) -> Any:
        while self.at < self.end:
            kind, piece = self._next()
            if self.after_value:
                self._after_value(kind, piece)
            else:
                self._value(kind, piece)
        top = self.stack[-1]
        if len(self.stack) != 1 or not self.after_value or not (top.pairs or top.items) or (top.pairs and top.items):
            raise ReprError
        return top.value()

    def _next(self) -> tuple[str, str]:
        match = _TOKEN.match(self.text, self.at)
        self.tokens += 1
        if match is None or self.tokens > MAX_TOKENS or match.lastgroup is None:
            raise ReprError
        self.at = match.end()
        return match.lastgroup, match[match.lastgroup]

    def _push(self, close: str, name: str | None = None) -> None:
        if len(self.stack) > MAX_DEPTH:
            raise ReprError
        self.stack.append(_Frame(close, name))
        self.after_value = False

    def _add(self, value: Any) -> None:
        self.stack[-1].add(value)
        self.after_value = True

    def _value(self, kind: str, piece: str) -> None:
        if kind == "text":
            self._add(_unquote(piece))
        elif kind == "number":
            self._add(_number(piece))
        elif kind == "opaque":
            self._add(piece)
        elif kind == "word":
            self._word(piece)
        elif piece in _CLOSES:
            self._push(_CLOSES[piece])
        elif piece == self.stack[-1].close and self.stack[-1].key is None:
            self._pop()
        else:
            raise ReprError

    def _word(self, word: str) -> None:
        following = self.text[self.at : self.at + 1]
        frame = self.stack[-1]
        if following == "(":
            self.at += 1
            self._push(")", word)
        elif following == "=" and (frame.name is not None or frame.close == "") and frame.key is None:
            self.at += 1
            frame.key = word
        elif word in _WORDS:
            self._add(_WORDS[word])
        elif len(self.stack) > 1:
            self._add(word)
        else:
            raise ReprError

    def _after_value(self, kind: str, piece: str) -> None:
        frame = self.stack[-1]
        if kind == "mark" and piece == frame.close:
            self._pop()
        elif piece == "," and kind == "mark" and frame.close:
            frame.comma = True
            self.after_value = False
        elif piece == ":" and kind == "mark" and frame.close == "}" and len(frame.items) == 1 and frame.key is None:
            key = frame.items.pop()
            frame.key = key if isinstance(key, str) else str(key)
            self.after_value = False
        elif kind == "word" and frame.close == "" and frame.pairs and self.text[self.at : self.at + 1] == "=":
            self.at += 1
            frame.key = piece
            self.after_value = False
        else:
            raise ReprError

    def _pop(self) -> None:
        frame = self.stack.pop()
        self._add(frame.value())


def _number(piece: str) -> int | float | str:
    try:
        return int(piece)
    except ValueError:
        pass
    try:
        return float(piece)
    except ValueError:
        return piece


def _unquote(piece: str) -> str:
    start = min(i for i in (piece.find("'"), piece.find('"')) if i >= 0)
    prefix, body = piece[:start].lower(), piece[start + 1 : -1]
    if "\\" not in body or "r" in prefix:
        return body
    return _ESCAPE.sub(_unescape, body)


def _unescape(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3]
    if digits is None:
        return _SIMPLE.get(match[4], match[4] if match[4] in "'\"\\" else match[0])
    number = int(digits, 16)
    return "\ufffd" if 0xD800 <= number <= 0xDFFF or number > 0x10FFFF else chr(number)
