"""The service traces itself: spans of receiving, appending, judging and checkpoints, to an OTLP endpoint of its own.

Off unless `[tracing] endpoint` is set, and then nothing of it is imported or in the way. The endpoint may be this very
service or another Telltale: a request that carries spans of this module makes none, neither when it is received nor
when it is appended, nor does the judge's round or the checkpoint that only such spans gave rise to. So a span never
leads to a further one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.sampling import TraceIdRatioBased
from opentelemetry.util.types import Attributes

from analytics.jobs.judge_job import JudgeJob
from analytics.store import Batch, Receipt
from collector.config_sections import TracingConfig
from collector.decode import Decoded, Encoding, Signal
from collector.errors import as_refusal
from collector.intake import Intake
from collector.store import DuckDBStore

SCOPE = "telltale.collector.tracing"
"""Instrumentation scope of the spans; the mark by which they are known again."""

_MARK = SCOPE.encode()
_EXPORT_TIMEOUT_S = 5
_LAST_FLUSH_MS = 1000
_CLOSING_S = 1.0


class SelfTracing:
    """Makes the spans. Methods may be called from any thread."""

    def __init__(self, settings: TracingConfig, version: str, exporter: SpanExporter | None = None) -> None:
        """Send to `settings.endpoint`, or to the exporter given."""
        resource = Resource.create({"service.name": "telltale", "service.version": version})
        self._provider = TracerProvider(sampler=TraceIdRatioBased(settings.ratio), resource=resource)
        self._processor = BatchSpanProcessor(exporter or _exporter(settings))
        self._provider.add_span_processor(self._processor)
        self._tracer = self._provider.get_tracer(SCOPE, version)
        self._to_judge_seq = 0
        self._to_checkpoint = False
        self._checkpoints = 0

    @contextmanager
    def span(self, name: str, attributes: Attributes = None) -> Iterator[trace.Span]:
        """One span; an exception marks it failed, by the type alone: its text may hold what was sent."""
        with self._tracer.start_as_current_span(
            name, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield span
            except BaseException as error:
                span.set_status(trace.StatusCode.ERROR)
                span.set_attribute("error.type", type(error).__name__)
                raise

    def store(self, store: DuckDBStore) -> Any:
        """The store as the intake sees it, with a span for each append."""
        return _TracedStore(store, self)

    def appended(self, receipt: Receipt) -> None:
        """Spans of others were appended: the judge's rounds up to them and the next checkpoint are worth a span."""
        self._to_judge_seq = receipt.last_seq
        self._to_checkpoint = True

    def judging(self, judge: JudgeJob) -> Callable[[], int]:
        """A round of the judge with a span, where there is something of others to judge."""

        def traced() -> int:
            if judge.watermark >= self._to_judge_seq:
                return judge.run_once()
            with self.span("judge") as span:
                done = judge.run_once()
                span.set_attribute("telltale.judged", done)
                return done

        return traced

    def look_for_checkpoints(self, store: DuckDBStore) -> int:
        """A span for the last checkpoint, once; the store tells when it ended and how long it took."""
        stats = store.stats()
        if stats.checkpoints > self._checkpoints and self._to_checkpoint:
            end = int(stats.last_checkpoint * 1e9)
            start = end - int(stats.last_checkpoint_s * 1e9)
            attributes = {"telltale.checkpoints": stats.checkpoints, "telltale.file_bytes": stats.file_bytes}
            self._tracer.start_span("checkpoint", start_time=start, attributes=attributes).end(end)
            self._to_checkpoint = False
        self._checkpoints = stats.checkpoints
        return 0

    def flush(self, milliseconds: int = _LAST_FLUSH_MS) -> None:
        """Send what has gathered."""
        self._processor.force_flush(milliseconds)

    def close(self) -> None:
        """Send what is left, as far as a moment allows: an endpoint that does not answer must not hold up the stop."""
        closing = threading.Thread(target=self._provider.shutdown, name="telltale-tracing-end", daemon=True)
        closing.start()
        closing.join(_CLOSING_S)


class TracedIntake(Intake):
    """An intake with a span for each request, from its body to its answer."""

    tracing: SelfTracing

    async def submit(self, signal: Signal, encoding: Encoding, body: bytes, project: str) -> Decoded:
        """See `Intake.submit`."""
        if _MARK in body:
            return await super().submit(signal, encoding, body, project)
        attributes: Attributes = {
            "telltale.signal": str(signal),
            "telltale.encoding": str(encoding),
            "telltale.bytes": len(body),
        }
        with self.tracing.span("receive", attributes) as span:
            try:
                decoded = await super().submit(signal, encoding, body, project)
            except Exception as error:
                span.set_attribute("telltale.refused", as_refusal(error).reason)
                raise
            span.set_attribute("telltale.rejected", sum(decoded.reasons.values()))
            return decoded


class _TracedStore:
    """What an intake asks of a store."""

    def __init__(self, store: DuckDBStore, tracing: SelfTracing) -> None:
        self._store, self._tracing = store, tracing

    def append(self, batch: Batch) -> Receipt:
        """See `analytics.store.Store.append`."""
        if not batch.logs and all(span.scope_name == SCOPE for span in batch.spans):
            return self._store.append(batch)
        attributes: Attributes = {"telltale.spans": len(batch.spans), "telltale.logs": len(batch.logs)}
        with self._tracing.span("append", attributes) as span:
            receipt = self._store.append(batch)
            span.set_attribute("telltale.duplicates", receipt.duplicates)
            self._tracing.appended(receipt)
            return receipt


def _exporter(settings: TracingConfig) -> SpanExporter:
    """By gRPC to port 4317 or `grpc://`, else by HTTP, to `/v1/traces` where no path is named."""
    assert settings.endpoint is not None
    parts = urlsplit(settings.endpoint)
    headers = settings.headers or None
    if parts.scheme == "grpc" or parts.port == 4317:
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter

        secure = parts.scheme == "https"
        return GrpcExporter(parts.netloc, insecure=not secure, headers=headers, timeout=_EXPORT_TIMEOUT_S)
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter

    path = parts.path.rstrip("/") or "/v1/traces"
    return HttpExporter(f"{parts.scheme}://{parts.netloc}{path}", headers=headers, timeout=_EXPORT_TIMEOUT_S)
