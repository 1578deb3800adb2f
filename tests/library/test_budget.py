"""The failure budget: what counts, where it is kept, what the model is told at the limit."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

import telltale
from telltale import Budget, Code, MappingStore, MemoryStore, RedisStore, ToolError, guard
from telltale._budget import BudgetStore
from telltale._words import without_retry_advice
from telltale.testing import assert_envelope, failing_tool
from telltale.vocabulary import MESSAGE_CAP


def down() -> None:
    """A tool whose service is down."""
    raise ConnectionRefusedError


def actions(tool: Callable[..., dict[str, Any]], calls: int) -> list[str]:
    """What the tool asks for in so many calls."""
    return [(tool().get("error") or {}).get("action", "ok") for _ in range(calls)]


def test_the_second_passing_failure_stops_the_agent() -> None:
    """Default 2: one retry covers a blip; the envelope's message, action and retryable are overridden."""
    tool = guard("book", budget=Budget())(down)

    first, second = tool(), tool()

    assert (first["error"]["action"], first["error"]["retryable"]) == ("retry_later", True)
    assert (second["error"]["action"], second["error"]["retryable"]) == ("stop_and_tell_user", False)
    assert second["error"]["message"].endswith(
        "This tool has failed 2 times in a row; stop calling it in this conversation."
    )
    assert second["error"]["code"] == "UNAVAILABLE"


def test_success_resets_and_the_agent_may_try_again() -> None:
    """Counter 0 after a success, as in the worked example."""
    tool = guard("book", budget=Budget())(failing_tool(TimeoutError, "fine", TimeoutError, TimeoutError, TimeoutError))

    assert actions(tool, 5) == ["retry_later", "ok", "retry_later", "stop_and_tell_user", "stop_and_tell_user"]


def test_other_errors_neither_count_nor_reset() -> None:
    """Bad arguments belong in metrics, not in the budget."""
    tool = guard("book", budget=Budget())(
        failing_tool(TimeoutError, ToolError("INVALID_ARGUMENT"), ToolError("NOT_FOUND"), KeyError, TimeoutError)
    )

    assert actions(tool, 5) == [
        "retry_later",
        "fix_arguments",
        "report_not_found",
        "stop_and_tell_user",
        "stop_and_tell_user",
    ]


def test_rate_limits_count_too() -> None:
    """Both codes that ask for `retry_later` spend the budget."""
    tool = guard("book", budget=Budget())(lambda: telltale.error(Code.RATE_LIMITED, retry_after_seconds=9))

    first, second = tool(), tool()

    assert first["error"]["retry_after_seconds"] == 9
    assert second["error"]["action"] == "stop_and_tell_user"
    assert "retry_after_seconds" not in second["error"]


@pytest.mark.parametrize(
    "fault",
    [
        ConnectionRefusedError(),
        TimeoutError(),
        httpx.ConnectError("x"),
        httpx.ReadTimeout("x"),
        ToolError("UNAVAILABLE"),
        ToolError("RATE_LIMITED"),
        ToolError("UNAVAILABLE", quote="Try once more later."),
    ],
)
def test_at_the_budget_nothing_asks_to_try_again(fault: Exception) -> None:
    """The message of the call before gives the advice; the one that tells to stop does not."""
    tool = guard("book", budget=Budget())(failing_tool(fault, fault))

    first, second = tool()["error"]["message"], tool()["error"]["message"]

    assert "once more" in first
    own, _, quoted = second.partition("Untrusted text")
    assert "once more" not in own
    assert ("once more" in quoted) is bool(quoted)
    assert (quoted or own).endswith("This tool has failed 2 times in a row; stop calling it in this conversation.")


def test_the_advice_of_every_message_is_known() -> None:
    """Whatever sentence of the library asks to call again, the budget takes it out."""
    sources = Path(str(telltale.__file__)).parent
    texts = [*(sources / "_families").glob("*.py"), sources / "_words.py", sources / "_result.py"]
    advice = re.compile(r'[.] ([^."]*once more[^."]*[.])"')
    found = [f"It failed. {said}" for path in texts for said in advice.findall(path.read_text(encoding="utf-8"))]

    assert len(found) >= 5
    assert {without_retry_advice(message) for message in found} == {"It failed."}


def test_an_authors_words_stay_at_the_budget() -> None:
    """Only the library's own sentence goes."""
    tool = guard("book", budget=Budget(1))(failing_tool(ToolError("UNAVAILABLE", "Ask for another room.")))

    assert tool()["error"]["message"].startswith("Ask for another room. This tool has failed once")


def test_the_cap_holds_after_the_sentence() -> None:
    """300 characters stay 300 characters."""
    tool = guard("book", budget=Budget(1))(failing_tool(ToolError("UNAVAILABLE", "word " * 200)))

    message = assert_envelope(tool())["error"]["message"]

    assert len(message) == MESSAGE_CAP
    assert message.endswith("stop calling it in this conversation.")


def test_sessions_and_tools_are_counted_apart() -> None:
    """Another conversation and another tool have budgets of their own."""
    budget = Budget()
    book, search = guard("book", budget=budget)(down), guard("search", budget=budget)(down)

    with telltale.conversation("a"):
        assert actions(book, 1) == ["retry_later"]
        assert actions(search, 1) == ["retry_later"]
    with telltale.conversation("b"):
        assert actions(book, 1) == ["retry_later"]
    with telltale.conversation("a"):
        assert actions(book, 1) == ["stop_and_tell_user"]


