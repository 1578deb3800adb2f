"""One guarded execution, the same for every way of guarding: span, breaker, repeat, mapping, budget, answer."""

from __future__ import annotations

import contextvars
import inspect
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from opentelemetry import trace

from telltale import _leaks
from telltale._budget import Budget, Spending, default_budget
from telltale._config import get_config
from telltale._control_flow import is_control_flow
from telltale._envelope import Dialect, Envelope, is_error, ok, read, to_dialect
from telltale._faults import contained
from telltale._identity import Identity, current_identity, take_call_id
from telltale._mapper import Failure, Mapper, default_mapper, with_reference
from telltale._resilience import CIRCUIT_OPEN, CircuitBreaker, Retry
from telltale._result import failure_in
from telltale._span import ToolSpan
from telltale.vocabulary import Code

_log = logging.getLogger("telltale")

Arguments = Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None
"""A call's arguments, or how to get them should a span want them."""

_active: contextvars.ContextVar[str | None] = contextvars.ContextVar("telltale_active_tool", default=None)


@dataclass(frozen=True, slots=True)
class Policy:
    """How calls of one tool are treated.

    Args:
        budget: failures in a row; None counts nothing.
        retry: repeats inside the call; None repeats nothing.
        breaker: shared by tools with one dependency; None never opens.
        mapper: from exceptions to codes.
        fatal: exceptions that shall fail the run, such as a misconfigured credential; they pass through.
    """

    budget: Budget | None = default_budget
    retry: Retry | None = None
    breaker: CircuitBreaker | None = None
    mapper: Mapper = field(default=default_mapper)
    fatal: tuple[type[BaseException], ...] = ()


