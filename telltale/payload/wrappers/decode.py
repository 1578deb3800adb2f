"""Reads a text as the data that it encodes: JSON, JSON in JSON, the `repr` of Python's, Ruby's and Java's data.

Pure, in time linear in the size of the text, and nothing is ever evaluated.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from telltale.payload.wrappers import pyrepr
from telltale.payload.wrappers.unwrapped import MAX_DEPTH, MAX_LAYERS, MAX_READ, Unwrapped

try:
    import msgspec
except ImportError:  # the library needs the standard library only; the service has msgspec
    msgspec = None  # type: ignore[assignment]

_LARGE = 65_536
_LONE_SURROGATE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_FIELDS = re.compile(r"[A-Za-z_]\w{0,60}[=(]")

_SCALARS = {"null": None, "true": True, "false": False, "None": None, "True": True, "False": False}
_BEGUN = frozenset({"n", "nu", "nul", "t", "tr", "tru", "f", "fa", "fal", "fals", "-", "\\"})
_DECODER = json.JSONDecoder(strict=False, parse_constant=str)
_UNREAD = object()
_decode_fast = None if msgspec is None else msgspec.json.Decoder().decode


def decode(text: str) -> Any:
    """One text as the data that it encodes (JSON, JSON in JSON, a Python repr), with no wrapper taken off.

    Text that encodes nothing comes back as it is, and so does one of more than `MAX_READ` characters.
    """
    if len(text) > MAX_READ:
        return text
    found = Unwrapped(text)
    while isinstance(found.value, str) and len(found.wrappers) < MAX_LAYERS and peel_text(found.value, found):
        pass
    return found.value


def peel_text(text: str, found: Unwrapped) -> bool:
    """Read one layer of text as JSON or as a Python repr, if it is one."""
    first = text[:1]
    if first.isspace() or first == "\ufeff":
        text = text.lstrip().lstrip("\ufeff").lstrip()
        first = text[:1]
    if not first:
        return False
    quoted = bool(found.wrappers) and found.wrappers[-1] == "quoted"
    if first in '{["':
        return _decode_json(text, found) or (first != '"' and _decode_repr(text, found))
    if first == "<" and text.startswith("<untrusted"):
        return _take_tag_off(text, found)
    if first == "C" and text.startswith("CallToolResult["):
        return _decode_record(text, found)
    if first == "(" or _FIELDS.match(text) is not None:
        return _decode_repr(text, found)
    return not quoted and len(text) <= 40 and _decode_scalar(text.strip(), found)


def _take_tag_off(text: str, found: Unwrapped) -> bool:
    """A text as a whole in a tag that marks it as untrusted for the model (`<untrusted_context>`)."""
    name = _TAG.match(text)
    end = f"</{name.group(1)}>" if name is not None else ""
    body = text.rstrip()
    if name is None or not body.endswith(end):
        return False
    found.value = body[name.end() : -len(end)].strip("\n")
    found.wrappers.append("untrusted")
    return True


_TAG = re.compile(r"<(untrusted[\w-]{0,40})>")
_META = re.compile(r"(?:, meta=[^\],]{0,200})?\]\Z")


def _decode_record(text: str, found: Unwrapped) -> bool:
    """MCP's CallToolResult as a record of Java prints itself, its text without quotes."""
    start, end = text.find("text="), text.rfind("], isError=")
    if not 0 < start < end:
        return False
    flag = text[end + len("], isError=") :][:5]
    if flag.startswith(("true", "false")):
        found.marks.append(("isError", flag.startswith("true")))
    found.value = _META.sub("", text[start + len("text=") : end])
    found.wrappers.append("mcp.record")
    return True


def _decode_scalar(text: str, found: Unwrapped) -> bool:
    if text in _SCALARS:
        found.value = _SCALARS[text]
    elif text[0] in "-0123456789":
        try:
            found.value = _DECODER.decode(text)
        except ValueError:
            return False
    else:
        return False
    found.wrappers.append("python" if text[0] in "NTF" else "json")
    return True


