"""The queue between the receivers and the store: bounded in bytes, many requests to one durable append, then the ack.

Receivers run on an event loop and hand over raw bodies; one writer thread takes what has gathered, decodes, redacts,
appends and answers. A body that cannot be decoded fails alone; a store that refuses fails the whole group, so that
every sender tries again.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field

import structlog

from analytics.store import Batch, Receipt, Store
from collector.decode import DEFAULT_LIMITS, Decoded, DecodeLimits, Encoding, Signal, base64_of, decode, trim_batch
from collector.errors import Refusal, as_refusal, overloaded
from collector.metrics import Metrics
from collector.redact import BatchRedactor
from collector.worker import Failing

REQUEST_DEADLINE_S = 8.0
"""A request is answered within this time: below the 10 s after which OpenTelemetry SDKs give up."""

HOLD_S = 2.0
"""How long requests may wait for a judge that is behind: bursts are then visible soon after they are acknowledged."""

log = structlog.get_logger("collector.intake")

_LOOK_AGAIN_S = 0.02

Redact = Callable[[Batch], None]
"""Masks secrets in a batch, in place."""


@dataclass(slots=True)
class Export:
    """One request on its way: the inflated body and where it came from."""

    signal: Signal
    encoding: Encoding
    body: bytes
    project: str
    received_ns: int
    deadline: float
    hold_until: float
    answer: Future[Decoded] = field(default_factory=Future)


class InFlight:
    """Bytes of all requests that have not been answered yet."""

    def __init__(self, limit: int, metrics: Metrics) -> None:
        self._limit = limit
        self._used = 0
        self._lock = threading.Lock()
        self._gauge = metrics.bytes_in_flight

    def take(self, count: int) -> None:
        """Account for `count` more bytes.

        Raises:
            Refusal: too much is in flight; the sender may try again.
        """
        with self._lock:
            if self._used + count > self._limit:
                raise overloaded("too many bytes in flight; try again")
            self._used += count
        self._gauge.set(self._used)

    def give(self, count: int) -> None:
        """Return bytes taken before."""
        with self._lock:
            self._used -= count
        self._gauge.set(self._used)


class Intake:
    """Takes raw requests, answers when their rows are durable."""

    def __init__(
        self,
        store: Store,
        metrics: Metrics,
        *,
        redact: Redact | None = None,
        limits: DecodeLimits = DEFAULT_LIMITS,
        group_requests: int = 16,
        group_bytes: int = 8 * 1024 * 1024,
        behind: Callable[[], bool] = lambda: False,
        on_append: Callable[[Receipt], None] = lambda receipt: None,
    ) -> None:
        self._store = store
        self._metrics = metrics
        self._redact = redact
        self._of_bytes = redact.of_bytes if isinstance(redact, BatchRedactor) else base64_of
        self._limits = limits
        self._group_requests = group_requests
        self._group_bytes = group_bytes
        self._behind = behind
        self._on_append = on_append
        self._queue: deque[Export] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="telltale-writer", daemon=True)

    def start(self) -> None:
        """Start the writer thread."""
        self._thread.start()

    async def submit(self, signal: Signal, encoding: Encoding, body: bytes, project: str) -> Decoded:
        """Hand over one request and wait until its rows are durable.

        Raises:
            Refusal: nothing of the request is kept, as far as the sender is told.
        """
        now = time.monotonic()
        export = Export(
            signal, encoding, body, project, time.time_ns(), now + REQUEST_DEADLINE_S, hold_until=now + HOLD_S
        )
        with self._changed:
            if self._closing:
                raise overloaded("the service is shutting down; try again", "shutting_down")
            self._queue.append(export)
            self._changed.notify()
        try:
            async with asyncio.timeout(REQUEST_DEADLINE_S):
                return await asyncio.wrap_future(export.answer)
        except TimeoutError:
            raise overloaded("the request was not stored in time; try again", "deadline") from None

    def close(self, timeout_s: float) -> None:
        """Refuse new requests, finish those in the queue, stop the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(timeout_s)

    def _run(self) -> None:
        failing = Failing("intake")
        while True:
            group = self._next_group()
            if not group:
                return
            try:
                self._take(group)
            except Exception as error:
                for export in group:
                    _fail(export, as_refusal(error))
                failing.again(error)
            else:
                failing.over()

    def _next_group(self) -> list[Export]:
        """What has gathered, at least one request; empty when closing and nothing is left."""
        with self._changed:
            while not self._queue and not self._closing:
                self._changed.wait()
            while not self._closing and self._behind() and time.monotonic() < self._queue[0].hold_until:
                self._changed.wait(_LOOK_AGAIN_S)
            group: list[Export] = []
            size = 0
            while self._queue and len(group) < self._group_requests and size < self._group_bytes:
                export = self._queue.popleft()
                size += len(export.body)
                group.append(export)
            return group

    def _take(self, group: list[Export]) -> None:
        """Decode, redact and append one group, then answer each request."""
        batch = Batch()
        taken: list[tuple[Export, Decoded]] = []
        for export in group:
            decoded = self._decode(export)
            if decoded is not None:
                batch.spans += decoded.batch.spans
                batch.logs += decoded.batch.logs
                taken.append((export, decoded))
        if batch.spans or batch.logs:
            if self._redact is not None:
                self._redact(batch)
            trim_batch(batch, self._limits)
            started = time.perf_counter()
            receipt = self._store.append(batch)
            self._metrics.commit_seconds.observe(time.perf_counter() - started)
            self._on_append(receipt)
        for export, decoded in taken:
            self._count(export, decoded)
            with suppress(InvalidStateError):  # the sender went away meanwhile
                export.answer.set_result(decoded)

    def _decode(self, export: Export) -> Decoded | None:
        """The rows of one request, or None after its sender was answered."""
        if export.answer.cancelled() or time.monotonic() > export.deadline:
            _fail(export, overloaded("the request was not stored in time; try again", "deadline"))
            return None
        try:
            return decode(
                export.body,
                export.signal,
                export.encoding,
                project=export.project,
                received_ns=export.received_ns,
                limits=self._limits,
                of_bytes=self._of_bytes,
            )
        except Exception as error:
            refusal = as_refusal(error)
            if refusal.reason == "internal":
                log.exception("decode_failed", signal=export.signal, encoding=export.encoding, size=len(export.body))
            _fail(export, refusal)
            return None

    def _count(self, export: Export, decoded: Decoded) -> None:
        metrics = self._metrics
        metrics.accepted.labels("spans").inc(len(decoded.batch.spans))
        metrics.accepted.labels("logs").inc(len(decoded.batch.logs))
        ahead = metrics.clocks.look(decoded.batch.spans, export.received_ns)
        if ahead:
            metrics.noted.labels("spans begin after they were received").inc(ahead)
        for reason, count in decoded.reasons.items():
            metrics.refused_records.labels(export.signal, reason).inc(count)
        if decoded.not_kept:
            metrics.refused_records.labels(export.signal, "not kept").inc(decoded.not_kept)
        for note, count in decoded.notes.items():
            metrics.noted.labels(note).inc(count)


def _fail(export: Export, refusal: Refusal) -> None:
    with suppress(InvalidStateError):  # answered, or the sender went away
        export.answer.set_exception(refusal)
