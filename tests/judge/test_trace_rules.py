"""Trace rules: a result held against the marks of the protocol and the spans below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from analytics.normalise.logical_call import Meaning
from analytics.settings import JudgeSettings, ToolSettings
from analytics.spans import LogRecord

Judge = Callable[..., Any]


@pytest.mark.parametrize("result", ["[]", "null", "", "{}", "None", '{"items": [], "total": 0}', '{"data": null}'])
@pytest.mark.parametrize("status", [401, 429, 500, 502, 503, None])
def test_empty_after_failure(verdict: Judge, http: Judge, result: str, status: int | None) -> None:
    """An empty result over a failed upstream call, without any mark, is a silent failure."""
    row = verdict(result, below=[http("h", "t", status)])

    assert (row.outcome, row.declared) == ("silent_failure", "none")
    assert row.rules == ["trace.empty_after_failure"]
    assert row.evidence[0]["span_id"] == "h"


@pytest.mark.parametrize(
    "below",
    [
        [],
        [("a", 200)],
        [("a", 503), ("b", 200)],
        [("a", 429), ("b", 429), ("c", 204)],
    ],
)
def test_empty_is_honest_otherwise(verdict: Judge, http: Judge, below: list[tuple[str, int]]) -> None:
    """Empty is an answer when nothing upstream failed, or when a later attempt succeeded."""
    spans = [http(name, "t", status) for name, status in below]
    for n, span in enumerate(spans):
        span.start_ns += n * 20_000_000
        span.end_ns += n * 20_000_000

    assert verdict("[]", below=spans).outcome == "ok"


def test_a_token_fetched_afterwards_makes_nothing_good(verdict: Judge, http: Judge) -> None:
    """A later call of another kind (a POST for a token) does not make a failed read good."""
    spans = [http("a", "t", 401), http("b", "t", 200, method="POST")]
    spans[1].start_ns += 30_000_000
    spans[1].end_ns += 30_000_000

    assert verdict("[]", below=spans).outcome == "silent_failure"


def test_empty_is_normal(verdict: Judge, http: Judge) -> None:
    """A maintainer may say that an empty result of this tool is never suspicious."""
    settings = JudgeSettings({"get_rates": ToolSettings(empty_is_normal=True)})

    assert verdict("[]", below=[http("h", "t", 503)], settings=settings).outcome == "ok"


@pytest.mark.parametrize("result", ['{"status": "ok", "output": {"statusCode": 503}}', '{"statusCode": 503}'])
def test_a_mute_holds_under_an_envelope(verdict: Judge, result: str) -> None:
    """A muted rule stays muted when a guard's `ok` stands around the result: a claim of success accuses nobody."""
    settings = JudgeSettings({"get_rates": ToolSettings(mute=frozenset(("payload.http_status",)))})
    assert not verdict(result).muted

    row = verdict(result, settings=settings)

    assert (row.outcome == "ok", row.muted) == (False, True), row.rules


@pytest.mark.parametrize(
    "result", ['{"success": true, "id": 7}', '{"status": "ok"}', '{"status": "succeeded", "n": 1}']
)
def test_success_over_failure(verdict: Judge, http: Judge, result: str) -> None:
    """A claim of success over nothing but failed upstream calls is a silent failure."""
    row = verdict(result, tool="post_invoice", below=[http("h", "t", 500, method="POST")])

    assert (row.outcome, row.declared, row.code) == ("silent_failure", "ok", "INTERNAL")


@pytest.mark.parametrize(("method", "status"), [("DELETE", 404), ("PUT", 409), ("DELETE", 410)])
def test_success_over_a_settled_state(verdict: Judge, http: Judge, method: str, status: int) -> None:
    """Deleting what is gone and creating what is there succeeded in what was wanted."""
    assert (
        verdict('{"success": true}', tool="drop_lease", below=[http("h", "t", status, method=method)]).outcome == "ok"
    )


def test_data_beside_a_failed_upstream(verdict: Judge, http: Judge) -> None:
    """A result with data, without a claim, stands although one source failed: it may come from elsewhere."""
    assert verdict('{"rate": 1.08, "as_of": "yesterday"}', below=[http("h", "t", 503)]).outcome == "ok"


