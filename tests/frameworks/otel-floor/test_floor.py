"""The lowest OpenTelemetry that the library works with: guard, spans, metrics, threads, capture."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

import telltale
from telltale import guard
from telltale.testing import SpanCapture, failing_tool


def test_the_promised_floor_is_covered() -> None:
    """What runs here is no newer than the lowest version that pyproject promises to work with."""
    text = (Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    promised = re.search(r'dependencies = \["opentelemetry-api>=(\d+)\.(\d+)"\]', text)
    here = tuple(int(part) for part in version("opentelemetry-api").split(".")[:2])

    assert promised is not None
    assert here <= (int(promised[1]), int(promised[2]))


def test_the_scenario_in_small(telltale_spans: SpanCapture) -> None:
    """Bad argument, two outages, the budget, a success; parentage, attributes and events."""
    error = telltale.ToolError("INVALID_ARGUMENT", "date must be ISO-8601", field="date")
    tool = guard("book", budget=2)(failing_tool(error, TimeoutError, TimeoutError, {"id": 1}))
    tracer = telltale_spans.provider.get_tracer("app")

    with telltale.conversation("conv-1"), tracer.start_as_current_span("invoke_agent"):
        actions = [(tool().get("error") or {}).get("action", "ok") for _ in range(4)]
    agent, *tools = telltale_spans.spans

    assert actions == ["fix_arguments", "retry_later", "stop_and_tell_user", "ok"]
    assert {span.parent_id for span in tools} == {agent.span_id}
    assert [len(span.events) for span in tools] == [0, 1, 1, 0]
    assert tools[2].attributes["telltale.budget.exhausted"] is True


def test_a_frameworks_span_is_enriched(telltale_spans: SpanCapture) -> None:
    """Reading the current span's attributes works at the floor too."""
    tracer = telltale_spans.provider.get_tracer("framework")

    with tracer.start_as_current_span("tools/call book", attributes={"gen_ai.tool.name": "book"}):
        guard("book")(lambda: 1)()

    assert telltale_spans.one("tools/call book").attributes["gen_ai.tool.call.result"] == '{"status":"ok","output":1}'


def test_context_crosses_threads(telltale_spans: SpanCapture) -> None:
    """`carry` works with the floor's context."""
    tracer = telltale_spans.provider.get_tracer("app")
    tool = guard("book")(lambda: 1)

    with tracer.start_as_current_span("agent"), ThreadPoolExecutor(1) as pool:
        pool.submit(telltale.carry(tool)).result()
    agent, span = telltale_spans.spans

    assert span.parent_id == agent.span_id


def test_metrics_work() -> None:
    """The metrics API of the floor."""
    reader = InMemoryMetricReader()
    telltale.configure(meter_provider=MeterProvider([reader]))

    guard("book")(lambda: 1)()
    data: Any = reader.get_metrics_data()
    names = {metric.name for metric in data.resource_metrics[0].scope_metrics[0].metrics}

    assert {"telltale.tool.calls", "telltale.tool.duration"} <= names
