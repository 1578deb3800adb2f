"""The span of a tool call: what it carries, where it hangs, and that it never doubles a framework's own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from opentelemetry import trace

import telltale
from telltale import Code, ToolError, guard
from telltale._jsonify import to_json
from telltale.testing import CapturedSpan, SpanCapture


def test_a_failed_call_as_a_whole_span(telltale_spans: SpanCapture) -> None:
    """Every attribute of a deliberate error, with fixed ids and clock."""

    @guard(budget=None)
    def book(date: str) -> None:
        raise ToolError(Code.RATE_LIMITED, "Slow down.", field="date", retry_after_seconds=30)

    with telltale.conversation("conv-1", agent="scheduler", user="ada"), telltale.tool_call("call_7"):
        envelope = book("2026-10-06")

    assert telltale_spans.spans == [
        CapturedSpan(
            name="execute_tool book",
            trace_id=1,
            span_id=1,
            parent_id=None,
            start=1,
            end=2,
            kind="INTERNAL",
            status="ERROR",
            status_message="RATE_LIMITED: Slow down.",
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "book",
                "gen_ai.tool.call.id": "call_7",
                "gen_ai.conversation.id": "conv-1",
                "gen_ai.agent.name": "scheduler",
                "user.id": "ada",
                "gen_ai.tool.call.arguments": '{"date":"2026-10-06"}',
                "gen_ai.tool.call.result": json.dumps(envelope, separators=(",", ":")),
                "telltale.envelope.dialect": "envelope",
                "error.type": "RATE_LIMITED",
                "telltale.error.code": "RATE_LIMITED",
                "telltale.error.action": "retry_later",
                "telltale.error.retryable": True,
                "telltale.error.field": "date",
                "telltale.error.retry_after_s": 30,
                "telltale.mapped_from": "ToolError",
            },
        )
    ]


def test_an_unmapped_exception_is_an_event_with_everything_but_secrets(telltale_spans: SpanCapture) -> None:
    """Full detail for the engineer, under the reference id that the model was told."""

    @guard
    def book() -> None:
        raise LookupError("row 7 of db-7.internal, password=hunter22")

    message = book()["error"]["message"]
    span = telltale_spans.one("execute_tool book")

    assert "(ref 00000001)" in message
    assert span.attributes["telltale.error.ref"] == "00000001"
    assert span.attributes["telltale.mapped_from"] == "exception LookupError"
    (event,) = span.events
    assert event.attributes["exception.type"] == "LookupError"
    assert "row 7 of db-7.internal" in event.attributes["exception.message"]
    assert "test_spans.py" in event.attributes["exception.stacktrace"]
    assert "hunter22" not in json.dumps(event.attributes)


def test_a_deliberate_error_with_a_cause_shows_the_cause(telltale_spans: SpanCapture) -> None:
    """`raise ToolError(…) from exc` keeps the reason for the engineer; a bare one needs none."""

    @guard(budget=None)
    def book(*, wrap: bool) -> None:
        try:
            raise TimeoutError("upstream")
        except TimeoutError as exc:
            raise ToolError("UNAVAILABLE") from (exc if wrap else None)

    book(wrap=True)
    book(wrap=False)

    assert [len(span.events) for span in telltale_spans.spans] == [1, 0]


def test_the_span_hangs_under_the_current_one_and_above_the_tools_own(telltale_spans: SpanCapture) -> None:
    """agent > tool > what the tool calls."""
    tracer = telltale_spans.provider.get_tracer("app")

    @guard
    def book() -> str:
        with tracer.start_as_current_span("GET"):
            return "ok"

    with tracer.start_as_current_span("invoke_agent"):
        book()
        after = trace.get_current_span()
    agent, tool, request = telltale_spans.spans

    assert (tool.parent_id, request.parent_id) == (agent.span_id, tool.span_id)
    assert (agent.name, tool.name, request.name) == ("invoke_agent", "execute_tool book", "GET")
    assert after.get_span_context().span_id == agent.span_id


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("execute_tool book", {}),
        ("running tool", {"gen_ai.tool.name": "book"}),
        ("tools/call book", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "book"}),
        ("book", {"openinference.span.kind": "TOOL", "tool.name": "book"}),
        ("book.tool", {}),
    ],
)
def test_a_frameworks_own_span_is_enriched_instead(telltale_spans: SpanCapture, name: str, attributes: Any) -> None:
    """One call, one span: ours adds what the framework's lacks."""
    tracer = telltale_spans.provider.get_tracer("framework")

    @guard("book", budget=None)
    def book() -> None:
        raise TimeoutError

    with tracer.start_as_current_span(name, attributes=attributes):
        book()
        assert trace.get_current_span().is_recording()
    (span,) = telltale_spans.spans

    assert span.name == name
    assert span.status == "ERROR"
    assert span.attributes["telltale.error.code"] == "UNAVAILABLE"
    assert json.loads(span.attributes["gen_ai.tool.call.result"])["status"] == "error"


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("execute_tool search", {"gen_ai.tool.name": "search"}),
        ("chat", {"gen_ai.operation.name": "chat", "gen_ai.tool.name": "book"}),
        ("invoke_agent book", {}),
    ],
)
def test_another_span_is_not_taken_for_the_tools(telltale_spans: SpanCapture, name: str, attributes: Any) -> None:
    """A tool that calls a tool, a model call, an agent: parents, not the same call."""
    tracer = telltale_spans.provider.get_tracer("framework")

    with tracer.start_as_current_span(name, attributes=attributes):
        guard("book")(lambda: 1)()

    assert [span.name for span in telltale_spans.spans] == [name, "execute_tool book"]


