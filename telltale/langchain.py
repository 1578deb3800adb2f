"""LangChain and LangGraph: a middleware for `create_agent`, wrappers for `ToolNode`, and guarded tools.

```python
agent = create_agent(model, tools, middleware=[TelltaleMiddleware()])
node = ToolNode(tools, wrap_tool_call=Wrap().call, awrap_tool_call=Wrap().acall)
tool = guarded(search)          # a tool used anywhere else
```

What the model gets is a ToolMessage whose content is the envelope as JSON, with status `error` where it failed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Unpack

from telltale._adapter import PolicyOptions, mcp_answer, needs, policy_of
from telltale._call import Policy, Untouched
from telltale._envelope import Envelope, is_error, read
from telltale._identity import Identity, current_identity
from telltale._mapper import Failure
from telltale._result import failed_text, failure_in
from telltale._run import run, run_async
from telltale.vocabulary import Action, Code

try:
    from langchain_core.messages import ToolMessage  # type: ignore[import-not-found, unused-ignore]
    from langchain_core.tools import BaseTool  # type: ignore[import-not-found, unused-ignore]
except ModuleNotFoundError as missing:
    raise needs("langchain", "langchain", missing) from None

try:
    from langchain.agents.middleware import AgentMiddleware  # type: ignore[import-not-found, unused-ignore]
except ModuleNotFoundError:  # LangGraph alone has ToolNode, and no create_agent
    AgentMiddleware = object

_WRONG_ARGUMENT = re.compile(r" with error:\s+([\w.]{1,80}): (.{0,80})")

__all__ = ["MessagesStore", "TelltaleMiddleware", "Wrap", "guarded"]


class Wrap:
    """`call` and `acall` for `ToolNode(wrap_tool_call=…, awrap_tool_call=…)`: they cover every tool of the node, and
    calls of tools that do not exist.

    Args:
        count_in_state: count the failure budget from the messages in the graph's state, so that it survives with the
            checkpoint, instead of in this process.
        options: as for `telltale.guard`.
    """

    def __init__(self, *, count_in_state: bool = False, **options: Unpack[PolicyOptions]) -> None:
        self._policy = policy_of(options)
        self._count_in_state = count_in_state

    def call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """One tool call of a graph."""
        policy, tool_call, identity = self._policy_for(request), request.tool_call, _identity_of(request.runtime)
        kept: list[Any] = []
        try:
            envelope = run(
                tool_call["name"],
                lambda: _judged(handler(request), kept),
                policy,
                _arguments(tool_call),
                call_id=tool_call.get("id"),
                identity=identity,
            )
        except Untouched as passed:
            return passed.value
        return _message(envelope, tool_call["name"], tool_call.get("id"), kept)

    async def acall(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """As `call`, for graphs that run asynchronously."""
        policy, tool_call, identity = self._policy_for(request), request.tool_call, _identity_of(request.runtime)
        kept: list[Any] = []

        async def body() -> Any:
            return _judged(await handler(request), kept)

        try:
            envelope = await run_async(
                tool_call["name"],
                body,
                policy,
                _arguments(tool_call),
                call_id=tool_call.get("id"),
                identity=identity,
            )
        except Untouched as passed:
            return passed.value
        return _message(envelope, tool_call["name"], tool_call.get("id"), kept)

    def _policy_for(self, request: Any) -> Policy:
        budget = self._policy.budget
        if not self._count_in_state or budget is None:
            return self._policy
        from dataclasses import replace

        return replace(self._policy, budget=replace(budget, store=MessagesStore(request.state)))


class TelltaleMiddleware(AgentMiddleware):  # type: ignore[misc, unused-ignore]
    """For `create_agent(…, middleware=[TelltaleMiddleware()])`: guards every tool of the agent. Put it first, so that
    retries of other middleware stay inside one call.
    """

    def __init__(self, *, count_in_state: bool = False, **options: Unpack[PolicyOptions]) -> None:
        super().__init__()
        self._wrap = Wrap(count_in_state=count_in_state, **options)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """One tool call; see `Wrap.call`."""
        return self._wrap.call(request, handler)

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """One tool call; see `Wrap.acall`."""
        return await self._wrap.acall(request, handler)


class MessagesStore:
    """Failures in a row as the messages of a graph's state show them: nothing of its own to keep or to lose.

    Calls that run in parallel in one step do not see each other's failure.
    """

    def __init__(self, state: Any) -> None:
        self._messages = state.get("messages", []) if isinstance(state, Mapping) else getattr(state, "messages", state)

    def add(self, session: str, tool: str) -> int:
        """One more than the passing failures of the tool since its last success; see `BudgetStore.add`."""
        count = 1
        for message in reversed(list(self._messages or [])):
            if getattr(message, "type", None) != "tool" or getattr(message, "name", None) != tool:
                continue
            envelope = read(_parsed(message.content))
            if envelope is None or not is_error(envelope):
                break
            body = envelope["error"]
            if body["action"] == Action.RETRY_LATER or body["code"] in (Code.UNAVAILABLE, Code.RATE_LIMITED):
                count += 1
        return count

    def reset(self, session: str, tool: str) -> None:
        """Nothing: the success stands in the messages."""


def guarded(tool: Any, **options: Unpack[PolicyOptions]) -> Any:
    """A copy of a LangChain tool (or of a function, made a tool) that answers in the envelope wherever it is used.

    Class, name, description and schema are the tool's own: the copy is an instance of a subclass of its class.

    Args:
        tool: a BaseTool or a callable.
        options: as for `telltale.guard`.
    """
    if not isinstance(tool, BaseTool):
        from langchain_core.tools import tool as as_tool

        tool = as_tool(tool)
    policy, plain = policy_of(options), type(tool)

    def guarded_run(self: Any, tool_input: Any, *args: Any, **kwargs: Any) -> Any:
        kept: list[Any] = []
        call_id, identity = kwargs.get("tool_call_id"), _identity_of(kwargs)
        try:
            envelope = run(
                self.name,
                lambda: _judged(plain.run(self, tool_input, *args, **kwargs), kept),
                policy,
                _arguments({"args": tool_input}),
                call_id=call_id,
                identity=identity,
            )
        except Untouched as passed:
            return passed.value
        return _message(envelope, self.name, call_id, kept) if call_id else envelope

    async def guarded_arun(self: Any, tool_input: Any, *args: Any, **kwargs: Any) -> Any:
        kept: list[Any] = []
        call_id, identity = kwargs.get("tool_call_id"), _identity_of(kwargs)

        async def body() -> Any:
            return _judged(await plain.arun(self, tool_input, *args, **kwargs), kept)

        try:
            envelope = await run_async(
                self.name, body, policy, _arguments({"args": tool_input}), call_id=call_id, identity=identity
            )
        except Untouched as passed:
            return passed.value
        return _message(envelope, self.name, call_id, kept) if call_id else envelope

    copied = tool.model_copy()
    body = {"run": guarded_run, "arun": guarded_arun, "__module__": plain.__module__, "__doc__": plain.__doc__}
    copied.__class__ = type(plain.__name__, (plain,), body)
    return copied


def _judged(result: Any, kept: list[Any]) -> Any:
    """What the library has to know of a tool's answer. Commands and lists of messages are the graph's, not ours."""
    if not isinstance(result, ToolMessage):
        if type(result).__name__ == "Command" or (
            isinstance(result, list) and any(hasattr(item, "tool_call_id") for item in result)
        ):
            raise Untouched(result)
        return result
    kept[:] = [result]
    text = result.content if isinstance(result.content, str) else None
    value = _parsed(result.content)
    if result.status == "error":
        return read(value) or _graph_words(text or "") or failure_in(value) or _failure_of(text, result)
    return value


def _graph_words(text: str) -> Failure | None:
    """LangGraph's own sentences for a call that never reached the tool; None for every other text."""
    if text.startswith("Error: ") and " is not a valid tool" in text:
        return Failure(Code.INVALID_ARGUMENT, "unknown tool", "There is no tool of that name. Use a listed one.")
    if not text.startswith("Error invoking tool '"):
        return None
    found = _WRONG_ARGUMENT.search(text)
    field = found.group(1) if found else None
    said = "is missing" if found and found.group(2).startswith("Field required") else "is not valid"
    message = f"{field or 'An argument'} {said}. Correct it and call again."
    return Failure(Code.INVALID_ARGUMENT, "langgraph arguments", message, field=field)


