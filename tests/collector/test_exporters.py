"""The official OpenTelemetry exporters against the running service, by both protocols."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcLogs
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter as GrpcMetrics
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpans
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpLogs
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter as HttpMetrics
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpSpans
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from analytics.store import Batch, Receipt, StoreUnavailable
from collector.service import Service
from tests.collector.running import stored, wait_for

MakeExporter = Callable[[Service], Any]
SPAN_EXPORTERS: dict[str, MakeExporter] = {
    "grpc": lambda service: GrpcSpans(endpoint=service.urls.otlp_grpc),
    "http": lambda service: HttpSpans(endpoint=service.urls.otlp_http + "/v1/traces"),
    "http gzip": lambda service: HttpSpans(
        endpoint=service.urls.otlp_http + "/v1/traces", compression=Compression.Gzip
    ),
}


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """What the SDK logged as a warning or worse."""
    caplog.set_level(logging.WARNING)
    return lambda: [record.getMessage() for record in caplog.records if "opentelemetry" in record.name]


def emit(exporter: Any) -> str:
    """One span through an SDK; returns its trace id."""
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with provider.get_tracer("tests").start_as_current_span("execute_tool look") as span:
        span.set_attribute("gen_ai.tool.name", "look")
        span.record_exception(ValueError("no"))
    provider.shutdown()
    return f"{span.get_span_context().trace_id:032x}"


@pytest.mark.otlp(1, 27, 35)
@pytest.mark.parametrize("kind", SPAN_EXPORTERS)
def test_spans(service: Service, told: Callable[[], list[str]], kind: str) -> None:
    """A span of the SDK is stored with its events, and the SDK has nothing to complain of."""
    trace_id = emit(SPAN_EXPORTERS[kind](service))
    spans = wait_for(lambda: stored(service, trace_id).spans)
    assert spans[0].attributes["gen_ai.tool.name"] == "look"
    assert spans[0].events[0].attributes["exception.type"] == "ValueError"
    assert told() == []


@pytest.mark.otlp(9, 44, 45)
@pytest.mark.parametrize("kind", SPAN_EXPORTERS)
def test_an_exporter_tries_again_and_the_span_counts_once(
    service: Service, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The store fails once after it took the batch: the exporter waits, sends again, and there is one span."""
    assert service.store is not None
    append, calls = service.store.append, []

    def flaky(batch: Batch) -> Receipt:
        receipt = append(batch)
        calls.append(receipt)
        if len(calls) == 1:
            raise StoreUnavailable("after it was durable")
        return receipt

    monkeypatch.setattr(service.store, "append", flaky)
    trace_id = emit(SPAN_EXPORTERS[kind](service))
    assert len(calls) == 2
    assert len(stored(service, trace_id).spans) == 1


@pytest.mark.otlp(12, 17)
def test_logs_and_metrics_never_flood_the_senders_log(service: Service, told: Callable[[], list[str]]) -> None:
    """Log records are kept; metrics are answered with success; neither exporter logs an error."""
    for logs in (GrpcLogs(endpoint=service.urls.otlp_grpc), HttpLogs(endpoint=service.urls.otlp_http + "/v1/logs")):
        provider = LoggerProvider()
        provider.add_log_record_processor(SimpleLogRecordProcessor(logs))
        logger = logging.Logger("tests")
        logger.addHandler(LoggingHandler(logger_provider=provider))
        logger.error("something happened")
        provider.shutdown()
    accepted = service.metrics.accepted.labels("logs")
    wait_for(lambda: accepted._value.get() >= 2)
    url = service.urls.otlp_http + "/v1/metrics"
    for metrics in (GrpcMetrics(endpoint=service.urls.otlp_grpc), HttpMetrics(endpoint=url)):
        meters = MeterProvider([PeriodicExportingMetricReader(metrics, export_interval_millis=3_600_000)])
        meters.get_meter("tests").create_counter("c").add(1)
        assert meters.force_flush()
        meters.shutdown()
    assert [text for text in told() if "deprecated" not in text.lower()] == []
