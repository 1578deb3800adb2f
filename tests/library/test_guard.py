"""`guard`: what the model gets from functions, streams, methods and blocks, and what passes through."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

import telltale
from telltale import Code, Policy, ToolError, guard
from telltale._run import run


@guard
def book_meeting(date: str, slot: str = "10:00") -> dict[str, Any]:
    """Book a meeting.

    Args:
        date: ISO-8601 date.
    """
    if date == "next Tuesday":
        raise ToolError(
            Code.INVALID_ARGUMENT, "date must be an ISO-8601 calendar date such as 2026-10-06", field="date"
        )
    if date == "bug":
        raise KeyError("calendar.internal")
    return {"meetingId": "m-7781", "slot": slot}


def test_success_goes_under_output() -> None:
    """A returned value is wrapped once, whatever it is."""
    assert book_meeting("2026-10-06") == {"status": "ok", "output": {"meetingId": "m-7781", "slot": "10:00"}}


def test_a_tool_error_becomes_the_envelope_of_the_background_text() -> None:
    """The worked example's first answer, key by key."""
    assert book_meeting("next Tuesday") == {
        "status": "error",
        "error": {
            "code": "INVALID_ARGUMENT",
            "field": "date",
            "message": "date must be an ISO-8601 calendar date such as 2026-10-06",
            "action": "fix_arguments",
            "retryable": True,
        },
    }


def test_an_unknown_exception_is_internal_with_a_reference_and_no_detail(caplog: pytest.LogCaptureFixture) -> None:
    """The model learns a reference id, the log has the exception under the same id."""
    error = book_meeting("bug")["error"]

    assert (error["code"], error["action"], error["retryable"]) == ("INTERNAL", "stop_and_tell_user", False)
    assert "KeyError" not in error["message"]
    assert "calendar" not in error["message"]
    reference = error["message"].partition("(ref ")[2].partition(")")[0]
    assert len(reference) == 8
    assert any(reference in record.getMessage() and record.exc_info for record in caplog.records)


def test_coroutines_stay_coroutines() -> None:
    """Frameworks ask `iscoroutinefunction`; the guarded one answers as the plain one does."""

    @guard
    async def fetch(page: int) -> list[int]:
        await asyncio.sleep(0)
        if page > 1:
            raise TimeoutError
        return [page]

    assert inspect.iscoroutinefunction(fetch)
    assert asyncio.run(fetch(1)) == {"status": "ok", "output": [1]}
    assert asyncio.run(fetch(2))["error"]["code"] == "UNAVAILABLE"


def test_a_generator_passes_its_items_and_ends_with_an_error_envelope() -> None:
    """Streaming tools keep streaming; their failure is a last item instead of an exception."""

    @guard
    def lines() -> Iterator[str]:
        yield "a"
        yield "b"
        raise FileNotFoundError

    items: list[Any] = list(lines())

    assert inspect.isgeneratorfunction(lines)
    assert items[:2] == ["a", "b"]
    assert items[2]["error"]["code"] == "NOT_FOUND"


def test_an_async_generator_passes_its_items_and_ends_with_an_error_envelope() -> None:
    """The same for async generators."""

    @guard
    async def lines() -> AsyncIterator[str]:
        yield "a"
        raise PermissionError

    async def collect() -> list[Any]:
        return [item async for item in lines()]

    items = asyncio.run(collect())

    assert inspect.isasyncgenfunction(lines)
    assert items[0] == "a"
    assert items[1]["error"]["code"] == "PERMISSION_DENIED"


def test_a_generator_left_early_ends_its_span_without_an_error(captured: Any) -> None:
    """A consumer that stops reading is no failure of the tool."""

    @guard
    def lines() -> Iterator[int]:
        yield from range(10)

    stream = lines()
    assert next(stream) == 0
    stream.close()  # type: ignore[attr-defined]

    assert captured.last.name == "execute_tool lines"
    assert captured.last.status.is_unset


