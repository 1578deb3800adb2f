"""Builders for traces and normalised calls, so that a judge test says only what it is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from analytics.normalise.logical_call import LogicalCall, Mark, Meaning
from analytics.spans import CLIENT, ERROR, INTERNAL, UNSET, Event, LogRecord, Span, Trace
from telltale.payload import unwrap
from telltale.vocabulary import Payload

T0 = 1_790_000_000_000_000_000


def make_span(
    span_id: str,
    parent: str = "",
    *,
    name: str = "work",
    kind: int = INTERNAL,
    start: int = 0,
    end: int = 10,
    status: int = UNSET,
    message: str = "",
    exception: tuple[str, str] | None = None,
    **attributes: Any,
) -> Span:
    """A span with times in milliseconds; dots in attribute names are written as double underscores."""
    span = Span("a" * 32, span_id, parent, name, kind, T0 + start * 1_000_000, T0 + end * 1_000_000, status, message)
    span.attributes = {key.replace("__", "."): value for key, value in attributes.items()}
    if exception is not None:
        span.events.append(
            Event("exception", span.end_ns, {"exception.type": exception[0], "exception.message": exception[1]})
        )
    return span


def make_http(span_id: str, parent: str, status: int | None, *, method: str = "GET", **more: Any) -> Span:
    """An HTTP client span with the status that it got; None for one that got no answer."""
    attributes: dict[str, Any] = {"http__request__method": method, "server__address": "api.example.com"}
    failed = status is None or status >= 400
    if status is not None:
        attributes["http__response__status_code"] = status
    attributes.update(more)
    return make_span(span_id, parent, name=method, kind=CLIENT, status=ERROR if failed else UNSET, **attributes)


def make_call(
    result: Any = None,
    *,
    tool: str = "get_rates",
    arguments: Any = None,
    arguments_text: str | None = None,
    marks: list[tuple[str, Any, Meaning]] | None = None,
    below: list[Span] | None = None,
    captured: bool = True,
    span: Span | None = None,
) -> tuple[Trace, LogicalCall]:
    """A trace with one tool call (span `t`) and the spans below it; `result` is as sent or a value."""
    span = span or make_span("t", name=f"execute_tool {tool}", end=100)
    call = LogicalCall("t", span, [span], tool, "test", arguments=arguments, arguments_text=arguments_text)
    if captured:
        found = unwrap(result)
        call.result, call.payload = found.value, Payload.CAPTURED
        call.result_text = result if isinstance(result, str) else None
        for name, value in found.marks:
            if name in ("isError", "is_error"):
                call.marks.append(Mark(name, value, "t", Meaning.FAILED if value else Meaning.CLAIMED_OK))
    call.marks += [Mark(name, value, "t", meaning) for name, value, meaning in marks or []]
    return Trace("default", "a" * 32, [span, *(below or [])]), call


@pytest.fixture
def verdict() -> Callable[..., Any]:
    """Judges one call built by `make_call`, with the log records of its trace, and returns its row."""
    from analytics.judge import judge_calls
    from analytics.settings import JudgeSettings

    def judge_built(
        *args: Any, settings: JudgeSettings | None = None, logs: list[LogRecord] | None = None, **more: Any
    ) -> Any:
        trace, call = make_call(*args, **more)
        trace.logs += logs or []
        return judge_calls(trace, [call], settings or JudgeSettings())[0]

    return judge_built


@pytest.fixture
def http() -> Callable[..., Span]:
    """The HTTP client span builder."""
    return make_http


@pytest.fixture
def span() -> Callable[..., Span]:
    """The span builder."""
    return make_span