class Untouched(BaseException):
    """Raised by an adapter's body around a value that is no result yet (a pending approval, a stream): it passes."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Call:
    """One execution under way. Opened by `begin`, ended by `answer`, `answer_async` or `abandon`."""

    __slots__ = ("_identity", "_nested", "_policy", "_span", "_token", "repeats", "tool")

    def __init__(self, tool: str, policy: Policy, arguments: Arguments, call_id: str | None, identity: Identity | None):
        self.tool = tool
        self.repeats = 0
        self._policy = policy
        self._span: ToolSpan | None = None
        self._identity = identity or current_identity()
        # A guarded function inside a guarded tool of the same name is one call: the outer one counts and records it.
        self._nested = _active.get() == tool
        self._token: Any = None
        if not self._nested:
            with contained:
                self._span = ToolSpan(tool, arguments, self._identity, call_id or take_call_id())

    @classmethod
    def without_span(cls, tool: str, policy: Policy) -> Call:
        """A call that is only judged: for places that are no tool call themselves."""
        token = _active.set(tool)
        try:
            return cls(tool, policy, None, None, None)
        finally:
            _active.reset(token)

    def attach(self) -> None:
        """Make this call the current one: its span is the parent of what the tool does."""
        if self._nested:
            return
        self._token = _active.set(self.tool)
        if self._span is not None:
            with contained:
                self._span.attach()

    def detach(self) -> None:
        """Undo `attach`."""
        if self._token is None:
            return
        if self._span is not None:
            with contained:
                self._span.detach()
        _active.reset(self._token)
        self._token = None

    def blocked(self) -> Failure | None:
        """The breaker's answer in the tool's place, where it is open."""
        breaker = self._policy.breaker
        return breaker.blocked() if breaker is not None else None

    def passes_through(self, exc: BaseException) -> bool:
        """Whether an exception is none of ours: control flow, or one that the app wants to fail the run."""
        return isinstance(exc, self._policy.fatal) or is_control_flow(exc)

    def abandon(self, exc: BaseException) -> None:
        """End the span of a call that an exception left; the exception goes on."""
        if self._span is not None:
            with contained:
                self._span.abandoned(exc, failed=isinstance(exc, self._policy.fatal))

    def judge_exception(self, exc: BaseException) -> Failure:
        """What an exception means; its detail goes to the log and the span."""
        failure = self._policy.mapper.map(exc)
        if failure.mapped_from != "ToolError" or exc.__cause__ is not None:
            with contained:
                if self._span is not None:
                    self._span.exception(exc)
        if failure.code is Code.INTERNAL:
            _log.error("tool %s failed, ref %s (%s)", self.tool, failure.ref, failure.mapped_from, exc_info=exc)
        else:
            _log.info("tool %s answered %s (%s)", self.tool, failure.code.value, failure.mapped_from)
        return failure

    def judge_value(self, value: object) -> tuple[Envelope, Failure | None]:
        """The envelope of a returned value: itself when it is one, an error when it says so, else output.

        An adapter may hand in a `Failure` that it read off its framework's own words.
        """
        if inspect.isawaitable(value):
            raise TypeError(f"tool {self.tool} returned an awaitable; a tool that is awaited must be declared async")
        with contained:
            envelope = read(value)
            if envelope is not None:
                return envelope, declared_failure(envelope)
            failure = with_reference(value) if isinstance(value, Failure) else failure_in(value)
            if failure is not None:
                _log.warning("tool %s returned an error (%s), ref %s", self.tool, failure.mapped_from, failure.ref)
                return failure.envelope(), failure
        return ok(value), None

    def tell_breaker(self, failure: Failure | None) -> None:
        """Tell the breaker how a try ended, unless the breaker itself was the answer."""
        breaker = self._policy.breaker
        if breaker is not None and (failure is None or failure.mapped_from != CIRCUIT_OPEN):
            breaker.record(failure)

    def pause(self, failure: Failure | None) -> float | None:
        """Seconds before the call is to be repeated; None when its answer stands. Tells the breaker."""
        self.tell_breaker(failure)
        retry = self._policy.retry
        if retry is None or failure is None or failure.mapped_from == CIRCUIT_OPEN:
            return None
        pause = retry.pause(failure, self.repeats)
        if pause is not None:
            self.repeats += 1
        return pause

    def answer(self, envelope: Envelope, failure: Failure | None) -> Envelope:
        """Settle the budget, record the answer and give it out in the configured dialect."""
        spending: Spending | None = None
        if self._policy.budget is not None and not self._nested:
            with contained:
                envelope, spending = self._policy.budget.settle(envelope, self._session(), self.tool)
        return self._give(envelope, failure, spending)

    async def answer_async(self, envelope: Envelope, failure: Failure | None) -> Envelope:
        """As `answer`, for budget stores of either kind."""
        spending: Spending | None = None
        if self._policy.budget is not None and not self._nested:
            with contained:
                envelope, spending = await self._policy.budget.settle_async(envelope, self._session(), self.tool)
        return self._give(envelope, failure, spending)

    def _give(self, envelope: Envelope, failure: Failure | None, spending: Spending | None) -> Envelope:
        config = get_config()
        if config.redact_outputs and not is_error(envelope):
            with contained:
                envelope = {**envelope, "output": _leaks.redact_value(envelope["output"])}
        dialect = Dialect.ENVELOPE if self._nested else config.dialect
        told = to_dialect(envelope, dialect)
        if self._span is not None:
            with contained:
                self._span.answered(told, failure, spending, self.repeats, dialect)
        return told

    def _session(self) -> str:
        """The session that failures are counted in: the conversation's, else the trace's, else the process's."""
        if self._identity.session:
            return self._identity.session
        context = (self._span.span if self._span is not None else trace.get_current_span()).get_span_context()
        return format(context.trace_id, "032x") if context.is_valid else ""


def declared_failure(envelope: Envelope) -> Failure | None:
    """The failure that a tool's own envelope declares."""
    body = envelope.get("error")
    if body is None:
        return None
    return Failure(Code(body["code"]), "envelope", retry_after_seconds=body.get("retry_after_seconds"))


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
