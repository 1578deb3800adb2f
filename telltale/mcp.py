"""MCP: a guarded client session, and a guard for servers of the official SDK; both keep `isError` true.

```python
session = GuardedSession(session)                 # client: every answer of call_tool is compliant
server = guard_server(MCPServer("calendar"))      # server: what tools raise becomes an envelope under isError
```

A success travels as the SDK made it, so that output schemas keep holding; only failures become envelopes.
"""

from __future__ import annotations

import json
from typing import Any, TypeVar, Unpack

from telltale._adapter import PolicyOptions, mcp_answer, needs, policy_of
from telltale._envelope import Envelope, is_error, read
from telltale._mapper import Failure
from telltale._run import run_async

try:
    import mcp as _mcp  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
except ModuleNotFoundError as missing:
    raise needs("mcp", "mcp", missing) from None

S = TypeVar("S")

__all__ = ["GuardedSession", "guard_server"]


def _types() -> Any:
    """The module of protocol types: `mcp_types` of SDK 2, `mcp.types` of SDK 1."""
    from importlib import import_module

    return import_module("mcp.types")


def _call_tool_result(envelope: Envelope) -> Any:
    """A CallToolResult with `isError` true that carries an error envelope as text and as structured content."""
    types = _types()
    content = [types.TextContent(type="text", text=json.dumps(envelope, ensure_ascii=False))]
    return types.CallToolResult.model_validate(
        {"content": content, "structuredContent": envelope, "isError": True}, by_alias=True
    )


class GuardedSession:
    """A client session whose `call_tool` always answers: what fails is an envelope under `isError`, never an exception.

    Everything else is the inner session's own. Works for `mcp.ClientSession` and `mcp.client.Client`.
    """

    def __init__(self, inner: Any, **options: Unpack[PolicyOptions]) -> None:
        self._inner = inner
        self._policy = policy_of(options)

    def __getattr__(self, name: str) -> Any:
        if name in ("_inner", "_policy"):
            raise AttributeError(name)
        return getattr(self._inner, name)

    async def __aenter__(self) -> GuardedSession:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *exc: Any) -> Any:
        return await self._inner.__aexit__(*exc)

    async def call_tool(self, name: str, arguments: dict[str, Any] | None = None, *args: Any, **kwargs: Any) -> Any:
        """Call a tool. Takes and returns what the inner session's method does."""
        results: list[Any] = []

        async def body() -> Any:
            result = await self._inner.call_tool(name, arguments, *args, **kwargs)
            results[:] = [result]
            return _judged(result)

        envelope = await run_async(name, body, self._policy, arguments or {})
        return _call_tool_result(envelope) if is_error(envelope) else results[0]


def _judged(result: Any) -> Any:
    """What the library has to know of a CallToolResult; other results (input required) are output as they are."""
    if not hasattr(result, "model_dump") or not hasattr(result, "content"):
        return result
    dumped: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    found = mcp_answer(dumped)
    return dumped if found is None else found


def guard_server(server: S, **options: Unpack[PolicyOptions]) -> S:
    """Guard every tool of an `MCPServer` (SDK 2) or `FastMCP` of the SDK (1), those added later included.

    No budget is counted unless one is given: a server sees calls, the agent's side sees conversations.

    Args:
        server: changed in place and given back.
        options: as for `telltale.guard`.

    Raises:
        TypeError: the object has no tool manager.
    """
    manager = getattr(server, "_tool_manager", None)
    if manager is None or not hasattr(manager, "call_tool"):
        raise TypeError(f"guard_server takes an MCPServer or the SDK's FastMCP, not {type(server).__name__}")
    options.setdefault("budget", None)
    policy, plain, tool_error = policy_of(options), manager.call_tool, _tool_error()

    async def call_tool(name: str, arguments: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        results: list[Any] = []

        async def body() -> Any:
            result = await plain(name, arguments, *args, **kwargs)
            results[:] = [result]
            return _server_answer(result)

        envelope = await run_async(name, body, policy, arguments)
        if is_error(envelope):
            # Raised, not returned: the SDK then answers isError true and checks no output schema against it.
            raise tool_error(json.dumps(envelope, ensure_ascii=False))
        return results[0]

    manager.call_tool = call_tool
    return server


def _tool_error() -> type[Exception]:
    """The SDK's own error for tools: its text reaches the client as it is."""
    from importlib import import_module

    for module in ("mcp.server.mcpserver.exceptions", "mcp.server.fastmcp.exceptions"):
        try:
            found: type[Exception] = import_module(module).ToolError
        except ModuleNotFoundError:
            continue
        return found
    raise TypeError("this version of mcp has neither MCPServer nor FastMCP")


def _server_answer(result: Any) -> Envelope | Failure | Any:
    """What a tool's converted result says: content blocks, `(blocks, structured)` (SDK 1), a CallToolResult (2)."""
    if hasattr(result, "model_dump") and hasattr(result, "content"):
        return _judged(result)
    structured = result[1] if isinstance(result, tuple) and len(result) == 2 else result
    if isinstance(structured, dict):
        inner = structured.get("result") if structured.keys() == {"result"} else structured
        return read(inner) or structured
    return [getattr(block, "text", None) for block in structured] if isinstance(structured, list) else structured
