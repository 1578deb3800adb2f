"""Reading an HTTP body: never more than the limit in memory, before and after inflating, and accounted for."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import zstandard

from collector.errors import Refusal, malformed, too_large
from collector.intake import InFlight

_CHUNK = 256 * 1024
_ZSTD_STEP = 256
"""Compressed bytes fed at once: a block of 4 bytes can stand for 128 KiB, so a step yields 8 MiB at most."""
_FIRST_STEP = 1024
_MOST_MEMBERS = 1_000
"""Members of a gzip body, frames of a zstd body: a sender writes one, a concatenation few; each costs its own start."""

CODINGS = ("identity", "gzip", "deflate", "zstd")
"""Content codings that are taken; nesting them is not."""


class Reservation:
    """Bytes that one request has taken from the budget in flight; gives back all of them at the end."""

    def __init__(self, in_flight: InFlight) -> None:
        self._in_flight = in_flight
        self._taken = 0

    def take(self, count: int) -> None:
        """Account for `count` more bytes.

        Raises:
            Refusal: too much is in flight.
        """
        self._in_flight.take(count)
        self._taken += count

    def release(self) -> None:
        """Give everything back."""
        self._in_flight.give(self._taken)
        self._taken = 0


@contextmanager
def reservation(in_flight: InFlight) -> Iterator[Reservation]:
    """A reservation that lasts as long as the request."""
    held = Reservation(in_flight)
    try:
        yield held
    finally:
        held.release()


def coding_of(header: str) -> str:
    """The one content coding of a request.

    Raises:
        Refusal: unknown or nested codings.
    """
    names = [name.strip().lower() for name in header.split(",") if name.strip()]
    names = [{"x-gzip": "gzip"}.get(name, name) for name in names if name != "identity"]
    if not names:
        return "identity"
    if len(names) > 1:
        raise malformed("only one content coding at a time is taken")
    if names[0] not in CODINGS:
        raise malformed(f"content codings taken: {', '.join(CODINGS)}")
    return names[0]


async def read_body(chunks: AsyncIterator[bytes], limit: int, held: Reservation) -> bytes:
    """The body as sent.

    Raises:
        Refusal: longer than `limit`, or too much in flight.
    """
    parts: list[bytes] = []
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > limit:
            raise body_too_large(limit)
        held.take(len(chunk))
        parts.append(chunk)
    return b"".join(parts)


def inflate(body: bytes, coding: str, limit: int, held: Reservation) -> bytes:
    """The body without its content coding; stops at `limit`, so that a bomb costs no more than a full body.

    Raises:
        Refusal: larger than `limit`, or not in that coding, or cut short.
    """
    if coding == "identity":
        return body
    parts: list[bytes] = []
    size = 0
    for part in _zstd(body) if coding == "zstd" else _zlib(body, coding):
        size += len(part)
        if size > limit:
            raise body_too_large(limit)
        held.take(len(part))
        parts.append(part)
    return b"".join(parts)


def body_too_large(limit: int) -> Refusal:
    """The refusal of a body beyond the limit."""
    return too_large(f"the body is larger than {limit} bytes; send smaller batches")


def _zlib(body: bytes, coding: str) -> Iterator[bytes]:
    """Inflate gzip (one member or several, RFC 1952) or deflate (zlib-wrapped as RFC 9110 says, or raw).

    Input is fed in steps that grow within a member, so that what a member leaves unused is never more than it took.
    """
    if coding == "gzip":
        bits = 31
    else:
        bits = 15 if body[:1] and body[0] & 0x0F == 8 and int.from_bytes(body[:2]) % 31 == 0 else -15
    at = 0
    try:
        for _ in range(_MOST_MEMBERS):
            inflater, step = zlib.decompressobj(bits), _FIRST_STEP
            while not inflater.eof:
                fed = body[at : at + step]
                if not fed:
                    raise malformed(f"the {coding} body ends too early")
                at, step = at + len(fed), min(2 * step, _CHUNK)
                yield from _inflated(inflater, fed)
            at -= len(inflater.unused_data)
            if at == len(body):
                return
            if coding != "gzip":
                raise malformed("bytes follow the deflate stream")
    except zlib.error:
        raise malformed(f"the body is not {coding}") from None
    raise malformed(f"the gzip body has more than {_MOST_MEMBERS} members")


def _inflated(inflater: Any, fed: bytes) -> Iterator[bytes]:
    """All that one step of input stands for, in parts of bounded size."""
    while True:
        part = inflater.decompress(fed, _CHUNK)
        fed = inflater.unconsumed_tail
        if part:
            yield part
        if inflater.eof or not (part or fed):
            return


def _zstd(body: bytes) -> Iterator[bytes]:
    """Inflate zstd, one frame or several; the window is bounded at 8 MiB (RFC 9659)."""
    at = 0
    try:
        for _ in range(_MOST_MEMBERS):
            inflater = zstandard.ZstdDecompressor(max_window_size=8 * 1024 * 1024).decompressobj()
            while not inflater.eof:
                fed = body[at : at + _ZSTD_STEP]
                if not fed:
                    raise malformed("the zstd body ends too early")
                at += len(fed)
                part = inflater.decompress(fed)
                if part:
                    yield part
            at -= len(inflater.unused_data)
            if at == len(body):
                return
    except zstandard.ZstdError:
        raise malformed("the body is not zstd") from None
    raise malformed(f"the zstd body has more than {_MOST_MEMBERS} frames")
