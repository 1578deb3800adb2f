"""Pydantic AI: guarded toolsets, so that tools of any origin answer in the envelope.

```python
agent = Agent(model, toolsets=[guarded(FunctionToolset([book_meeting])), guarded(MCPToolset(...))])
agent = Agent(model, toolsets=[guarded([book_meeting, list_meetings])])
```

`ModelRetry`, deferred calls and approvals are Pydantic AI's own control flow and pass through untouched; so does its
check of the arguments, which asks the model to try again before the tool is called.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Unpack

from telltale._adapter import PolicyOptions, needs, policy_of
from telltale._call import Policy
from telltale._identity import Identity, current_identity
from telltale._run import run_async

try:
    from pydantic_ai.toolsets import (  # type: ignore[import-not-found, unused-ignore]
        AbstractToolset,
        FunctionToolset,
        WrapperToolset,
    )
except ModuleNotFoundError as missing:
    raise needs("pydantic-ai", "pydantic-ai", missing) from None

__all__ = ["GuardedToolset", "guarded"]


@dataclass
class GuardedToolset(WrapperToolset):  # type: ignore[misc, unused-ignore]
    """A toolset whose tools answer in the envelope. Definitions, schemas and instructions are the inner toolset's."""

    policy: Policy = field(default_factory=Policy)

    @property
    def id(self) -> Any:
        """The inner toolset's id: durable execution finds it by that."""
        return self.wrapped.id

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        """One tool call. A `ToolReturn` keeps its extra content and metadata; its value becomes the envelope."""
        rich: list[Any] = []

        async def body() -> Any:
            value = await self.wrapped.call_tool(name, tool_args, ctx, tool)
            if type(value).__name__ == "ToolReturn":
                rich[:] = [value]
                return value.return_value
            return value

        envelope = await run_async(
            name,
            body,
            self.policy,
            tool_args,
            call_id=getattr(ctx, "tool_call_id", None),
            identity=_identity(ctx),
        )
        return dataclasses.replace(rich[0], return_value=envelope) if rich else envelope


def guarded(tools: Any, **options: Unpack[PolicyOptions]) -> Any:
    """Guard a toolset, or functions and tools made into one.

    Args:
        tools: an AbstractToolset, a callable or Tool, or several of these.
        options: as for `telltale.guard`.
    """
    if isinstance(tools, GuardedToolset):
        return tools
    if not isinstance(tools, AbstractToolset):
        given: Iterable[Callable[..., Any]] = tools if isinstance(tools, list | tuple) else [tools]
        tools = FunctionToolset(list(given))
    return GuardedToolset(tools, policy=policy_of(options))


def _identity(ctx: Any) -> Identity:
    """The conversation of the run, where this version of Pydantic AI knows one."""
    known = current_identity()
    agent = getattr(getattr(ctx, "agent", None), "name", None)
    session = getattr(ctx, "conversation_id", None)
    return Identity(session=known.session or session, agent=agent or known.agent, user=known.user)