def test_a_tool_that_calls_a_tool_is_two_calls_with_two_ids(telltale_spans: SpanCapture) -> None:
    """The model's call id belongs to the outer one only."""
    inner = guard("search")(lambda: 1)

    with telltale.tool_call("call_1"):
        guard("book")(lambda: [inner()])()

    outer, nested = telltale_spans.spans
    assert outer.attributes["gen_ai.tool.call.id"] == "call_1"
    assert "gen_ai.tool.call.id" not in nested.attributes
    assert nested.parent_id == outer.span_id


def test_context_is_kept_across_threads_and_tasks(telltale_spans: SpanCapture) -> None:
    """`carry` takes parent and conversation into an executor; tasks keep them by themselves."""
    tracer = telltale_spans.provider.get_tracer("app")
    book = guard("book")(lambda: 1)

    @guard("fetch")
    async def fetch() -> int:
        return 1

    async def both() -> None:
        await asyncio.gather(asyncio.create_task(fetch()), asyncio.create_task(fetch()))

    with telltale.conversation("conv-1"), tracer.start_as_current_span("invoke_agent"):
        with ThreadPoolExecutor(2) as pool:
            work = telltale.carry(book)
            list(pool.map(lambda _: work(), range(3)))
        asyncio.run(both())
    agent = telltale_spans.one("invoke_agent")
    tools = [span for span in telltale_spans.spans if span is not agent and span.name != "invoke_agent"]

    assert len(tools) == 5
    assert {span.parent_id for span in tools} == {agent.span_id}
    assert {span.attributes["gen_ai.conversation.id"] for span in tools} == {"conv-1"}


def test_a_streams_span_is_not_the_parent_of_its_consumer(telltale_spans: SpanCapture) -> None:
    """Between two items the consumer's own context is current."""
    tracer = telltale_spans.provider.get_tracer("app")

    @guard
    def lines() -> Iterator[int]:
        with tracer.start_as_current_span("inside"):
            pass
        yield 1

    with tracer.start_as_current_span("agent"):
        for _ in lines():
            with tracer.start_as_current_span("consumer"):
                pass
    by_name = {span.name: span for span in telltale_spans.spans}

    assert by_name["consumer"].parent_id == by_name["agent"].span_id
    assert by_name["inside"].parent_id == by_name["execute_tool lines"].span_id
    assert by_name["execute_tool lines"].attributes["gen_ai.tool.call.result"] == '{"status":"ok","output":[1]}'


def test_content_can_be_switched_off(telltale_spans: SpanCapture) -> None:
    """Neither arguments nor results, but still code, action and budget."""
    telltale.configure(capture_content=False)

    guard("book")(lambda date: telltale.error("CONFLICT"))("2026-10-06")
    attributes = telltale_spans.one("execute_tool book").attributes

    assert not {"gen_ai.tool.call.arguments", "gen_ai.tool.call.result"} & attributes.keys()
    assert attributes["telltale.error.code"] == "CONFLICT"


@pytest.mark.parametrize(
    ("name", "value", "captured_content"),
    [
        ("TELLTALE_CAPTURE_CONTENT", "0", False),
        ("TELLTALE_CAPTURE_CONTENT", "true", True),
        ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "false", False),
        ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "SPAN_ONLY", True),
    ],
)
def test_the_environment_decides_on_content(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, captured_content: bool
) -> None:
    """Ours first, then OpenTelemetry's own switch."""
    monkeypatch.setenv(name, value)

    assert telltale.reset_defaults().capture_content is captured_content


@pytest.mark.parametrize(
    "name", ["TELLTALE_CAPTUR_CONTENT", "TELLTALE_CAPTURE", "TELLTALE_NO_CONTENT", "telltale_capture_content"]
)
def test_a_misspelt_switch_is_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    """Content that should have been kept out is captured: a warning names the variable, but none of the service's."""
    monkeypatch.setattr("telltale._config._told", set())
    for service in ("TELLTALE_API_PORT", "TELLTALE_RETENTION__SPAN_DAYS", "TELLTALE_API_TOKEN"):
        monkeypatch.setenv(service, "1")
    monkeypatch.setenv(name, "0")

    assert telltale.reset_defaults().capture_content is True
    telltale.reset_defaults()

    told = [record.getMessage() for record in caplog.records if record.name == "telltale"]
    assert told == [f"{name} is set, but there is no such setting; the nearest name is TELLTALE_CAPTURE_CONTENT"]