def _failure_of(text: str | None, result: Any) -> Failure:
    dumped = {"content": result.content if isinstance(result.content, list) else [], "isError": True}
    found = mcp_answer(dumped) if text is None else None
    return found if isinstance(found, Failure) else failed_text(text or "", "tool message")


def _message(envelope: Envelope, name: str, call_id: str | None, kept: list[Any]) -> Any:
    """The ToolMessage for an envelope. A good answer made of content blocks (images) stays as the tool made it."""
    failed = is_error(envelope)
    if kept and not failed and not isinstance(kept[0].content, str):
        return kept[0]
    content = json.dumps(envelope, ensure_ascii=False, default=str)
    status = "error" if failed else "success"
    if kept:
        return kept[0].model_copy(update={"content": content, "status": status})
    return ToolMessage(content=content, name=name, tool_call_id=call_id, status=status)


def _parsed(content: Any) -> Any:
    if not isinstance(content, str) or not content.startswith(("{", "[")):
        return content
    try:
        return json.loads(content)
    except ValueError:
        return content


def _arguments(tool_call: Mapping[str, Any]) -> dict[str, Any]:
    given = tool_call.get("args")
    return dict(given) if isinstance(given, Mapping) else {"input": given}


def _identity_of(source: Any) -> Identity:
    """Session and user from a run's configuration: `thread_id`, else what tracers use as a session."""
    config = source.get("config") if isinstance(source, Mapping) else getattr(source, "config", None)
    config = config or {}
    configurable, metadata = config.get("configurable") or {}, config.get("metadata") or {}
    known = current_identity()
    session = configurable.get("thread_id") or metadata.get("session_id") or metadata.get("thread_id")
    return Identity(
        session=str(session) if session else known.session,
        agent=metadata.get("lc_agent_name") or known.agent,
        user=metadata.get("user_id") or configurable.get("user_id") or known.user,
    )
