"""`guard`: one envelope for a function that you own, as a decorator or around a block of code."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Generator, Iterator, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar, overload

from telltale._adapter import policy_of, shown
from telltale._arguments import arguments_error
from telltale._budget import Budget, default_budget
from telltale._call import Call, Policy
from telltale._envelope import Envelope
from telltale._mapper import Mapper, default_mapper
from telltale._resilience import CircuitBreaker, Retry
from telltale._run import run, run_async
from telltale._signature import arguments_of, dress, positional_names
from telltale._streams import failing, failing_async, stream, stream_async

P = ParamSpec("P")
R = TypeVar("R")


GUARD_ATTRIBUTE = "__telltale_guard__"
"""On a guarded function: its tool name and policy, for the contract tests."""

_guarded: weakref.WeakSet[Callable[..., Any]] = weakref.WeakSet()


def guarded_functions() -> list[Callable[..., Any]]:
    """The guarded functions that still live."""
    return list(_guarded)


class Guard:
    """What `guard(…)` gives: call it on a function, or enter it around a block.

    ```python
    with guard("book_meeting", arguments={"date": date}) as call:
        call.output = calendar.book(date)
    return call.envelope
    ```
    """

    def __init__(self, tool: str | None, policy: Policy, arguments: Mapping[str, Any] | None = None) -> None:
        self._tool = tool
        self._policy = policy
        self._arguments = arguments
        self._call: Call | None = None
        self.output: Any = None
        """What the block's call came to; set it inside the block."""
        self._envelope: Envelope | None = None

    @property
    def envelope(self) -> Envelope:
        """The block's answer.

        Raises:
            RuntimeError: the block is not over.
        """
        if self._envelope is None:
            raise RuntimeError("the guarded block has no answer before it is left")
        return self._envelope

    @overload  # from the narrowest form to the widest, as for `guard`
    def __call__(self, fn: Callable[P, AsyncIterator[R]]) -> Callable[P, AsyncGenerator[R | Envelope, None]]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, fn: Callable[P, Iterator[R]]) -> Callable[P, Generator[R | Envelope, None, None]]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, fn: Callable[P, Coroutine[Any, Any, R]]) -> Callable[P, Coroutine[Any, Any, Envelope]]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, fn: Callable[P, R]) -> Callable[P, Envelope]: ...
    def __call__(self, fn: Any) -> Any:
        """The guarded function, with the name, docstring, signature and annotations of the one inside."""
        if isinstance(fn, staticmethod | classmethod):
            return type(fn)(self(fn.__func__))
        if not callable(fn):
            raise TypeError(f"guard takes a function or the tool's name, not {shown(fn)}")
        tool = self._tool or getattr(fn, "__name__", None) or type(fn).__name__
        guarded = _wrapped(fn, tool, self._policy, positional_names(fn))
        dress(guarded, fn)
        setattr(guarded, GUARD_ATTRIBUTE, (tool, self._policy))
        _guarded.add(guarded)
        return guarded

    def __enter__(self) -> Self:
        if self._call is not None:
            raise RuntimeError("a guard is entered once; make a new one for each block")
        if not self._tool:
            raise TypeError("a guarded block needs the tool's name: guard('book_meeting')")
        self._call = Call(self._tool, self._policy, self._arguments)
        self._call.attach()
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> bool:
        call = self._entered()
        try:
            if self._left_by(exc):
                return False
            self._envelope = call.answer(*self._judged(exc))
            return True
        finally:
            call.detach()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> bool:
        call = self._entered()
        try:
            if self._left_by(exc):
                return False
            self._envelope = await call.answer_async(*self._judged(exc))
            return True
        finally:
            call.detach()

    def _entered(self) -> Call:
        if self._call is None:
            raise RuntimeError("the guard was not entered")
        return self._call

    def _left_by(self, exc: BaseException | None) -> bool:
        call = self._entered()
        if exc is None or not call.passes_through(exc):
            return False
        call.abandon(exc)
        return True

    def _judged(self, exc: BaseException | None) -> tuple[Envelope, Any]:
        call = self._entered()
        if exc is None:
            envelope, failure = call.judge_value(self.output)
        else:
            failure = call.judge_exception(exc)
            envelope = failure.envelope()
        call.tell_breaker(failure)  # a block cannot be repeated, only its end be told
        return envelope, failure