def test_methods_and_static_methods_and_class_methods() -> None:
    """A guard in any order with the descriptors keeps working, and `self` is no argument of the call."""

    class Calendar:
        prefix = "m"

        @guard
        def book(self, day: str) -> str:
            return self.prefix + day

        @guard
        @staticmethod
        def free(day: str) -> str:
            return day

        @classmethod
        @guard
        def count(cls, day: str) -> str:
            return cls.prefix + day

    assert Calendar().book("1") == {"status": "ok", "output": "m1"}
    assert Calendar().free("1") == {"status": "ok", "output": "1"}
    assert Calendar.count("1") == {"status": "ok", "output": "m1"}


def test_partials_and_callable_objects() -> None:
    """Plain callables are tools too."""

    class Search:
        async def __call__(self, term: str) -> str:
            return term

    assert guard("add")(functools.partial(lambda a, b: a + b, 1))(2) == {"status": "ok", "output": 3}
    assert asyncio.run(guard("search")(Search())("x")) == {"status": "ok", "output": "x"}


def test_a_sync_function_that_returns_an_awaitable_is_told_off() -> None:
    """An awaitable is no output: better a loud INTERNAL than a coroutine shown to the model."""

    async def inner() -> int:
        return 1

    coroutine = inner()
    answer = guard("late")(lambda: coroutine)()
    coroutine.close()

    assert answer["error"]["code"] == "INTERNAL"


def test_signature_docstring_and_annotations_survive() -> None:
    """What frameworks read to declare a tool is what the author wrote."""

    def plain(date: str, days: int = 1) -> dict[str, Any]:
        """Find slots."""
        return {"date": date, "days": days}

    guarded = guard(plain)

    assert inspect.signature(guarded) == inspect.signature(plain)
    assert (guarded.__name__, guarded.__doc__, guarded.__module__) == (plain.__name__, plain.__doc__, plain.__module__)
    assert guarded.__annotations__ == plain.__annotations__


def test_a_return_annotation_that_would_lie_becomes_a_dict() -> None:
    """FastMCP validates results by the annotation: `-> list[str]` over an envelope would be refused."""

    def plain(day: str) -> list[str]:
        return [day]

    guarded = guard(plain)

    assert inspect.signature(guarded).return_annotation == dict[str, Any]
    assert inspect.signature(guarded).parameters == inspect.signature(plain).parameters


def test_a_block_answers_after_it_is_left() -> None:
    """The context manager gives the same envelopes."""
    with guard("book_meeting") as call:
        call.output = 3
    assert call.envelope == {"status": "ok", "output": 3}

    with guard("book_meeting") as call:
        raise TimeoutError
    assert call.envelope["error"]["code"] == "UNAVAILABLE"

    async def in_async() -> dict[str, Any]:
        async with guard("book_meeting") as inner:
            inner.output = 4
        return inner.envelope

    assert asyncio.run(in_async()) == {"status": "ok", "output": 4}


def test_a_block_misused_says_so() -> None:
    """No name, no answer yet, entered twice: each has its own sentence."""
    with pytest.raises(TypeError, match="needs the tool's name"), guard():
        pass
    with guard("x") as call:
        with pytest.raises(RuntimeError, match="no answer before"):
            _ = call.envelope
        with pytest.raises(RuntimeError, match="entered once"):
            call.__enter__()


def test_cancellation_passes_through() -> None:
    """A cancelled tool is cancelled, not answered."""

    @guard
    async def slow() -> None:
        await asyncio.sleep(60)

    async def cancel() -> None:
        task = asyncio.create_task(slow())
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel())


def test_an_interrupt_of_a_framework_passes_through_and_paints_nothing(captured: Any) -> None:
    """LangGraph's interrupt, known by its class name alone, is control flow: no envelope, no error status."""
    interrupt = type("GraphInterrupt", (Exception,), {"__module__": "langgraph.errors"})

    @guard
    def ask() -> None:
        raise interrupt

    with pytest.raises(interrupt):
        ask()
    assert captured.last.status.is_unset
    assert not captured.last.events


