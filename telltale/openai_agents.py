"""OpenAI Agents SDK: guarded function tools and MCP servers.

```python
agent = Agent(name="scheduler", tools=[guarded(book_meeting)], mcp_servers=[guarded(MCPServerStdio(...))])
```

What the model gets is the envelope as JSON text, in the place of the SDK's fixed sentence for a failed tool.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, Unpack

from telltale._adapter import PolicyOptions, needs, policy_of
from telltale._call import Policy, Untouched
from telltale._envelope import Envelope
from telltale._identity import Identity, current_identity
from telltale._mapper import Failure
from telltale._run import run, run_async
from telltale.vocabulary import Code

try:
    from agents import FunctionTool, ModelBehaviorError, function_tool  # type: ignore[import-not-found, unused-ignore]
except (ModuleNotFoundError, ImportError) as missing:
    absent = missing if isinstance(missing, ModuleNotFoundError) else ModuleNotFoundError(name="agents")
    raise needs("openai-agents", "openai-agents", absent) from None

_RICH = ("ToolOutputImage", "ToolOutputFileContent")

__all__ = ["guarded"]


def guarded(tool: Any, **options: Unpack[PolicyOptions]) -> Any:
    """Guard whatever the SDK takes as a tool that runs here: a function, a FunctionTool, or an MCP server.

    Hosted tools (web search, code interpreter) run at the model's side and are given back as they are. A
    `failure_error_function` of the tool is not asked any more: the envelope is the answer.

    Args:
        tool: a callable, a FunctionTool, or an MCP server object.
        options: as for `telltale.guard`.
    """
    if isinstance(tool, FunctionTool):
        return _guarded_tool(tool, policy_of(options))
    if hasattr(tool, "call_tool") and hasattr(tool, "list_tools"):
        return _guarded_server(tool, options)
    return _guarded_tool(function_tool(tool), policy_of(options)) if callable(tool) else tool


def _guarded_tool(tool: Any, policy: Policy) -> Any:
    copied = copy.copy(tool)
    invoker = copied.on_invoke_tool
    # The SDK's own invoker turns exceptions into a fixed sentence; what it wraps still raises them.
    plain = getattr(invoker, "_invoke_tool_impl", None)
    if plain is None:
        copied.on_invoke_tool = _around(invoker, copied, policy)
    else:
        copied.on_invoke_tool = _sdk_invoker(invoker, policy)._bound_to(copied)
    if copied.timeout_seconds is not None and copied.timeout_error_function is None:
        copied.timeout_error_function = _timed_out(copied.name, policy)
    return copied


def _sdk_invoker(invoker: Any, policy: Policy) -> Any:
    """A copy of the SDK's invoker that answers in the envelope. It stays an instance of the SDK's class, which the
    SDK asks for when it prepares arguments for an approval.
    """

    async def call(self: Any, ctx: Any, text: str) -> Any:
        tool = self._function_tool

        async def plain(inner_ctx: Any, inner_text: str) -> Any:
            try:
                return await self._invoke_tool_impl(inner_ctx, inner_text)
            except Exception as exc:
                self._on_handled_error(tool, exc, inner_text, inner_ctx)  # the SDK's own trace learns of it
                raise

        return await _around(plain, tool, policy)(ctx, text)

    def bound_to(self: Any, tool: Any) -> Any:
        bound = copy.copy(self)
        bound._function_tool = tool
        return bound

    base = type(invoker)
    body = {"__call__": call, "__agents_bind_function_tool__": bound_to, "_bound_to": bound_to}
    guarded_invoker = copy.copy(invoker)
    guarded_invoker.__class__ = type(f"Guarded{base.__name__}", (base,), body)
    return guarded_invoker


def _around(plain: Callable[[Any, str], Awaitable[Any]], tool: Any, policy: Policy) -> Callable[[Any, str], Any]:
    async def invoke(ctx: Any, text: str) -> Any:
        async def body() -> Any:
            try:
                value = await plain(ctx, text)
            except ModelBehaviorError as exc:
                return _bad_arguments(exc, policy)
            if type(value).__name__ in _RICH or (
                isinstance(value, list) and any(type(v).__name__ in _RICH for v in value)
            ):
                raise Untouched(value)
            return _unpacked(value)

        try:
            envelope = await run_async(
                tool.name,
                body,
                policy,
                _arguments(text),
                call_id=getattr(ctx, "tool_call_id", None),
                identity=_identity(ctx),
            )
        except Untouched as passed:
            return passed.value
        return _text(envelope)

    return invoke


def _bad_arguments(exc: Exception, policy: Policy) -> Failure:
    """The model's arguments were no JSON or did not fit the schema; a cause, where kept, names the field."""
    found = policy.mapper.map(exc)
    if found.code is Code.INVALID_ARGUMENT:
        return found
    return Failure(Code.INVALID_ARGUMENT, "agents arguments")


def _unpacked(value: Any) -> Any:
    """A value as data: a tool that returns JSON text returns what it says."""
    text = getattr(value, "text", None) if type(value).__name__ == "ToolOutputText" else value
    if not isinstance(text, str) or not text.startswith(("{", "[")):
        return text if text is not None else value
    try:
        return json.loads(text)
    except ValueError:
        return text


def _timed_out(name: str, policy: Policy) -> Callable[[Any, Exception], str]:
    """The answer to a tool that the SDK itself cut off after `timeout_seconds`."""

    def answer(ctx: Any, error: Exception) -> str:
        def late() -> None:
            raise TimeoutError from error

        return _text(run(name, late, policy, call_id=getattr(ctx, "tool_call_id", None), identity=_identity(ctx)))

    return answer


def _guarded_server(server: Any, options: PolicyOptions) -> Any:
    """The MCP server, its `call_tool` guarded in place: the SDK keeps no `isError`, the envelope's text says it."""
    from telltale.mcp import GuardedSession

    server.call_tool = GuardedSession(SimpleNamespace(call_tool=server.call_tool), **options).call_tool
    return server


def _identity(ctx: Any) -> Identity:
    """The conversation: the run's `group_id`, and the agent that called."""
    known = current_identity()
    group = getattr(getattr(ctx, "run_config", None), "group_id", None)
    agent = getattr(getattr(ctx, "agent", None), "name", None)
    return Identity(session=group or known.session, agent=agent or known.agent, user=known.user)


def _arguments(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text) if text else {}
    except ValueError:
        return {"input": text}
    return given if isinstance(given, dict) else {"input": given}


def _text(envelope: Envelope) -> str:
    return json.dumps(envelope, ensure_ascii=False, default=str)
