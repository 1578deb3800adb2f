"""The library's tests: every test starts with default settings, fresh budgets and its own captured spans."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import telltale
from telltale._budget import default_budget


class Captured:
    """The spans and metrics of one test, without touching OpenTelemetry's global providers."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider(shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.reader = InMemoryMetricReader()
        self.meters = MeterProvider([self.reader], shutdown_on_exit=False)

    @property
    def spans(self) -> list[ReadableSpan]:
        """Finished spans in the order of their end."""
        return list(self.exporter.get_finished_spans())

    @property
    def last(self) -> ReadableSpan:
        """The span that ended last."""
        return self.spans[-1]


@pytest.fixture(autouse=True)
def _defaults() -> Iterator[None]:
    """No test sees what another configured or counted."""
    telltale.reset_defaults()
    yield
    telltale.reset_defaults()
    vars(default_budget.store)["_counts"].clear()


@pytest.fixture
def captured() -> Captured:
    """Spans and metrics that the library emits in this test."""
    found = Captured()
    telltale.configure(tracer_provider=found.provider, meter_provider=found.meters)
    return found
