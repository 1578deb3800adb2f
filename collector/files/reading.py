"""Reads a recording as OTLP requests, whatever its shape.

Shapes, told by content: OTLP/JSON one request a line (also the OpenTelemetry Collector's file exporter), one JSON
document or an array of them, protobuf as one message, or as messages behind 4-byte big-endian lengths (the file
exporter with `format: proto`); each plain, gzip or zstd.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, cast

import msgspec
import zstandard

from collector.decode import Encoding, Signal
from collector.decode.otlp_json import whole_characters

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
MAX_REQUEST = 256 * 1024 * 1024
"""Largest single request that is read, in bytes."""


@dataclass(slots=True, frozen=True)
class Piece:
    """One request of a recording; `where` names the file and the line or message."""

    where: str
    signal: Signal
    encoding: Encoding
    body: bytes


@dataclass(slots=True, frozen=True)
class Problem:
    """Something that could not be read as a request."""

    where: str
    why: str


_NOTHING = msgspec.Raw()


class _Probe(msgspec.Struct, rename="camel"):
    """Which signals a JSON document holds."""

    resource_spans: msgspec.Raw = _NOTHING
    resource_logs: msgspec.Raw = _NOTHING
    resource_metrics: msgspec.Raw = _NOTHING


_probe = msgspec.json.Decoder(_Probe).decode
_probe_many = msgspec.json.Decoder(list[msgspec.Raw]).decode


def read(stream: IO[bytes], name: str) -> Iterator[Piece | Problem]:
    """All requests of one recording, in order. Never raises for what the file holds."""
    try:
        yield from _read_plain(_unpacked(stream), name)
    except (EOFError, zlib.error, gzip.BadGzipFile, zstandard.ZstdError):
        yield Problem(name, "the compressed file is damaged or ends too early")


def _unpacked(stream: IO[bytes]) -> io.BufferedReader[Any]:
    plain: io.BufferedReader[Any] = (
        stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(cast("io.RawIOBase", stream))
    )
    head = plain.peek(4)[:4]
    if head.startswith(_GZIP):
        return io.BufferedReader(gzip.GzipFile(fileobj=plain))
    if head == _ZSTD:
        reader = zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(plain, read_across_frames=True)
        return io.BufferedReader(cast("io.RawIOBase", reader))
    return plain


def _read_plain(stream: io.BufferedReader[Any], name: str) -> Iterator[Piece | Problem]:
    head = stream.peek(64)[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head[:1] in (b"{", b"["):
        yield from _read_json(stream, name)
    elif head:
        yield from _read_protobuf(stream, name)
    else:
        yield Problem(name, "the file is empty")


def _read_json(stream: io.BufferedReader[Any], name: str) -> Iterator[Piece | Problem]:
    """Lines, or, where the first line is no whole document, the file as one document."""
    number = 0
    while True:
        line = stream.readline(MAX_REQUEST + 1)
        if not line:
            return
        number += 1
        if len(line) > MAX_REQUEST:
            yield Problem(f"{name}:{number}", f"a line is longer than {MAX_REQUEST} bytes; the rest was not read")
            return
        text = line.strip(b"\xef\xbb\xbf \t\r\n")
        if not text:
            continue
        if number == 1 and not _is_json(text):
            whole = line + stream.read(MAX_REQUEST + 1)
            if len(whole) <= MAX_REQUEST and _is_json(whole.strip(b"\xef\xbb\xbf \t\r\n")):
                yield from _documents(whole.strip(b"\xef\xbb\xbf \t\r\n"), name)
                return
            stream = io.BufferedReader(io.BytesIO(whole[len(line) :]))
        yield from _documents(text, f"{name}:{number}")


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        whole = whole_characters(text)
        return whole != text and _is_json(whole)
    return True


def _documents(text: bytes, where: str) -> Iterator[Piece | Problem]:
    """The requests of one JSON document: one for each signal that it holds."""
    if text.startswith(b"["):
        try:
            parts = _probe_many(text)
        except (msgspec.DecodeError, RecursionError):
            whole = whole_characters(text)
            yield from (Problem(where, "not JSON"),) if whole == text else _documents(whole, where)
            return
        for n, part in enumerate(parts, 1):
            yield from _documents(bytes(part).strip(), f"{where}[{n}]")
        return
    try:
        probe = _probe(text)
    except (msgspec.DecodeError, RecursionError) as error:
        why = "not an OTLP request" if isinstance(error, msgspec.ValidationError) else "not JSON, or cut short"
        whole = whole_characters(text)
        yield from (Problem(where, why),) if whole == text else _documents(whole, where)
        return
    held = [
        signal
        for signal, raw in (
            (Signal.TRACES, probe.resource_spans),
            (Signal.LOGS, probe.resource_logs),
            (Signal.METRICS, probe.resource_metrics),
        )
        if bytes(raw) not in (b"", b"null")
    ]
    if not held:
        yield Problem(where, "JSON, but not OTLP: none of resourceSpans, resourceLogs, resourceMetrics")
    for signal in held:
        yield Piece(where, signal, Encoding.JSON, text)


def _read_protobuf(stream: io.BufferedReader[Any], name: str) -> Iterator[Piece | Problem]:
    """One message, or messages with lengths: a request begins with 0x0a, a length of less than 16 MiB with 0x00."""
    if stream.peek(1)[:1] != b"\0":
        body = stream.read(MAX_REQUEST + 1)
        yield _protobuf_piece(body, name)
        return
    number = 0
    while head := stream.read(4):
        number += 1
        where = f"{name}:{number}"
        length = int.from_bytes(head, "big")
        body = stream.read(length) if len(head) == 4 and length <= MAX_REQUEST else b""
        if len(head) < 4 or len(body) < length:
            yield Problem(where, "the file ends inside a message")
            return
        yield _protobuf_piece(body, where)


def _protobuf_piece(body: bytes, where: str) -> Piece | Problem:
    signal = guess_signal(body)
    if len(body) > MAX_REQUEST or signal is None:
        return Problem(where, "neither OTLP/JSON nor an OTLP request in protobuf")
    return Piece(where, signal, Encoding.PROTOBUF, body)


def guess_signal(body: bytes) -> Signal | None:
    """The signal of a protobuf request, by how its first record begins.

    The requests of all signals have one outer shape. A span begins with its 16-byte trace id (field 1, length-
    delimited), a metric with its name (the same field, any other length), a log record with a time or a number.
    """
    from collector.decode.wire import first_record

    record = first_record(body)
    if record is None:
        return None
    if record[:1] == b"\x0a":
        return Signal.TRACES if record[1:2] == b"\x10" else Signal.METRICS
    return Signal.LOGS
