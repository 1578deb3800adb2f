"""Why a call is ok although something accused it."""

from __future__ import annotations

import time
from typing import Any

import pytest

from analytics.api import Context, answer
from analytics.jobs import JudgeJob
from analytics.settings import JudgeSettings, ToolSettings
from analytics.spans import CLIENT, ERROR, Event, Span
from analytics.store import Batch
from collector.store import DuckDBStore
from tests.api.scene import scene

Json = dict[str, Any]


def run(store: DuckDBStore, spans: list[Span], settings: JudgeSettings | None = None) -> Json:
    """The one call of some spans, explained."""
    store.append(Batch(spans=spans))
    JudgeJob(store, settings or JudgeSettings(), pause_s=0).drain()
    context = Context(store, settings or JudgeSettings())
    [row] = answer(context, "calls", {"limit": "1"})["rows"]
    return answer(context, "call", {}, path={"span_id": row["span_id"]})


def tool(name: str, result: str, **more: Any) -> Span:
    """A tool span that returned a text."""
    start = time.time_ns() - 10**9
    span = Span("ab" * 16, f"{1:016x}", "", f"execute_tool {name}", 1, start, start + 10**8, scope_name="test")
    span.attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, **more}
    span.attributes["gen_ai.tool.call.result"] = result
    return span


def http(number: int, status: int) -> Span:
    """An HTTP request below it."""
    start = time.time_ns() - 10**9 + number * 10**6
    span = Span("ab" * 16, f"{number:016x}", f"{1:016x}", "GET", CLIENT, start, start + 10**5, scope_name="http")
    span.attributes = {"http.request.method": "GET", "http.response.status_code": status}
    span.status_code = ERROR if status >= 400 else 0
    return span


def test_an_answer_that_looks_like_a_failure(empty: DuckDBStore) -> None:
    """The rule that spoke is named with its evidence, and that the record was looked up."""
    call = run(empty, [tool("get_job", '{"job_id": 4, "status": "failed", "name": "nightly"}')])

    assert call["outcome"] == "ok"
    [each] = call["dismissed"]
    assert (each["rule"], each["by"]) == ("payload.status_error", "answer")
    assert [(found["key"], found["value"]) for found in each["evidence"]] == [("status", "failed")]
    assert each["because"].endswith(".")


def test_a_failure_below_that_was_made_good(empty: DuckDBStore) -> None:
    """No rule spoke; the failed request is named, and what made it good."""
    call = run(empty, [tool("list_meetings", '[{"id": 1}]'), http(2, 503), http(3, 200)])

    assert (call["outcome"], call["rules"]) == ("ok", [])
    [each] = call["dismissed"]
    assert (each["rule"], each["by"]) == (None, "later_attempt")
    assert each["evidence"] == [{"span_id": f"{2:016x}", "value": "http 503"}]


def test_an_empty_result_that_a_setting_calls_normal(empty: DuckDBStore) -> None:
    """The setting is named, not a rule."""
    settings = JudgeSettings({"list_meetings": ToolSettings(empty_is_normal=True)})
    call = run(empty, [tool("list_meetings", "[]"), http(2, 503)], settings)

    assert call["outcome"] == "ok"
    assert [each["by"] for each in call["dismissed"]] == ["empty_is_normal"]


@pytest.mark.parametrize("event", [True, False])
def test_an_exception_that_the_tool_dealt_with(empty: DuckDBStore, event: bool) -> None:
    """The mark accused, the proper result dismissed it; without the exception nothing did."""
    span = tool("load_user", '{"id": 4, "name": "Ada"}')
    if event:
        attributes = {"exception.type": "KeyError", "exception.message": "x"}
        span.events = [Event("exception", span.start_ns, attributes)]
    call = run(empty, [span])

    assert call["outcome"] == "ok"
    found = [(each["rule"], each["by"]) for each in call["dismissed"]]
    assert found == ([("trace.marked_failed", "trace.exception_handled")] if event else [])


def test_a_trace_that_cannot_be_read_leaves_the_rest(empty: DuckDBStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The call is explained from its row all the same."""

    def broken(*_: Any) -> Any:
        raise RecursionError("token=abc")

    monkeypatch.setattr("analytics.api.dismissals.normalise", broken)
    call = run(empty, [tool("get_job", '{"job_id": 4, "status": "failed", "name": "nightly"}'), http(2, 503)])

    assert [each["by"] for each in call["dismissed"]] == ["answer"]


def test_a_correction_dismisses_and_a_failure_has_nothing_dismissed(empty: DuckDBStore) -> None:
    """A person's word is the strongest; a failed call names no dismissal."""
    empty.append(scene(time.time_ns()))
    JudgeJob(empty, pause_s=0).drain()
    context = Context(empty)
    [row] = answer(context, "calls", {"tool": "fetch_note"})["rows"]
    place = {"span_id": row["span_id"]}
    assert answer(context, "call", {}, path=place)["dismissed"] == []
    body = {**place, "outcome": "ok", "who": "ada", "why": "so"}
    answer(context, "correct", {}, body=body)

    [each] = answer(context, "call", {}, path=place)["dismissed"]
    assert (each["rule"], each["by"], each["because"]) == (
        "payload.error_key",
        "correction",
        "A person corrected the verdict.",
    )
