"""Every way in which a receiver refuses, and its code in each protocol: the one place that maps errors to codes.

A sender only needs one bit, whether the same request may succeed later; `retry_after_s` carries it. gRPC to HTTP
follows the OpenTelemetry Collector; only 429, 502, 503 and 504 are retryable over HTTP (OTLP specification), so nothing
transient is ever answered otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

import grpc

from analytics.store import StoreUnavailable
from collector.decode import DecodeError, TooManyRecordsError

RETRY_AFTER_S = 1
"""Seconds that a sender is asked to wait when the service is overloaded."""


@dataclass(slots=True, eq=False)
class Refusal(Exception):
    """A request that is not taken.

    `reason` is a short word for the counters; `message` English text that is safe to show to the sender (never an
    exception's text, never a part of the payload); `retry_after_s` None for a final refusal.
    """

    reason: str
    message: str
    grpc_code: grpc.StatusCode
    http_status: int
    retry_after_s: int | None = None

    def __str__(self) -> str:
        return self.message

    @property
    def rpc_code(self) -> int:
        """The number of the gRPC code, as `google.rpc.Status.code` carries it."""
        number: int = self.grpc_code.value[0]
        return number


def malformed(message: str) -> Refusal:
    """Bytes that cannot be decoded: the same bytes will fail again."""
    return Refusal("malformed", message, grpc.StatusCode.INVALID_ARGUMENT, 400)


def too_large(message: str) -> Refusal:
    """Beyond a limit on size; final."""
    return Refusal("too_large", message, grpc.StatusCode.RESOURCE_EXHAUSTED, 413)


def overloaded(message: str = "the service is busy; try again", reason: str = "overloaded") -> Refusal:
    """The same request may succeed later."""
    return Refusal(reason, message, grpc.StatusCode.UNAVAILABLE, 503, RETRY_AFTER_S)


def throttled(message: str, retry_after_s: int) -> Refusal:
    """This sender must slow down."""
    return Refusal("throttled", message, grpc.StatusCode.RESOURCE_EXHAUSTED, 429, retry_after_s)


def unauthenticated() -> Refusal:
    """No valid token; the text never says how near it was."""
    return Refusal("unauthenticated", "a valid ingest token is needed", grpc.StatusCode.UNAUTHENTICATED, 401)


def forbidden(message: str) -> Refusal:
    """A valid token without the right."""
    return Refusal("forbidden", message, grpc.StatusCode.PERMISSION_DENIED, 403)


def http_only(status: int, message: str) -> Refusal:
    """Refusals that only HTTP knows: wrong path, method, media type or host."""
    code = grpc.StatusCode.UNIMPLEMENTED if status in (404, 405) else grpc.StatusCode.INVALID_ARGUMENT
    return Refusal("bad_request", message, code, status)


def as_refusal(error: BaseException) -> Refusal:
    """What a sender is told of any exception; the unexpected is transient to it and detailed only in the log."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, TooManyRecordsError):
        return too_large(str(error))
    if isinstance(error, DecodeError):
        return malformed(str(error))
    if isinstance(error, StoreUnavailable):
        return overloaded("the store cannot take data now; try again", "store_unavailable")
    return overloaded("the service failed to take the request; try again", "internal")
