"""Repeats inside one call, and the breaker that is shared by all sessions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from telltale import CircuitBreaker, Code, Failure, Retry, ToolError, guard
from telltale.testing import failing_tool


def test_a_repeat_hides_a_blip_and_is_counted_on_the_span(captured: Any) -> None:
    """The model sees the success; the span says that it took a second try."""
    inner = failing_tool(TimeoutError, {"id": 1})

    assert guard("book", retry=Retry(wait_s=0))(inner)() == {"status": "ok", "output": {"id": 1}}
    assert len(inner.calls) == 2  # type: ignore[attr-defined]
    assert captured.last.attributes["telltale.retry.attempts"] == 1


def test_a_repeat_that_fails_is_one_failure_for_the_budget() -> None:
    """Two tries inside are one call outside."""
    inner = failing_tool(TimeoutError)
    tool = guard("book", retry=Retry(attempts=2, wait_s=0), budget=2)(inner)

    assert tool()["error"]["action"] == "retry_later"
    assert len(inner.calls) == 3  # type: ignore[attr-defined]
    assert tool()["error"]["action"] == "stop_and_tell_user"


def test_asynchronous_tools_repeat_too() -> None:
    """The same for coroutines."""
    inner = failing_tool(TimeoutError, "fine")

    @guard(retry=Retry(wait_s=0))
    async def tool() -> Any:
        return inner()

    assert asyncio.run(tool()) == {"status": "ok", "output": "fine"}


@pytest.mark.parametrize("code", ["INVALID_ARGUMENT", "NOT_FOUND", "CONFLICT", "PERMISSION_DENIED", "INTERNAL"])
def test_only_passing_failures_are_repeated(code: str) -> None:
    """The same call with the same arguments cannot overcome the others."""
    inner = failing_tool(ToolError(code))

    guard("book", retry=Retry(attempts=3, wait_s=0))(inner)()

    assert len(inner.calls) == 1  # type: ignore[attr-defined]


def test_the_upstreams_wish_is_honoured_within_the_bound() -> None:
    """A wait that it asked for replaces ours; one beyond the bound is left to the model."""
    retry = Retry(attempts=2, wait_s=0.1, max_wait_s=3)

    assert retry.pause(Failure(Code.UNAVAILABLE, "x"), 0) == pytest.approx(0.1)
    assert retry.pause(Failure(Code.UNAVAILABLE, "x"), 1) == pytest.approx(0.2)
    assert retry.pause(Failure(Code.RATE_LIMITED, "x", retry_after_seconds=2), 0) == 2
    assert retry.pause(Failure(Code.RATE_LIMITED, "x", retry_after_seconds=30), 0) is None
    assert retry.pause(Failure(Code.UNAVAILABLE, "x"), 2) is None


def test_settings_out_of_range_are_refused() -> None:
    """Nothing here may hold a conversation up for long."""
    for wrong in ({"attempts": 0}, {"attempts": 6}, {"wait_s": -1}):
        with pytest.raises(ValueError, match="Retry takes"):
            Retry(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="CircuitBreaker takes"):
        CircuitBreaker(failures=0)


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_breaker_opens_answers_and_closes_again(captured: Any) -> None:
    """Open after the limit, one probe after the wait, closed by its success."""
    clock = Clock()
    breaker = CircuitBreaker(failures=2, open_s=30, clock=clock)
    inner = failing_tool(TimeoutError, TimeoutError, "fine")
    book = guard("book", breaker=breaker, budget=None)(inner)
    search = guard("search", breaker=breaker, budget=None)(inner)

    book()
    search()
    blocked = book()
    assert len(inner.calls) == 2  # type: ignore[attr-defined]
    assert blocked["error"]["code"] == "UNAVAILABLE"
    assert blocked["error"]["retry_after_seconds"] == 30
    assert captured.last.attributes["telltale.mapped_from"] == "circuit open"

    clock.now += 31
    assert book() == {"status": "ok", "output": "fine"}
    assert search() == {"status": "ok", "output": "fine"}


def test_a_failed_probe_opens_it_again_and_only_one_probe_goes() -> None:
    """While a probe is under way the others are still answered at once."""
    clock = Clock()
    breaker = CircuitBreaker(failures=1, open_s=10, clock=clock)
    failure = Failure(Code.UNAVAILABLE, "x")

    breaker.record(failure)
    assert breaker.blocked() is not None
    clock.now += 11
    assert breaker.blocked() is None
    assert breaker.blocked() is not None
    breaker.record(failure)
    assert breaker.blocked() is not None
    clock.now += 11
    assert breaker.blocked() is None
    breaker.record(None)
    assert breaker.blocked() is None


def test_answers_that_are_errors_of_the_caller_keep_it_closed() -> None:
    """A service that says NOT_FOUND is alive."""
    breaker = CircuitBreaker(failures=2)
    for failure in (Failure(Code.UNAVAILABLE, "x"), Failure(Code.NOT_FOUND, "x"), Failure(Code.UNAVAILABLE, "x")):
        breaker.record(failure)

    assert breaker.blocked() is None
