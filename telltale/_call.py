"""One call of a tool under way, the same for every way of guarding: span, breaker, mapping, budget, answer."""

from __future__ import annotations

import contextvars
import inspect
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from opentelemetry import trace

from telltale import _leaks
from telltale._budget import Budget, Spending, default_budget
from telltale._config import get_config
from telltale._control_flow import is_control_flow
from telltale._envelope import Dialect, Envelope, is_error, ok, read, to_dialect
from telltale._faults import contained, log_with_traceback
from telltale._identity import Identity, current_identity, take_call_id
from telltale._mapper import AUTHORED, Failure, Mapper, default_mapper, with_reference
from telltale._resilience import CIRCUIT_OPEN, CircuitBreaker, Retry
from telltale._result import failure_in
from telltale._span import ToolSpan
from telltale.vocabulary import Code

_log = logging.getLogger("telltale")

Arguments = Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None
"""A call's arguments, or how to get them should a span want them."""

_active: contextvars.ContextVar[Call | None] = contextvars.ContextVar("telltale_active_call", default=None)
_REFERENCE = re.compile(r"\(ref ([0-9a-f]{8})\)")


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
    """One execution under way, ended by `answer`, `answer_async` or `abandon`.

    A guarded function inside a guarded tool of the same name is one and the same call: the outer one has the span and
    counts the budget, the inner one judges, and its exception goes on the outer one's span.
    """

    __slots__ = ("_call_id", "_identity", "_inner", "_outer", "_policy", "_quiet", "_span", "_token", "repeats", "tool")

    def __init__(
        self,
        tool: str,
        policy: Policy,
        arguments: Arguments = None,
        call_id: str | None = None,
        identity: Identity | None = None,
        *,
        quiet: bool = False,
    ) -> None:
        """Open the call, and its span.

        Args:
            tool: its name, as the model knows it.
            policy: how it is treated.
            arguments: of this call, or how to get them.
            call_id: the model's id of the call, where an adapter knows it.
            identity: whose call it is, where an adapter knows it.
            quiet: only judge: no span, no budget; for places that are no tool call themselves.
        """
        self.tool = tool
        self.repeats = 0
        self._policy = policy
        self._span: ToolSpan | None = None
        self._identity = identity or current_identity()
        self._inner: Failure | None = None
        self._token: Any = None
        around = _active.get()
        self._outer = around if around is not None and around._is(tool, call_id) else None
        self._quiet = quiet or self._outer is not None
        self._call_id = call_id
        if not self._quiet:
            self._call_id = call_id or take_call_id()
            with contained:
                within = around._span.span if around is not None and around._span is not None else None
                self._span = ToolSpan(tool, arguments, self._identity, self._call_id, within)

    def _is(self, tool: str, call_id: str | None) -> bool:
        """Whether a tool that is called inside this call is this call again: an agent that is a tool may well call
        itself, under another id.
        """
        return self.tool == tool and (not call_id or not self._call_id or call_id == self._call_id)

    def attach(self) -> None:
        """Make this call the current one: its span is the parent of what the tool does."""
        if self._quiet:
            return
        self._token = _active.set(self)
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
        failure = self._mapped(exc)
        span = self._span
        if self._outer is not None:
            span, self._outer._inner = self._outer._span, failure
        if span is not None and (failure.mapped_from != AUTHORED or exc.__cause__ is not None):
            with contained:
                span.exception(exc)
        if failure.code is Code.INTERNAL:
            said = "tool %s failed, ref %s (%s)"
            log_with_traceback(_log, said, self.tool, failure.ref, failure.mapped_from, exc=exc)
        else:
            _log.info("tool %s answered %s (%s)", self.tool, failure.code.value, failure.mapped_from)
        return failure

    def _mapped(self, exc: BaseException) -> Failure:
        """The mapper's answer; INTERNAL where an app's own mapper fails, or answers what cannot be told."""
        with contained:
            failure = self._policy.mapper.map(exc)
            failure.envelope()
            return failure
        return with_reference(Failure(Code.INTERNAL, f"exception {type(exc).__qualname__}", certain=False))

    def judge_value(self, value: object) -> tuple[Envelope, Failure | None]:
        """The envelope of a returned value: itself when it is one, an error when it says so, else output.

        An adapter may hand in a `Failure` that it read off its framework's own words.
        """
        if _is_awaitable(value):
            raise TypeError(f"tool {self.tool} returned an awaitable; a tool that is awaited must be declared async")
        with contained:
            envelope = read(value)
            if envelope is not None:
                return envelope, (self._inner or declared_failure(envelope)) if is_error(envelope) else None
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
        if self._policy.budget is not None and not self._quiet:
            with contained:
                envelope, spending = self._policy.budget.settle(envelope, self._session(), self.tool)
        return self._give(envelope, failure, spending)

    async def answer_async(self, envelope: Envelope, failure: Failure | None) -> Envelope:
        """As `answer`, for budget stores of either kind."""
        spending: Spending | None = None
        if self._policy.budget is not None and not self._quiet:
            with contained:
                envelope, spending = await self._policy.budget.settle_async(envelope, self._session(), self.tool)
        return self._give(envelope, failure, spending)

    def _give(self, envelope: Envelope, failure: Failure | None, spending: Spending | None) -> Envelope:
        config = get_config()
        if config.redact_outputs and not is_error(envelope):
            with contained:
                envelope = {**envelope, "output": _leaks.redact_value(envelope["output"])}
        dialect = Dialect.ENVELOPE if self._quiet else config.dialect
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


def declared_failure(envelope: Envelope) -> Failure:
    """The failure that a tool's own error envelope declares."""
    body = envelope["error"]
    found = _REFERENCE.search(body["message"])
    after = body.get("retry_after_seconds")
    return Failure(Code(body["code"]), "envelope", retry_after_seconds=after, ref=found[1] if found else None)


def _is_awaitable(value: object) -> bool:
    """Whether a value is to be awaited; an object that does not bear a look at its class (an unbound proxy) is not."""
    try:
        return inspect.isawaitable(value)
    except Exception:
        return False