def test_a_fatal_exception_fails_the_run(captured: Any) -> None:
    """What the app names as fatal is raised, and its span says so."""

    class BadCredentialError(Exception):
        """The app is not set up right."""

    @guard(fatal=BadCredentialError)
    def call() -> None:
        raise BadCredentialError("no key")

    with pytest.raises(BadCredentialError):
        call()
    assert captured.last.attributes["error.type"].endswith("BadCredentialError")
    assert [event.name for event in captured.last.events] == ["exception"]


def test_a_valid_envelope_is_not_wrapped_twice() -> None:
    """A tool may answer with an envelope of either dialect itself."""
    made = telltale.error("CONFLICT", "That slot was just taken.", field="slot")
    short = {
        "error": {"code": "RATE_LIMIT_EXCEEDED", "message": "Slow down.", "retryable": True, "retry_after_seconds": 9}
    }

    assert guard("a")(lambda: made)() == made
    assert guard("b")(lambda: telltale.ok([1]))() == {"status": "ok", "output": [1]}
    assert guard("c")(lambda: short)()["error"] == {
        "code": "RATE_LIMITED",
        "message": "Slow down.",
        "action": "retry_later",
        "retryable": True,
        "retry_after_seconds": 9,
    }


@pytest.mark.parametrize(
    "value",
    [{"status": "failed"}, {"status": "ok"}, {"status": "unauthorized"}, {"error": None, "rows": []}, {"errors": []}],
)
def test_a_domain_value_is_output(value: object) -> None:
    """Only a valid envelope passes unwrapped; a domain's own status is what was asked for."""
    assert guard("t")(lambda: value)() == {"status": "ok", "output": value}


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({"error": "boom"}, "INTERNAL"),
        ({"error": "503 Service Unavailable", "code": 503}, "UNAVAILABLE"),
        ({"success": False, "message": "no such user", "code": "NOT_FOUND"}, "NOT_FOUND"),
        ({"status": "error", "error_message": "quota"}, "INTERNAL"),
    ],
)
def test_a_value_that_is_nothing_but_an_error_is_not_called_a_success(value: object, code: str) -> None:
    """Wrapping `{"error": …}` as output would claim a success that nobody claimed."""
    assert guard("t")(lambda: value)()["error"]["code"] == code


def test_a_record_that_mentions_an_error_is_output() -> None:
    """A job's record with an error in it was looked up successfully."""
    job = {"id": 7, "status": "failed", "error": "exit code 1"}

    assert guard("get_job")(lambda: job)() == {"status": "ok", "output": job}


def test_nested_guards_are_one_call(captured: Any) -> None:
    """A guarded function inside a guarded tool of the same name counts once and makes one span."""

    def down() -> None:
        raise ConnectionRefusedError

    inner = guard("book")(down)
    outer = guard("book")(inner)

    answer = outer()

    assert answer["error"]["action"] == "retry_later"
    assert [span.name for span in captured.spans] == ["execute_tool book"]
    assert captured.last.attributes["telltale.mapped_from"] == "connection ConnectionRefusedError"
    assert [event.name for event in captured.last.events] == ["exception"]


def test_a_tool_that_calls_itself_under_another_id_is_another_call(captured: Any) -> None:
    """An agent that is a tool may call itself; the model's ids tell the calls apart."""
    policy = Policy(budget=None)

    def outer() -> Any:
        return run("delegate", lambda: 1, policy, call_id="call_2")["output"]

    assert run("delegate", outer, policy, call_id="call_1") == {"status": "ok", "output": 1}
    assert [span.attributes["gen_ai.tool.call.id"] for span in captured.spans] == ["call_2", "call_1"]
