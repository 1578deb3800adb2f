"""Cutting values at their caps, the same way for every encoding."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from collector.decode.limits import DecodeLimits
from collector.decode.payload_keys import is_payload_key

DEPTH_MARK = "[nested too deep]"
"""Stands for a value below the depth limit."""

SHORT_CHARS = 1024
"""Cap of attribute keys, scopes, schema URLs, trace states and names of log events; as long as no sender makes one."""

BytesText = Callable[[bytes], str]
"""The text that stands for bytes in a row."""

T = TypeVar("T")

_encode = msgspec.json.Encoder().encode


def cap_of(key: str, limits: DecodeLimits) -> int:
    """The cap of a text under `key`, in characters."""
    return limits.payload_chars if is_payload_key(key) else limits.value_chars


def cap_text(key: str, text: str, cut: dict[str, int], mark: str, limits: DecodeLimits) -> str:
    """A text with NUL made visible (DuckDB's JSON functions stop at NUL) and cut at the cap of `key`, plus the overlap.

    A cut is written to `cut[mark]` with the original length.
    """
    if "\0" in text:
        text = text.replace("\0", "\u2400")
    if len(text) > limits.value_chars:
        cap = cap_of(key, limits)
        if len(text) > cap:
            cut[mark] = len(text)
            return text[: cap + limits.overlap]
    return text


def visible(text: str) -> str:
    """A text with NUL made visible."""
    return text.replace("\0", "\u2400") if "\0" in text else text


def cap_key(key: str, limits: DecodeLimits) -> str:
    """An attribute key cut at `SHORT_CHARS`, plus the overlap; NUL made visible. Keys inside a value are not cut:
    the whole value is, so that no cut lies across a secret in one.
    """
    return visible(key)[: SHORT_CHARS + limits.overlap]


def cap_short(text: str, cut: dict[str, int], mark: str, limits: DecodeLimits) -> str:
    """A scope's name or version, a schema URL, a trace state, an event's name: cut at `SHORT_CHARS`, plus the overlap.

    A cut is written to `cut[mark]` with the original length.
    """
    if len(text) <= SHORT_CHARS:
        return text
    cut[mark] = len(text)
    return text[: SHORT_CHARS + limits.overlap]


def event_mark(name: str) -> str:
    """What the marks of an event's cut attributes begin with; without a long name, half of which may be a secret."""
    return f"event.{name}." if len(name) <= 64 else "event."


def base64_of(raw: bytes) -> str:
    """Bytes as OTLP/JSON writes them."""
    return base64.b64encode(raw).decode()


def cap_nested(key: str, value: Any, cut: dict[str, int], mark: str, limits: DecodeLimits) -> Any:
    """A list or map as it is, or, beyond the cap of `key`, the head of its JSON text (judged by its parsed prefix)."""
    size = len(_encode(value))
    if size <= limits.value_chars:
        return value
    cap = cap_of(key, limits)
    if size <= cap:
        return value
    text = _encode(value).decode()
    cut[mark] = len(text)
    return text[: cap + limits.overlap]


def thin(rows: Sequence[T], keep: int) -> tuple[list[T], int]:
    """The first and the last rows, `keep` in all, and how many were left out.

    Both ends, because the first events say how a call began and the last ones how it failed.
    """
    if len(rows) <= keep:
        return list(rows), 0
    head = keep // 2
    return [*rows[:head], *rows[len(rows) - (keep - head) :]], len(rows) - keep


def choose_attributes(keys: Sequence[str], keep: int) -> set[int]:
    """Positions of the attributes to keep when a row has too many.

    Keys without an index go first (`output.value`), then the last of the indexed ones: conventions that flatten a
    conversation write one key per message, and the newest messages carry the tools' results.
    """
    plain = [n for n, key in enumerate(keys) if not any(part.isdigit() for part in key.split("."))][:keep]
    room = keep - len(plain)
    if room <= 0:
        return set(plain)
    chosen = set(plain)
    indexed = [n for n in range(len(keys)) if n not in chosen]
    return chosen | set(indexed[-room:])
