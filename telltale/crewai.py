"""CrewAI: guarded tools, for native function calling and for the ReAct protocol.

```python
agent = Agent(role="scheduler", tools=[guarded(book_meeting_tool)], …)
```

What the model gets is the envelope as JSON text. CrewAI also learns of the failure (`ToolFailure`, where this version
has it), and a failed answer is never kept in its tool cache: a repeated call is really made.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Unpack

from telltale._adapter import PolicyOptions, needs, policy_of
from telltale._call import Policy
from telltale._envelope import Envelope, is_error
from telltale._mapper import Failure
from telltale._result import failed_text
from telltale._run import run, run_async

try:
    from crewai.tools import BaseTool  # type: ignore[import-not-found, unused-ignore]
    from crewai.tools import tool as as_tool  # type: ignore[import-not-found, unused-ignore]
except ModuleNotFoundError as missing:
    raise needs("crewai", "crewai", missing) from None

try:
    from crewai.tools.tool_failure import ToolFailure  # type: ignore[import-not-found, unused-ignore]
except ModuleNotFoundError:  # before 1.16 a failure is only text
    ToolFailure = None

__all__ = ["guarded"]


class _Answer(dict[str, Any]):
    """An envelope that reads as JSON where CrewAI writes `str(result)` into the conversation."""

    def __str__(self) -> str:
        return json.dumps(self, ensure_ascii=False, default=str)


def guarded(tool: Any, **options: Unpack[PolicyOptions]) -> Any:
    """A copy of a CrewAI tool (or of a function, made a tool) that answers in the envelope.

    Class, name, description and argument schema are the tool's own: the copy is an instance of a subclass of its class.

    Args:
        tool: a BaseTool or a callable.
        options: as for `telltale.guard`.
    """
    if not isinstance(tool, BaseTool):
        tool = as_tool(tool)
    copied = tool.model_copy()
    copied.__class__ = _guarded_class(type(tool), policy_of(options))
    plain_cache: Callable[..., bool] = tool.cache_function
    copied.cache_function = lambda arguments, result: not _failed(result) and plain_cache(arguments, result)
    return copied


def _guarded_class(plain: Any, policy: Policy) -> type:
    def guarded_run(self: Any, *args: Any, **kwargs: Any) -> Any:
        return _told(run(self.name, lambda: _judged(plain.run(self, *args, **kwargs)), policy, kwargs))

    async def guarded_arun(self: Any, *args: Any, **kwargs: Any) -> Any:
        async def body() -> Any:
            return _judged(await plain.arun(self, *args, **kwargs))

        return _told(await run_async(self.name, body, policy, kwargs))

    def format_output_for_agent(self: Any, raw_result: Any) -> str:
        if isinstance(raw_result, _Answer):
            return str(raw_result)
        return str(plain.format_output_for_agent(self, raw_result))

    def to_structured_tool(self: Any) -> Any:
        structured = plain.to_structured_tool(self)
        structured.__class__ = _guarded_structured(type(structured), policy)
        return structured

    body = {
        "run": guarded_run,
        "arun": guarded_arun,
        "to_structured_tool": to_structured_tool,
        "__module__": plain.__module__,
        "__doc__": plain.__doc__,
    }
    if hasattr(plain, "format_output_for_agent"):
        body["format_output_for_agent"] = format_output_for_agent
    return type(plain.__name__, (plain,), body)


def _guarded_structured(plain: Any, policy: Policy) -> type:
    """The form in which ReAct agents call a tool: it reads the arguments itself, and its faults are ours to answer."""

    def invoke(self: Any, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002 - CrewAI's name
        return _told(
            run(self.name, lambda: _judged(plain.invoke(self, input, config, **kwargs)), policy, _arguments(input))
        )

    async def ainvoke(self: Any, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002
        async def body() -> Any:
            return _judged(await plain.ainvoke(self, input, config, **kwargs))

        return _told(await run_async(self.name, body, policy, _arguments(input)))

    body = {"invoke": invoke, "ainvoke": ainvoke, "__module__": plain.__module__, "__doc__": plain.__doc__}
    return type(plain.__name__, (plain,), body)


def _judged(value: Any) -> Any:
    """A tool's value, with a `ToolFailure` that it declared itself read as the failure that it is."""
    if ToolFailure is None or not isinstance(value, ToolFailure):
        return value
    failure: Failure = failed_text(value.message, f"crewai {value.reason.value}")
    return failure


def _told(envelope: Envelope) -> Any:
    """What CrewAI is given: an envelope that reads as JSON; as a ToolFailure where it failed and CrewAI knows those."""
    answer = _Answer(envelope)
    if ToolFailure is None or not is_error(envelope):
        return answer
    body = envelope["error"]
    return ToolFailure(message=str(answer), retryable=body["retryable"], details={"code": body["code"]})


def _failed(result: Any) -> bool:
    return (ToolFailure is not None and isinstance(result, ToolFailure)) or (
        isinstance(result, dict) and is_error(result)
    )


def _arguments(given: Any) -> dict[str, Any]:
    return dict(given) if isinstance(given, dict) else {"input": given}
