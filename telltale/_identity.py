"""Whose call it is: session, agent, user; given once by the app or by an adapter, carried across threads and tasks."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Identity:
    """Names of the conversation that a tool call belongs to; each may be unknown."""

    session: str | None = None
    agent: str | None = None
    user: str | None = None


_UNKNOWN = Identity()
_current: contextvars.ContextVar[Identity] = contextvars.ContextVar("telltale_identity", default=_UNKNOWN)


def current_identity() -> Identity:
    """The identity in force here; all None outside a `conversation`."""
    return _current.get()


@contextmanager
def conversation(
    session: str | None = None, *, agent: str | None = None, user: str | None = None
) -> Iterator[Identity]:
    """Name the conversation for the tool calls inside: their spans carry it, and their budgets are counted in it.

    What is left out is inherited from the surrounding conversation.
    """
    given = {k: v for k, v in (("session", session), ("agent", agent), ("user", user)) if v is not None}
    identity = replace(_current.get(), **given)
    token = _current.set(identity)
    try:
        yield identity
    finally:
        _current.reset(token)


_call_id: contextvars.ContextVar[str | None] = contextvars.ContextVar("telltale_call_id", default=None)


@contextmanager
def tool_call(call_id: str) -> Iterator[None]:
    """Tell the guarded tool inside which id the model gave this call; its span carries it. For your own agent loop:
    the adapters know it from their framework.
    """
    token = _call_id.set(call_id)
    try:
        yield
    finally:
        _call_id.reset(token)


def take_call_id() -> str | None:
    """The id given by the nearest `tool_call`, once: a tool that the tool itself calls is another call."""
    call_id = _call_id.get()
    if call_id is not None:
        _call_id.set(None)
    return call_id


def carry(fn: Callable[P, R]) -> Callable[P, R]:
    """Bind a function to the present context, for a thread or an executor: spans inside keep their parent, and the
    conversation and the active call are known there. `pool.submit(telltale.carry(work), …)`.
    """
    context = contextvars.copy_context()

    def carried(*args: P.args, **kwargs: P.kwargs) -> R:
        # A copy for each run: one context cannot be entered twice at the same time.
        return context.copy().run(fn, *args, **kwargs)

    return carried