@overload  # from the narrowest form to the widest: mypy warns of the overlap that this order resolves
def guard(fn: Callable[P, AsyncIterator[R]], /) -> Callable[P, AsyncGenerator[R | Envelope, None]]: ...  # type: ignore[overload-overlap]
@overload
def guard(fn: Callable[P, Iterator[R]], /) -> Callable[P, Generator[R | Envelope, None, None]]: ...  # type: ignore[overload-overlap]
@overload
def guard(fn: Callable[P, Coroutine[Any, Any, R]], /) -> Callable[P, Coroutine[Any, Any, Envelope]]: ...  # type: ignore[overload-overlap]
@overload
def guard(fn: Callable[P, R], /) -> Callable[P, Envelope]: ...
@overload
def guard(
    tool: str | None = None,
    /,
    *,
    budget: Budget | int | None = ...,
    retry: Retry | None = ...,
    breaker: CircuitBreaker | None = ...,
    mapper: Mapper = ...,
    fatal: type[BaseException] | tuple[type[BaseException], ...] = ...,
    arguments: Mapping[str, Any] | None = ...,
) -> Guard: ...
def guard(
    tool: Any = None,
    /,
    *,
    budget: Budget | int | None = default_budget,
    retry: Retry | None = None,
    breaker: CircuitBreaker | None = None,
    mapper: Mapper = default_mapper,
    fatal: type[BaseException] | tuple[type[BaseException], ...] = (),
    arguments: Mapping[str, Any] | None = None,
) -> Any:
    """Give a tool one envelope: what it returns goes under `output`, what it raises becomes a proper error.

    `@guard`, `@guard(budget=3)`, `@guard("name")`, or `with guard("name") as call:`. Works on functions, coroutines,
    generators, async generators and methods. A generator's items pass as they are; its failure comes as a last item,
    an error envelope. Cancellation and the frameworks' control flow pass through untouched.

    Args:
        tool: the tool's name; the function's own where left out.
        budget: passing failures in a row after which the model is told to stop; None for none.
        retry: repeats inside one call, invisible to the model; only for tools that may run twice.
        breaker: shared by all tools with one dependency.
        mapper: from exceptions to codes; the default one knows the usual libraries.
        fatal: exceptions that shall fail the run instead of reaching the model.
        arguments: of a guarded block, for its span; a function's are taken from the call.

    Raises:
        TypeError: an option does not take a value of this kind, or what is to be guarded cannot be called.
        ValueError: the budget is below 1.
    """
    policy = policy_of({"budget": budget, "retry": retry, "breaker": breaker, "mapper": mapper, "fatal": fatal})
    if not isinstance(arguments, Mapping | None):
        raise TypeError(f"arguments takes a mapping or None, not {shown(arguments)}")
    if tool is None or isinstance(tool, str):
        return Guard(tool, policy, arguments)
    return Guard(None, policy)(tool)


def _called(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """`fn(*args, **kwargs)`; arguments that do not fit are looked into only once the call has failed.

    Raises:
        ArgumentsError: the arguments do not fit, and nothing of the function ran.
    """
    try:
        return fn(*args, **kwargs)
    except TypeError as exc:
        wrong = arguments_error(fn, args, kwargs, exc)
        if wrong is None:
            raise
        raise wrong from exc


async def _awaited(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """As `_called`, for a coroutine: a decorator that is one itself calls the function only when it is awaited."""
    try:
        return await fn(*args, **kwargs)
    except TypeError as exc:
        wrong = arguments_error(fn, args, kwargs, exc)
        if wrong is None:
            raise
        raise wrong from exc


def _wrapped(fn: Callable[..., Any], tool: str, policy: Policy, names: tuple[str, ...]) -> Callable[..., Any]:
    inner = fn if inspect.isroutine(fn) or isinstance(fn, type) else getattr(fn, "__call__", fn)  # noqa: B004
    if inspect.isasyncgenfunction(inner):

        async def guarded_async_stream(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
            try:
                source = _called(fn, args, kwargs)
            except TypeError as exc:
                source = failing_async(exc)
            async with aclosing(stream_async(tool, source, policy, arguments_of(names, args, kwargs))) as out:
                async for item in out:
                    yield item

        return guarded_async_stream
    if inspect.isgeneratorfunction(inner):

        def guarded_stream(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            try:
                source = _called(fn, args, kwargs)
            except TypeError as exc:
                source = failing(exc)
            return (yield from stream(tool, source, policy, arguments_of(names, args, kwargs)))

        return guarded_stream
    if inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(inner):

        async def guarded_async(*args: Any, **kwargs: Any) -> Envelope:
            return await run_async(
                tool, lambda: _awaited(fn, args, kwargs), policy, lambda: arguments_of(names, args, kwargs)
            )

        return guarded_async

    def guarded(*args: Any, **kwargs: Any) -> Envelope:
        return run(tool, lambda: _called(fn, args, kwargs), policy, lambda: arguments_of(names, args, kwargs))

    return guarded
