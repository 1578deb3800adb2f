"""Captured spans with fixed ids and a fixed clock, so that a test can compare whole spans."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from telltale._config import configure, get_config


@dataclass(frozen=True, slots=True)
class CapturedEvent:
    """An event of a span."""

    name: str
    attributes: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CapturedSpan:
    """A finished span. Ids count from 1 in the order of starting; times are whole seconds: the first thing that
    happened is second 1, the next second 2.
    """

    name: str
    trace_id: int
    span_id: int
    parent_id: int | None
    start: int
    end: int
    kind: str
    status: str
    status_message: str | None
    attributes: dict[str, Any] = field(default_factory=dict)
    events: tuple[CapturedEvent, ...] = ()


class SpanCapture:
    """The spans that the library emits while it is active; the app's own provider is not touched.

    Code under test that opens spans of its own gets a tracer from `provider`.
    """

    def __init__(self) -> None:
        try:
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import SimpleSpanProcessor
            from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
            from opentelemetry.sdk.trace.id_generator import IdGenerator
        except ModuleNotFoundError as missing:
            raise ModuleNotFoundError(
                f"telltale.testing.SpanCapture needs the OpenTelemetry SDK: pip install 'telltale-otel[otlp]' "
                f"({missing.name} is not installed)"
            ) from None

        class Counting(IdGenerator):
            """Ids that count from 1."""

            def __init__(self) -> None:
                self._spans = itertools.count(1)
                self._traces = itertools.count(1)

            def generate_span_id(self) -> int:
                return next(self._spans)

            def generate_trace_id(self) -> int:
                return next(self._traces)

        self._exporter = InMemorySpanExporter()
        self.provider: Any = TracerProvider(id_generator=Counting(), shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self._references = itertools.count(1)

    @contextmanager
    def active(self) -> Iterator[SpanCapture]:
        """While inside, the library emits its spans here, and reference ids count from `00000001`."""
        before = get_config()
        configure(tracer_provider=self.provider, new_reference=lambda: f"{next(self._references):08x}")
        try:
            yield self
        finally:
            configure(tracer_provider=before.tracer_provider, new_reference=before.new_reference)

    @property
    def spans(self) -> list[CapturedSpan]:
        """Finished spans in the order of their start."""
        found = self._exporter.get_finished_spans()
        moments = sorted({moment for span in found for moment in (span.start_time or 0, span.end_time or 0)})
        seconds = {moment: second for second, moment in enumerate(moments, 1)}
        return sorted((_captured(span, seconds) for span in found), key=lambda span: span.span_id)

    def named(self, name: str) -> list[CapturedSpan]:
        """The finished spans of a name."""
        return [span for span in self.spans if span.name == name]

    def one(self, name: str) -> CapturedSpan:
        """The only finished span of a name.

        Raises:
            AssertionError: there is none, or there are several.
        """
        found = self.named(name)
        assert len(found) == 1, f"{len(found)} spans are named {name!r}; there are {[s.name for s in self.spans]}"
        return found[0]

    def clear(self) -> None:
        """Forget the spans so far; ids go on counting."""
        self._exporter.clear()


def _captured(span: Any, seconds: dict[int, int]) -> CapturedSpan:
    events: Sequence[Any] = span.events
    return CapturedSpan(
        name=span.name,
        trace_id=span.context.trace_id,
        span_id=span.context.span_id,
        parent_id=span.parent.span_id if span.parent else None,
        start=seconds[span.start_time or 0],
        end=seconds[span.end_time or 0],
        kind=span.kind.name,
        status=span.status.status_code.name,
        status_message=span.status.description,
        attributes=dict(span.attributes or {}),
        events=tuple(CapturedEvent(event.name, dict(event.attributes or {})) for event in events),
    )
