"""FastMCP servers: a middleware that turns what tools raise into envelopes and keeps `isError` true.

```python
mcp = FastMCP("calendar", middleware=[TelltaleMiddleware()])
```

A success travels as FastMCP made it, so that output schemas keep holding; only failures become envelopes.
"""

from __future__ import annotations

from typing import Any, Unpack

from telltale._adapter import PolicyOptions, needs, policy_of, text_of
from telltale._envelope import is_error, read
from telltale._run import run_async

try:
    from fastmcp.server.middleware import Middleware  # type: ignore[import-not-found, unused-ignore]
    from fastmcp.tools import ToolResult  # type: ignore[import-not-found, unused-ignore]
except ModuleNotFoundError as missing:
    raise needs("fastmcp", "fastmcp", missing) from None

__all__ = ["TelltaleMiddleware"]


class TelltaleMiddleware(Middleware):  # type: ignore[misc, unused-ignore]
    """Guards every tool of a FastMCP server. Put it last, next to the tools, so that others see its answers.

    No budget is counted unless one is given: a server sees calls, the agent's side sees conversations.
    """

    def __init__(self, **options: Unpack[PolicyOptions]) -> None:
        options.setdefault("budget", None)
        self._policy = policy_of(options)

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        """One tool call: the tool's own result, or an envelope under `isError`."""
        results: list[Any] = []

        async def body() -> Any:
            result = await call_next(context)
            results[:] = [result]
            return _answer(result)

        name, arguments = context.message.name, context.message.arguments or {}
        envelope = await run_async(name, body, self._policy, arguments)
        if is_error(envelope):
            return ToolResult(content=_text(envelope), structured_content=envelope, is_error=True)
        return results[0]


def _text(envelope: dict[str, Any]) -> str:
    import json

    return json.dumps(envelope, ensure_ascii=False)


def _answer(result: Any) -> Any:
    """What a ToolResult says: the envelope that a guarded function returned, a failure, or the value."""
    from telltale._adapter import mcp_answer

    structured = getattr(result, "structured_content", None)
    inner = structured.get("result") if isinstance(structured, dict) and structured.keys() == {"result"} else structured
    spoken = read(inner)
    if spoken is not None:
        return spoken
    blocks = list(getattr(result, "content", None) or [])
    dumped = {
        "content": [{"type": "text", "text": text_of(blocks)}] if blocks else [],
        "structuredContent": structured,
        "isError": bool(getattr(result, "is_error", False)),
    }
    found = mcp_answer(dumped)
    return result if found is None else found