def test_without_a_conversation_the_trace_stands_in(captured: Any) -> None:
    """Where no session is known, failures of one trace are counted together."""
    tool = guard("book", budget=Budget())(down)
    tracer = captured.provider.get_tracer("app")

    with tracer.start_as_current_span("one"):
        assert actions(tool, 2) == ["retry_later", "stop_and_tell_user"]
    with tracer.start_as_current_span("two"):
        assert actions(tool, 1) == ["retry_later"]


def test_no_budget_counts_nothing() -> None:
    """None switches it off; a number sets the limit."""
    assert actions(guard("a", budget=None)(down), 4) == ["retry_later"] * 4
    assert actions(guard("b", budget=3)(down), 3) == ["retry_later", "retry_later", "stop_and_tell_user"]


@pytest.mark.parametrize("wrong", [0, -1])
def test_a_limit_below_one_is_refused(wrong: int) -> None:
    """A budget that is spent before the first call is a mistake."""
    with pytest.raises(ValueError, match="at least 1"):
        guard("a", budget=wrong)
    with pytest.raises(TypeError):
        guard("a", budget=True)


def test_counting_is_safe_under_threads() -> None:
    """A hundred failures at once are a hundred."""
    store = MemoryStore()
    state: dict[str, int] = {}

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: store.add("s", "t"), range(200)))
        list(pool.map(lambda _: MappingStore(state).add("s", "t"), range(200)))

    assert store.add("s", "t") == 201
    assert state == {"tool_failures:t": 200}


def test_memory_is_bounded() -> None:
    """The longest unused sessions are forgotten."""
    store = MemoryStore(sessions=3)
    for session in ("a", "b", "a", "c", "d"):
        store.add(session, "t")

    assert store.add("a", "t") == 3
    assert store.add("b", "t") == 1


def test_a_mapping_is_left_alone_by_success() -> None:
    """A framework's state is not written to when there is nothing to write."""
    state: dict[str, int] = {}
    tool = guard("book", budget=Budget(store=MappingStore(state)))(failing_tool("ok", TimeoutError, "ok"))

    tool()
    assert state == {}
    tool()
    assert state == {"tool_failures:book": 1}
    tool()
    assert state == {"tool_failures:book": 0}


class FakeRedis:
    """The three commands of redis-py that the store uses."""

    def __init__(self) -> None:
        self.data: dict[str, int] = {}
        self.ttl: dict[str, int] = {}

    def incr(self, key: str) -> int:
        """INCR."""
        self.data[key] = self.data.get(key, 0) + 1
        return self.data[key]

    def expire(self, key: str, seconds: int) -> None:
        """EXPIRE."""
        self.ttl[key] = seconds

    def delete(self, key: str) -> None:
        """DEL."""
        self.data.pop(key, None)


class FakeAsyncRedis(FakeRedis):
    """The same as redis.asyncio has them."""

    async def incr(self, key: str) -> int:  # type: ignore[override]
        """INCR."""
        return super().incr(key)

    async def expire(self, key: str, seconds: int) -> None:  # type: ignore[override]
        """EXPIRE."""
        super().expire(key, seconds)

    async def delete(self, key: str) -> None:  # type: ignore[override]
        """DEL."""
        super().delete(key)


def test_redis_keeps_the_count_for_all_processes() -> None:
    """INCR, EXPIRE and DEL under one key a session and tool."""
    redis = FakeRedis()
    tool = guard("book", budget=Budget(store=RedisStore(redis)))(failing_tool(TimeoutError, TimeoutError, "ok"))

    with telltale.conversation("s"):
        assert actions(tool, 2) == ["retry_later", "stop_and_tell_user"]
        assert redis.ttl == {"telltale:budget:s:book": 86_400}
        assert actions(tool, 1) == ["ok"]
    assert redis.data == {}


def test_an_asynchronous_store_serves_asynchronous_tools() -> None:
    """redis.asyncio works behind a coroutine."""
    redis = FakeAsyncRedis()
    inner = failing_tool(TimeoutError, TimeoutError, "ok")

    @guard("book", budget=Budget(store=RedisStore(redis)))
    async def tool() -> Any:
        return inner()

    async def three() -> list[str]:
        return [((await tool()).get("error") or {}).get("action", "ok") for _ in range(3)]

    assert asyncio.run(three()) == ["retry_later", "stop_and_tell_user", "ok"]
    assert redis.data == {}


@pytest.mark.filterwarnings("ignore:coroutine")
def test_an_asynchronous_store_behind_a_plain_function_is_told_off() -> None:
    """It cannot be awaited there; under pytest the fault is loud."""
    tool = guard("book", budget=Budget(store=RedisStore(FakeAsyncRedis())))(down)

    with pytest.raises(TypeError, match="needs an asynchronous tool"):
        tool()


def test_a_store_that_is_down_never_hurts_the_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    """In an app the answer comes through uncounted; at home the fault is raised."""

    class Broken:
        def add(self, session: str, tool: str) -> int:
            raise OSError("redis is down")

        def reset(self, session: str, tool: str) -> None:
            raise OSError("redis is down")

    tool = guard("book", budget=Budget(store=Broken()))(failing_tool(TimeoutError, "fine"))
    monkeypatch.delenv("PYTEST_CURRENT_TEST")

    assert tool()["error"]["action"] == "retry_later"
    assert tool() == {"status": "ok", "output": "fine"}


def test_the_stores_keep_to_the_protocol() -> None:
    """One small protocol, checked at run time too."""
    for store in (MemoryStore(), MappingStore({}), RedisStore(FakeRedis())):
        assert isinstance(store, BudgetStore)