@pytest.mark.parametrize(
    "result",
    [
        '{"code": 502, "message": "upstream"}',
        '{"page": "x", "body": "{\\"status\\": 502, \\"title\\": \\"Bad Gateway\\"}"}',
        '[{"response": {"statusCode": 502}}]',
    ],
)
def test_status_echoed(verdict: Judge, http: Judge, result: str) -> None:
    """The failed upstream's own status inside the result shows that its error answer was handed on."""
    row = verdict(result, below=[http("h", "t", 502)])

    assert (row.outcome, row.code) == ("silent_failure", "UNAVAILABLE")


def test_marks_beat_everything_but_an_envelope(verdict: Judge) -> None:
    """isError with prose is an unstructured error; the same with a compliant envelope is a structured one."""
    prose = verdict('{"content": [{"type": "text", "text": "no such lane"}], "isError": true}')
    envelope = (
        '{\\"error\\": {\\"code\\": \\"NOT_FOUND\\", \\"message\\": \\"No such lane.\\", \\"retryable\\": false}}'
    )
    structured = verdict('{"content": [{"type": "text", "text": "' + envelope + '"}], "isError": false}')

    assert (prose.outcome, prose.code) == ("unstructured_error", "NOT_FOUND")
    assert (structured.outcome, structured.declared, structured.code) == ("structured_error", "error", "NOT_FOUND")


def test_control_flow(verdict: Judge) -> None:
    """An interrupt or a hand-off that looks like an error is none."""
    row = verdict(captured=False, marks=[("event.exception", "NodeInterrupt", Meaning.CONTROL_FLOW)])

    assert (row.outcome, row.rules) == ("ok", ["trace.control_flow"])


def test_not_captured(verdict: Judge, http: Judge) -> None:
    """Without the payload nothing is called empty: the call stays ok, and the row says that it was not measured."""
    row = verdict(captured=False, below=[http("h", "t", 404)])

    assert (row.outcome, row.confidence, row.payload) == ("ok", "suspected", "absent")


def test_unseen_after_failure(verdict: Judge, http: Judge) -> None:
    """Where every source answered with an outage and nothing was captured or marked, the green span is suspected."""
    row = verdict(captured=False, below=[http("h", "t", 503)])

    assert (row.outcome, row.confidence, row.payload) == ("silent_failure", "suspected", "absent")


@pytest.mark.parametrize(("mapped", "code"), [("exception TypeError", "INTERNAL"), (None, "INVALID_ARGUMENT")])
def test_a_bug_that_the_guard_saw_is_the_tools_own(verdict: Judge, span: Judge, mapped: str | None, code: str) -> None:
    """The guard tells a TypeError inside the tool from wrong arguments; where nobody did, the words decide."""
    sent = {"status": "error", "error": {"code": "INTERNAL", "message": "The tool failed.", "retryable": False}}
    given = {"telltale__mapped_from": mapped} if mapped else {}
    raised = ("TypeError", "unsupported operand type(s) for /: 'str' and 'int'")
    row = verdict(sent, span=span("t", end=100, status=2, exception=raised, **given))

    assert (row.outcome, row.code) == ("structured_error", code)


@pytest.mark.parametrize(
    ("severity", "body", "outcome"),
    [
        (17, "lookup gave up", "silent_failure"),
        (13, "registry timed out", "silent_failure"),
        (13, "argument is deprecated", "ok"),
        (9, "registry timed out, trying again", "ok"),
    ],
)
def test_empty_beside_a_log_record(verdict: Judge, severity: int, body: str, outcome: str) -> None:
    """A record of the call's span tells why nothing came: an error does, a warning whose words mean a code does."""
    record = LogRecord("a" * 32, "t", "", 0, severity, body)

    row = verdict("[]", logs=[record])

    assert row.outcome == outcome
    assert row.rules == (["trace.empty_beside_log"] if outcome != "ok" else [])
    assert verdict('["b7"]', logs=[record]).outcome == "ok"


def test_a_log_record_of_another_span_says_nothing(verdict: Judge) -> None:
    """What was logged elsewhere in the trace is no evidence against the call."""
    assert verdict("[]", logs=[LogRecord("a" * 32, "other", "", 0, 17, "lookup gave up")]).outcome == "ok"
