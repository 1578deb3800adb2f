"""Bytes in, rows out: OTLP protobuf and OTLP/JSON to `analytics.store.Batch`, with the caps applied."""

from __future__ import annotations

from collector.decode.caps import BytesText, base64_of
from collector.decode.decoded import Decoded, DecodeError, Encoding, Signal, TooManyRecordsError
from collector.decode.limits import DEFAULT_LIMITS, DecodeLimits
from collector.decode.trim import trim_batch

__all__ = [
    "DEFAULT_LIMITS",
    "BytesText",
    "DecodeError",
    "DecodeLimits",
    "Decoded",
    "Encoding",
    "Signal",
    "TooManyRecordsError",
    "base64_of",
    "decode",
    "trim_batch",
]


def decode(
    body: bytes,
    signal: Signal,
    encoding: Encoding,
    *,
    project: str = "default",
    received_ns: int = 0,
    limits: DecodeLimits = DEFAULT_LIMITS,
    of_bytes: BytesText = base64_of,
) -> Decoded:
    """Rows of one export request.

    Metrics are validated and counted, never kept. Texts may exceed their cap by `limits.overlap` characters, so that a
    redactor sees a secret whole that lies across the cap: run `trim_batch` after redaction.

    Args:
        body: the request as sent, already inflated.
        signal: traces, logs or metrics.
        encoding: protobuf or JSON.
        project: stamped on every row; comes from the token, never from the payload.
        received_ns: stamped on every row, nanoseconds since 1970 UTC.
        limits: the caps.
        of_bytes: the text that stands for a value of bytes: a redactor of rows no longer sees what is in base64.

    Raises:
        DecodeError: the body is not a request of that signal in that encoding; nothing of it can be kept.
        TooManyRecordsError: more records than one request may hold; nothing of it is kept.
    """
    if encoding is Encoding.JSON:
        from collector.decode import otlp_json

        return otlp_json.decode(body, signal, project, received_ns, limits, of_bytes=of_bytes)
    from collector.decode import otlp_protobuf

    return otlp_protobuf.decode(body, signal, project, received_ns, limits, of_bytes=of_bytes)
