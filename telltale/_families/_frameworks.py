"""Errors that frameworks give their tool authors: the text is written for the model, so it is kept, cleaned."""

from __future__ import annotations

from telltale._families._names import ancestry
from telltale._mapper import Failure
from telltale._result import code_of_text
from telltale.vocabulary import Code

_AUTHORED = frozenset({"fastmcp.ToolError", "mcp.ToolError", "langchain_core.ToolException", "pydantic_ai.ToolFailed"})
_DENIED = frozenset({"fastmcp.AuthorizationError", "fastmcp.InsufficientScopeError"})
_NO_SUCH_TOOL = "There is no tool of that name. Use one of the listed tools."


def tool_author_errors(exc: BaseException) -> Failure | None:
    """`ToolError` of MCP and FastMCP, LangChain's `ToolException`: raised on purpose, when nothing stands behind them.

    With a cause behind them they are the framework's wrapping of it, and the cause says more.
    """
    names = ancestry(exc)
    text = str(exc)[:2000]
    if text.startswith("Unknown tool:"):
        return Failure(Code.INVALID_ARGUMENT, "unknown tool", _NO_SUCH_TOOL)
    if names & _DENIED:
        return Failure(Code.PERMISSION_DENIED, f"fastmcp {type(exc).__name__}")
    if "fastmcp.ValidationError" in names and exc.__cause__ is None:
        return Failure(Code.INVALID_ARGUMENT, "fastmcp ValidationError")
    if not names & _AUTHORED or exc.__cause__ is not None:
        return None
    return Failure(code_of_text(text) or Code.INTERNAL, f"tool error {type(exc).__name__}", text)
