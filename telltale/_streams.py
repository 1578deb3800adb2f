"""Guarded generators: items pass as they come; a failure is a last item, an error envelope, instead of an exception."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import suppress
from typing import Any

from telltale._call import Call, Policy
from telltale._envelope import ok
from telltale._identity import Identity

_ITEMS_CAP = 1000
"""Items of a stream that are kept for its span."""


def stream(
    tool: str,
    source: Generator[Any, Any, Any],
    policy: Policy,
    arguments: Mapping[str, Any] | None = None,
    *,
    call_id: str | None = None,
    identity: Identity | None = None,
) -> Generator[Any, Any, Any]:
    """The items of a generator, under one call. What the consumer sends in reaches the generator.

    Raises:
        BaseException: control flow and the policy's fatal exceptions only.
    """
    call = Call(tool, policy, arguments, call_id, identity)
    items: list[Any] = []
    sent: Any = None
    try:
        while True:
            # The span is current only while the tool's own code runs: the consumer's is not part of it.
            call.attach()
            try:
                item = source.send(sent)
            finally:
                call.detach()
            if len(items) < _ITEMS_CAP:
                items.append(item)
            sent = yield item
    except StopIteration as end:
        call.tell_breaker(None)
        call.answer(ok(items), None)
        return end.value
    except BaseException as exc:
        with suppress(Exception):
            source.close()
        if call.passes_through(exc):
            call.abandon(exc)
            raise
        failure = call.judge_exception(exc)
        call.tell_breaker(failure)
        yield call.answer(failure.envelope(), failure)


async def stream_async(
    tool: str,
    source: AsyncGenerator[Any, Any],
    policy: Policy,
    arguments: Mapping[str, Any] | None = None,
    *,
    call_id: str | None = None,
    identity: Identity | None = None,
) -> AsyncGenerator[Any, Any]:
    """As `stream`, for an async generator."""
    call = Call(tool, policy, arguments, call_id, identity)
    items: list[Any] = []
    sent: Any = None
    try:
        while True:
            call.attach()
            try:
                item = await source.asend(sent)
            finally:
                call.detach()
            if len(items) < _ITEMS_CAP:
                items.append(item)
            sent = yield item
    except StopAsyncIteration:
        call.tell_breaker(None)
        await call.answer_async(ok(items), None)
    except BaseException as exc:
        with suppress(Exception):
            await source.aclose()
        if call.passes_through(exc):
            call.abandon(exc)
            raise
        failure = call.judge_exception(exc)
        call.tell_breaker(failure)
        yield await call.answer_async(failure.envelope(), failure)


def failing(exc: Exception) -> Generator[Any, Any, Any]:
    """A stream that could not begin: no item, only the exception."""
    yield from ()
    raise exc


async def failing_async(exc: Exception) -> AsyncGenerator[Any, Any]:
    """As `failing`, for an async generator."""
    nothing: tuple[Any, ...] = ()
    for item in nothing:
        yield item
    raise exc