@contextmanager
def uncollected() -> Iterator[None]:
    """No garbage collection while something large is made: that makes none, and each pass would walk what it made."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _decode_json(text: str, found: Unwrapped) -> bool:
    if len(text) < _LARGE:
        return _decode_json_text(text, found)
    with uncollected():
        return _decode_json_text(text, found)


def _decode_json_text(text: str, found: Unwrapped) -> bool:
    value = _decoded_fast(text)
    rest = ""
    if value is _UNREAD:
        if "\\u" in text and ("\\ud" in text or "\\uD" in text):
            text = _LONE_SURROGATE.sub(r"\\ufffd", text)
        try:
            value, end = _DECODER.raw_decode(text)
        except json.JSONDecodeError as error:
            left = text[error.pos : error.pos + 5].rstrip()
            ended = not left or left in _BEGUN or error.msg.startswith("Unterminated")
            found.cut = text[0] != '"' and ended
            return False
        except (ValueError, RecursionError):
            return False
        rest = text[end:].strip()
        if rest and not (isinstance(value, dict) and value and _on_its_own_line(text, end) and rest[0] != "{"):
            return False
    if not isinstance(value, str) and _may_be_deep(text) and too_deep(value):
        return False
    if rest:
        found.trailing = rest
    found.value = value
    found.wrappers.append("quoted" if isinstance(value, str) else "json")
    return True


def _may_be_deep(text: str) -> bool:
    return len(text) > 2 * MAX_DEPTH and text.count("[") + text.count("{") > MAX_DEPTH


def _decoded_fast(text: str) -> Any:
    """What msgspec makes of a text, in half the time; `_UNREAD` for what only the standard library reads.

    That is NaN, raw control characters, half a surrogate pair, a remark after the data, and everything that is no JSON.
    """
    if _decode_fast is None:
        return _UNREAD
    try:
        return _decode_fast(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _UNREAD


def _on_its_own_line(text: str, end: int) -> bool:
    return "\n" in text[end : end + 3]


_RUBY = re.compile(r"\{(?::\w{1,80}|\"[^\"]{0,80}\")\s?=>")
_ROCKET = re.compile(r"(?:(?<=[{,] )|(?<=[{,])):(\w{1,80})\s?=>\s?|(?<=\")\s?=>\s?")
"""Ruby's old form of a hash, `{:error=>"…", "code"=>3}`, made Python's."""


def _decode_repr(text: str, found: Unwrapped) -> bool:
    if _RUBY.match(text) is not None:
        text = _ROCKET.sub(lambda hit: f'"{hit[1]}": ' if hit[1] else ": ", text)
    if text[0] in "[{(" and text[-50:].rstrip()[-1:] not in ("", "]", "}", ")"):
        return False  # what a bracket opens, a bracket ends
    try:
        value = _decoded_repr(text)
    except pyrepr.ReprError:
        return False
    if not isinstance(value, dict | list):
        return False
    found.value = value
    found.cut = False
    found.wrappers.append("python")
    return True


def _decoded_repr(text: str) -> Any:
    """The data of a repr: plain dicts and lists by way of JSON, in a tenth of the time; the rest token by token."""
    if _decode_fast is not None and text[0] in "[{" and len(text) <= pyrepr.MAX_TOKENS:
        value = _decoded_fast(pyrepr.as_json(text))
        if value is not _UNREAD and not (_may_be_deep(text) and too_deep(value)):
            return value
    return pyrepr.parse(text)


def too_deep(value: Any, limit: int = MAX_DEPTH) -> bool:
    """Whether lists and objects nest deeper than `limit`; level by level, so no recursion and linear time."""
    level = [value] if isinstance(value, list | dict) else []
    for _ in range(limit):
        if not level:
            return False
        level = [
            child
            for node in level
            if node
            for child in (node.values() if type(node) is dict else node)
            if type(child) is list or type(child) is dict
        ]
    return bool(level)
