"""One guarded execution, synchronous or not: try, judge, repeat where the policy says so, answer."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from telltale._call import Arguments, Call, Policy
from telltale._envelope import Envelope
from telltale._identity import Identity


def run(
    tool: str,
    body: Callable[[], Any],
    policy: Policy,
    arguments: Arguments = None,
    *,
    call_id: str | None = None,
    identity: Identity | None = None,
) -> Envelope:
    """Execute a synchronous tool body once (or as often as the policy's retry allows) and answer with an envelope.

    Raises:
        BaseException: control flow and the policy's fatal exceptions only, untouched.
    """
    call = Call(tool, policy, arguments, call_id, identity)
    call.attach()
    try:
        while True:
            failure = call.blocked()
            if failure is not None:
                envelope = failure.envelope()
            else:
                try:
                    envelope, failure = call.judge_value(body())
                except BaseException as exc:
                    if call.passes_through(exc):
                        call.abandon(exc)
                        raise
                    failure = call.judge_exception(exc)
                    envelope = failure.envelope()
            pause = call.pause(failure)
            if pause is None:
                return call.answer(envelope, failure)
            time.sleep(pause)
    finally:
        call.detach()


async def _sleep(seconds: float) -> None:
    import asyncio  # late: 20 ms of import that a synchronous app need not pay

    await asyncio.sleep(seconds)


async def run_async(
    tool: str,
    body: Callable[[], Awaitable[Any]],
    policy: Policy,
    arguments: Arguments = None,
    *,
    call_id: str | None = None,
    identity: Identity | None = None,
) -> Envelope:
    """As `run`, for a coroutine. Cancellation passes through."""
    call = Call(tool, policy, arguments, call_id, identity)
    call.attach()
    try:
        while True:
            failure = call.blocked()
            if failure is not None:
                envelope = failure.envelope()
            else:
                try:
                    envelope, failure = call.judge_value(await body())
                except BaseException as exc:
                    if call.passes_through(exc):
                        call.abandon(exc)
                        raise
                    failure = call.judge_exception(exc)
                    envelope = failure.envelope()
            pause = call.pause(failure)
            if pause is None:
                return await call.answer_async(envelope, failure)
            await _sleep(pause)
    finally:
        call.detach()
