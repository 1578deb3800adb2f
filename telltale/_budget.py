"""The failure budget: after so many passing failures in a row, the model is told to stop.

Only errors that ask for `retry_later` count (rate limits and outages). Success resets, other errors neither count nor
reset. Counting is per session and tool, in whatever store the app has.
"""

from __future__ import annotations

import inspect
import threading
from collections import OrderedDict
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from telltale._envelope import Envelope, append_sentence
from telltale._words import budget_sentence, without_retry_advice
from telltale.vocabulary import Action


@runtime_checkable
class BudgetStore(Protocol):
    """Where failures in a row are counted. Both methods may also be coroutines, for asynchronous tools."""

    def add(self, session: str, tool: str) -> int | Awaitable[int]:
        """Count one failure, atomically; returns the number in a row, this one included."""

    def reset(self, session: str, tool: str) -> Awaitable[None] | None:
        """Forget the failures of a tool in a session."""


class MemoryStore:
    """Counts in this process, for at most `sessions` pairs of session and tool; the longest unused goes first."""

    def __init__(self, sessions: int = 10_000) -> None:
        self._counts: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._cap = sessions
        self._lock = threading.Lock()

    def add(self, session: str, tool: str) -> int:
        """Count one failure; see `BudgetStore.add`."""
        with self._lock:
            count = self._counts.pop((session, tool), 0) + 1
            self._counts[session, tool] = count
            while len(self._counts) > self._cap:
                self._counts.popitem(last=False)
            return count

    def reset(self, session: str, tool: str) -> None:
        """Forget the failures; see `BudgetStore.reset`."""
        if self._counts:
            with self._lock:
                self._counts.pop((session, tool), None)


class MappingStore:
    """Counts inside a mapping that already belongs to one session: a dict, ADK's session state, any framework's state.

    Only `get` and item assignment are used. Keys are `tool_failures:{tool}`, as in the background text.
    """

    def __init__(self, state: Any) -> None:
        self._state = state

    def add(self, session: str, tool: str) -> int:
        """Count one failure; see `BudgetStore.add`. One lock for the process: a mapping has none of its own."""
        key = f"tool_failures:{tool}"
        with _mapping_lock:
            count = int(self._state.get(key) or 0) + 1
            self._state[key] = count
            return count

    def reset(self, session: str, tool: str) -> None:
        """Forget the failures; writes only where something was counted, so that success leaves the state alone."""
        key = f"tool_failures:{tool}"
        with _mapping_lock:
            if self._state.get(key):
                self._state[key] = 0


_mapping_lock = threading.Lock()


class RedisStore:
    """Counts in Redis or Valkey, shared by all processes. Takes a client of redis-py, plain or asyncio.

    Args:
        client: has `incr`, `expire` and `delete`.
        prefix: of every key.
        ttl_s: seconds after the last failure at which a count is forgotten, so that sessions do not pile up.
    """

    def __init__(self, client: Any, prefix: str = "telltale:budget:", ttl_s: int = 86_400) -> None:
        self._client = client
        self._prefix = prefix
        self._ttl_s = ttl_s

    def add(self, session: str, tool: str) -> int | Awaitable[int]:
        """Count one failure (INCR is atomic); see `BudgetStore.add`."""
        key = f"{self._prefix}{session}:{tool}"
        count = self._client.incr(key)
        if inspect.isawaitable(count):
            return self._add_async(key, count)
        self._client.expire(key, self._ttl_s)
        return int(count)

    async def _add_async(self, key: str, count: Awaitable[Any]) -> int:
        number = int(await count)
        await self._client.expire(key, self._ttl_s)
        return number

    def reset(self, session: str, tool: str) -> Awaitable[None] | None:
        """Forget the failures; see `BudgetStore.reset`."""
        done = self._client.delete(f"{self._prefix}{session}:{tool}")
        return _discard(done) if inspect.isawaitable(done) else None


async def _discard(awaitable: Awaitable[Any]) -> None:
    await awaitable


@dataclass(frozen=True, slots=True)
class Spending:
    """What the budget says of one failed call: failures in a row, the limit, and whether that was the last."""

    used: int
    limit: int

    @property
    def exhausted(self) -> bool:
        """Whether the agent has to be told to stop."""
        return self.used >= self.limit


@dataclass(frozen=True, slots=True)
class Budget:
    """How many passing failures in a row a tool may show the model in one session, and where they are counted.

    Two suits remote tools: one retry covers a blip, and a second failure usually means an outage longer than a turn.

    Raises:
        TypeError: the limit is no whole number.
        ValueError: the limit is below 1.
    """

    limit: int = 2
    store: BudgetStore = field(default_factory=MemoryStore)

    def __post_init__(self) -> None:
        if isinstance(self.limit, bool) or not isinstance(self.limit, int):
            raise TypeError("a budget's limit is a whole number, 1 or more")
        if self.limit < 1:
            raise ValueError("a budget's limit is at least 1")

    def settle(self, envelope: Envelope, session: str, tool: str) -> tuple[Envelope, Spending | None]:
        """Count the answer of one call. Returns what the model is to be told, and the spending where one was counted.

        Raises:
            TypeError: the store is asynchronous and the tool is not.
        """
        counted = self._count(envelope, session, tool)
        if inspect.isawaitable(counted):
            if inspect.iscoroutine(counted):
                counted.close()
            raise TypeError("an asynchronous budget store needs an asynchronous tool")
        return self._told(envelope, counted)

    async def settle_async(self, envelope: Envelope, session: str, tool: str) -> tuple[Envelope, Spending | None]:
        """As `settle`, for stores of either kind."""
        counted = self._count(envelope, session, tool)
        return self._told(envelope, await counted if inspect.isawaitable(counted) else counted)

    def _count(self, envelope: Envelope, session: str, tool: str) -> Any:
        body = envelope.get("error")
        if body is None:
            return self.store.reset(session, tool)
        return self.store.add(session, tool) if body.get("action") == Action.RETRY_LATER else None

    def _told(self, envelope: Envelope, count: int | None) -> tuple[Envelope, Spending | None]:
        if not count:
            return envelope, None
        spending = Spending(count, self.limit)
        if not spending.exhausted:
            return envelope, spending
        body = dict(envelope["error"])
        body["message"] = append_sentence(without_retry_advice(body["message"]), budget_sentence(count))
        body["action"] = Action.STOP_AND_TELL_USER.value
        body["retryable"] = False
        body.pop("retry_after_seconds", None)
        return {"status": "error", "error": body}, spending


default_budget = Budget()
"""Two failures, counted in this process: what `guard` uses unless it is given another."""