def test_secrets_are_masked_on_the_span_and_optionally_for_the_model(telltale_spans: SpanCapture) -> None:
    """A key in a result never goes on the span; the model gets it unless told otherwise."""
    secret = "sk-abcdefghijklmnopqrstuvwxyz0123"
    tool = guard("show")(lambda key: {"key": secret, "n": 1})

    assert tool(secret)["output"]["key"] == secret
    telltale.configure(redact_outputs=True)
    assert secret not in json.dumps(tool(secret))
    assert secret not in json.dumps([span.attributes for span in telltale_spans.spans])


def test_a_huge_result_is_cut_and_marked(telltale_spans: SpanCapture) -> None:
    """The model gets all of it, the span its beginning."""
    telltale.configure(content_cap=2000)
    tool = guard("fetch_page")(lambda: {"page": "x" * 5_000_000})

    assert len(tool()["output"]["page"]) == 5_000_000
    attributes = telltale_spans.one("execute_tool fetch_page").attributes
    assert len(attributes["gen_ai.tool.call.result"]) <= 2000
    assert attributes["telltale.result.truncated"] is True


def test_arguments_name_what_the_model_gave(telltale_spans: SpanCapture) -> None:
    """Positions get their names; `self` and a framework's context are left out."""
    context = type("ToolContext", (), {"__module__": "google.adk.tools.tool_context"})()

    class Calendar:
        @guard
        def book(self, date: str, *more: str, tool_context: Any = None, **options: int) -> int:
            return 1

    Calendar().book("d", "x", tool_context=context, seats=3)
    given = telltale_spans.one("execute_tool book").attributes["gen_ai.tool.call.arguments"]

    assert json.loads(given) == {"date": "d", "*args": ["x"], "seats": 3}


def test_metrics_count_calls_codes_and_budgets(captured: Any) -> None:
    """Through OpenTelemetry's metrics API, per tool and code."""
    book = guard("book", budget=telltale.Budget(1))(lambda ok: 1 if ok else telltale.error("UNAVAILABLE"))

    book(True)
    book(False)
    points: dict[str, dict[Any, Any]] = {}
    for metric in captured.reader.get_metrics_data().resource_metrics[0].scope_metrics[0].metrics:
        points[metric.name] = {
            point.attributes.get("error.type"): getattr(point, "value", getattr(point, "count", None))
            for point in metric.data.data_points
        }

    assert points == {
        "telltale.tool.calls": {None: 1, "UNAVAILABLE": 1},
        "telltale.tool.duration": {None: 1, "UNAVAILABLE": 1},
        "telltale.tool.budget_exhausted": {None: 1},
    }


def test_the_short_dialect_is_answered_and_recorded(telltale_spans: SpanCapture) -> None:
    """An app may speak the ToolError schema; the span says which."""
    telltale.configure(dialect=telltale.Dialect.TOOL_ERROR)

    answer = guard("book", budget=None)(lambda: telltale.error("CONFLICT", "Taken."))()
    attributes = telltale_spans.one("execute_tool book").attributes

    assert answer == {"error": {"code": "CONFLICT", "message": "Taken.", "retryable": True}}
    assert attributes["telltale.envelope.dialect"] == "tool_error"
    assert attributes["error.type"] == "CONFLICT"


def test_the_librarys_own_faults_never_reach_the_app(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A broken provider costs the spans, not the tool; it is logged. Under pytest it is raised."""

    class Broken:
        def get_tracer(self, *_: Any) -> Any:
            raise RuntimeError("no tracer today")

    telltale.configure(tracer_provider=Broken())
    tool = guard("book")(lambda: 1)
    with pytest.raises(RuntimeError, match="no tracer today"):
        tool()

    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    assert tool() == {"status": "ok", "output": 1}
    assert guard("down")(lambda: 1 / 0)()["error"]["code"] == "INTERNAL"
    assert "a fault inside telltale was contained" in caplog.text


def test_settings_are_checked() -> None:
    """A wrong setting is refused with a sentence."""
    with pytest.raises(TypeError):
        telltale.configure(colour="red")
    with pytest.raises(ValueError, match="content_cap"):
        telltale.configure(content_cap=3)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": (1, 2.5, None, True)}, '{"a":[1,2.5,null,true]}'),
        ({1: {2}}, '{"1":[2]}'),
        (b"abc", '"<3 bytes>"'),
        (object, '"<builtins.type>"'),
        ("é", '"é"'),
    ],
)
def test_any_value_becomes_json(value: Any, text: str) -> None:
    """What JSON has a word for keeps it, the rest is named."""
    assert to_json(value, 1000) == (text, False)


def test_circles_depths_and_crowds_become_json_of_a_bounded_length() -> None:
    """Work and length stay within the cap whatever a tool returns."""
    circle: dict[str, Any] = {}
    circle["self"] = circle
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    shared = ["z" * 1500] * 1_000_000
    for value in (circle, deep, shared, list(range(1_000_000)), {"x" * 9000: 1}, 10**5000, "y" * 9000):
        text, cut = to_json(value, 2000)
        assert len(text) <= 2000
        assert cut
