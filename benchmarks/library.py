"""What the library costs: a guarded call above the same span with the same JSON set by hand, and the import.

    python -m benchmarks library

The span goes to a batch processor whose exporter drops it, as it would be in an app; the tool returns 1 kB.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

import telltale
from telltale import _leaks

BAR_CALL_US = 50.0
"""Most microseconds that a guarded call may take above the span set by hand."""
BAR_IMPORT_MS = 50.0
"""Most milliseconds that `import telltale` may take above the OpenTelemetry API."""
ROUNDS, CALLS = 15, 400
RESULT = {
    "rows": [
        {"id": n, "name": "Ada Lovelace", "room": "blue", "note": "meeting at ten with the whole team"}
        for n in range(10)
    ]
}
ARGUMENTS = {"day": "2026-10-06", "slot": "10:00"}


class Dropped(SpanExporter):
    """Takes every span and keeps none."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Drop a batch."""
        return SpanExportResult.SUCCESS


def find_meetings(day: str, slot: str) -> dict[str, Any]:
    """A tool that costs nothing itself."""
    return RESULT


@telltale.guard
def guarded_meetings(day: str, slot: str) -> dict[str, Any]:
    """The same, guarded."""
    return RESULT


def by_hand(tracer: trace.Tracer) -> dict[str, Any]:
    """The same span, set by hand: what an app without the library would write."""
    with tracer.start_as_current_span("execute_tool find_meetings") as span:
        span.set_attribute("gen_ai.operation.name", "execute_tool")
        span.set_attribute("gen_ai.tool.name", "find_meetings")
        span.set_attribute("gen_ai.conversation.id", "c-1")
        span.set_attribute("gen_ai.tool.call.arguments", json.dumps(ARGUMENTS))
        envelope = {"status": "ok", "output": find_meetings(**ARGUMENTS)}
        span.set_attribute("gen_ai.tool.call.result", json.dumps(envelope))
        span.set_attribute("telltale.envelope.dialect", "envelope")
        return envelope


def guarded() -> dict[str, Any]:
    """One guarded call."""
    return guarded_meetings(**ARGUMENTS)


def microseconds(work: Callable[[], object]) -> float:
    """Microseconds of this thread's processor a call takes, whoever else uses the machine; nothing in it waits."""
    started = time.thread_time()
    for _ in range(CALLS):
        work()
    return (time.thread_time() - started) / CALLS * 1e6


def overhead(tracer: trace.Tracer) -> tuple[float, float]:
    """Median microseconds by hand and guarded, in rounds that alternate so that a busy machine hits both alike."""
    hand, lib = [], []
    with telltale.conversation("c-1"):
        microseconds(lambda: by_hand(tracer))
        microseconds(guarded)
        for _ in range(ROUNDS):
            gc.collect()
            hand.append(microseconds(lambda: by_hand(tracer)))
            lib.append(microseconds(guarded))
    return statistics.median(hand), statistics.median(b - a for a, b in zip(hand, lib, strict=True))


def above_without_re2(tracer: trace.Tracer) -> float:
    """The same overhead where RE2 is not installed and the redactor looks for literals one by one."""
    kept = sys.modules.get("re2")
    sys.modules["re2"] = None  # type: ignore[assignment] # makes the import fail, as on a light install
    _leaks._secrets.cache_clear()
    try:
        return overhead(tracer)[1]
    finally:
        _leaks._secrets.cache_clear()
        del sys.modules["re2"]
        if kept is not None:
            sys.modules["re2"] = kept


def import_ms(code: str) -> float:
    """Best of several fresh interpreters, in milliseconds of processor time."""
    best = float("inf")
    for _ in range(7):
        before = os.times()
        subprocess.run([sys.executable, "-I", "-c", code], check=True)
        after = os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        best = min(best, used)
    return best * 1e3


def main() -> None:
    """Measure, and print the figures beside their bars."""
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(Dropped()))
    telltale.configure(tracer_provider=provider)
    hand, above = overhead(provider.get_tracer("by-hand"))
    api = import_ms("import opentelemetry.trace, opentelemetry.metrics, opentelemetry.context")
    imported = import_ms("import telltale") - api
    print(f"result of {len(json.dumps(RESULT))} bytes, processor time, median of {ROUNDS} rounds of {CALLS} calls")
    _line("guarded call above the span by hand", above, "µs", BAR_CALL_US)
    print(f"  {'(the span by hand itself)':<44} {hand:7.1f} µs")
    without = above_without_re2(provider.get_tracer("by-hand"))
    print(f"  {'(the same without google-re2, light install)':<44} {without:7.1f} µs")
    _line("import above opentelemetry-api", imported, "ms", BAR_IMPORT_MS)
    provider.shutdown()
    telltale.reset_defaults()


def _line(what: str, found: float, unit: str, bar: float) -> None:
    print(f"  {what:<44} {found:7.1f} {unit}   bar {bar:.0f} {unit}   {'met' if found <= bar else 'MISSED'}")


if __name__ == "__main__":
    main()
