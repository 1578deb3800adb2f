"""Google ADK: guarded tools and toolsets that delegate everything, and a plugin as the loud backstop.

```python
from telltale.adk import TelltalePlugin, guarded

agent = LlmAgent(name="scheduler", tools=[guarded(book_meeting), guarded(McpToolset(...))], …)
runner = Runner(app=App(name="meetings", root_agent=agent, plugins=[TelltalePlugin()]), …)
```
"""

from __future__ import annotations

import copy
import inspect
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Unpack

from telltale._adapter import PolicyOptions, mcp_answer, needs, policy_of
from telltale._budget import Budget, MappingStore, default_budget
from telltale._call import Call, Policy, Untouched
from telltale._envelope import Envelope, is_error
from telltale._identity import Identity
from telltale._mapper import Failure
from telltale._result import code_of_text
from telltale._run import run_async
from telltale._streams import stream_async
from telltale.vocabulary import Code, code_of_http

try:
    from google.adk.plugins.base_plugin import BasePlugin  # type: ignore[import-not-found, import-untyped, unused-ignore]
    from google.adk.tools.base_tool import BaseTool  # type: ignore[import-not-found, import-untyped, unused-ignore]
    from google.adk.tools.base_toolset import BaseToolset  # type: ignore[import-not-found, import-untyped, unused-ignore]
    from google.adk.tools.function_tool import FunctionTool  # type: ignore[import-not-found, import-untyped, unused-ignore]
except ModuleNotFoundError as missing:
    raise needs("google-adk", "adk", missing) from None

_log = logging.getLogger("telltale")
_MISSING = "failed as the following mandatory input parameters are not present:"
_VALIDATION = "failed due to argument validation errors:"
_REST = re.compile(
    r"Tool \S{1,200} execution failed\. .{0,400}?Execution Error: (?:Status Code: (\d{3}))?(.{0,300})", re.DOTALL
)
_MCP_PREFIXES = ("Unexpected error during MCP tool execution: ", "MCP tool execution failed: ")
_COPIED = ("is_long_running", "custom_metadata", "behavior", "response_scheduling", "_defers_response")

__all__ = ["GuardedTool", "GuardedToolset", "TelltalePlugin", "guarded"]


def _in_session(policy: Policy, tool_context: Any) -> Policy:
    """The same policy, counting in the session state of this call where the default store was left and there is one."""
    budget, state = policy.budget, getattr(tool_context, "state", None)
    if budget is None or budget.store is not default_budget.store or state is None:
        return policy
    return replace(policy, budget=Budget(budget.limit, MappingStore(state)))


def _identity(tool_context: Any) -> Identity:
    """Whose call it is, from ADK's context; what a version does not offer stays unknown."""
    session = getattr(tool_context, "session", None)
    return Identity(
        session=getattr(session, "id", None),
        agent=getattr(tool_context, "agent_name", None),
        user=getattr(session, "user_id", None),
    )


class GuardedTool(BaseTool):  # type: ignore[misc, unused-ignore]
    """A tool that you do not own, answering in the envelope. Everything but the answer is the inner tool's own.

    Declaration, long-running flag, request processing, confirmation, authentication, custom metadata, behaviour and
    response scheduling are delegated; attributes that only the inner tool has are reachable through this one.
    """

    def __init__(self, inner: Any, **options: Unpack[PolicyOptions]) -> None:
        super().__init__(name=inner.name, description=inner.description)
        self._inner = inner
        self._policy = policy_of(options)
        for name in _COPIED:
            if hasattr(inner, name):
                setattr(self, name, getattr(inner, name))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_inner":  # asked for by copy() before there is an inner tool
            raise AttributeError(name)
        return getattr(self._inner, name)

    def _get_declaration(self) -> Any:
        return self._inner._get_declaration()

    async def check_require_confirmation(self, args: dict[str, Any], tool_context: Any) -> bool:
        """Whether a person has to approve first; the inner tool decides."""
        return bool(await self._inner.check_require_confirmation(args, tool_context))

    async def process_llm_request(self, *, tool_context: Any, llm_request: Any) -> None:
        """The inner tool's change to the model's request; the call then comes to this tool, not to the inner one."""
        if type(self._inner).process_llm_request is BaseTool.process_llm_request:
            await super().process_llm_request(tool_context=tool_context, llm_request=llm_request)
            return
        stand_in = copy.copy(self._inner)  # a toolset may have given this tool a prefix that the inner one has not
        stand_in.name = self.name
        stand_in._get_declaration = self._get_declaration
        await stand_in.process_llm_request(tool_context=tool_context, llm_request=llm_request)
        for name, tool in llm_request.tools_dict.items():
            if tool is stand_in:
                llm_request.tools_dict[name] = self

    def _detect_error_in_response(self, response: Any) -> str | None:
        """ADK's hook for `error.type` of its own span: the envelope's code."""
        if isinstance(response, Mapping) and is_error(response):
            return str(response["error"].get("code") or Code.INTERNAL)
        return None

    async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> Any:
        """Run the inner tool and answer with an envelope.

        A pending confirmation or authorisation, a long-running tool's empty first answer and a live stream stay what
        they are: they are no results yet.
        """
        policy, identity = _in_session(self._policy, tool_context), _identity(tool_context)
        call_id = getattr(tool_context, "function_call_id", None)

        async def body() -> Any:
            value = await self._inner.run_async(args=args, tool_context=tool_context)
            if self._is_pending(value, tool_context) or inspect.isasyncgen(value):
                raise Untouched(value)
            return _answer(value)

        try:
            return await run_async(self.name, body, policy, args, call_id=call_id, identity=identity)
        except Untouched as passed:
            value = passed.value
        if inspect.isasyncgen(value):
            return stream_async(self.name, value, policy, args, call_id=call_id, identity=identity)
        return value

    def _is_pending(self, value: Any, tool_context: Any) -> bool:
        actions = getattr(tool_context, "actions", None)
        asked = getattr(actions, "requested_auth_configs", None) or getattr(
            actions, "requested_tool_confirmations", None
        )
        return bool(asked) or (not value and bool(self.is_long_running or self._defers_response))


class GuardedToolset(BaseToolset):  # type: ignore[misc, unused-ignore]
    """A toolset whose tools come guarded; filters, prefix, authentication and closing are the inner toolset's own."""

    def __init__(self, inner: Any, **options: Unpack[PolicyOptions]) -> None:
        super().__init__(tool_name_prefix=getattr(inner, "tool_name_prefix", None))
        self._inner = inner
        self._options = options
        self._use_invocation_cache = getattr(inner, "_use_invocation_cache", True)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_inner":
            raise AttributeError(name)
        return getattr(self._inner, name)

    async def get_tools(self, readonly_context: Any = None) -> list[Any]:
        """The inner toolset's tools, each guarded."""
        return [guarded(tool, **self._options) for tool in await self._inner.get_tools(readonly_context)]

    async def close(self) -> None:
        """Close the inner toolset."""
        await self._inner.close()

    async def process_llm_request(self, *, tool_context: Any, llm_request: Any) -> None:
        """The inner toolset's change to the model's request."""
        await self._inner.process_llm_request(tool_context=tool_context, llm_request=llm_request)

    def get_auth_config(self) -> Any:
        """The inner toolset's authentication."""
        return self._inner.get_auth_config()


def guarded(tool: Any, **options: Unpack[PolicyOptions]) -> Any:
    """Guard whatever ADK takes as a tool: a function, a tool, or a toolset.

    A tool that runs inside the model (`google_search` and its kin) has nothing to guard and is given back as it is.

    Args:
        tool: a callable, a BaseTool or a BaseToolset.
        options: as for `telltale.guard`.
    """
    if isinstance(tool, GuardedTool | GuardedToolset):
        return tool
    if isinstance(tool, BaseToolset):
        return GuardedToolset(tool, **options)
    if isinstance(tool, BaseTool):
        return tool if type(tool).run_async is BaseTool.run_async else GuardedTool(tool, **options)
    function: Callable[..., Any] = tool
    return GuardedTool(FunctionTool(function), **options)


class TelltalePlugin(BasePlugin):  # type: ignore[misc, unused-ignore]
    """The backstop: a tool error that reaches it was raised by a tool that nobody guarded. It is logged at error level,
    and the model gets an envelope instead of the run failing.
    """

    def __init__(self, name: str = "telltale", **options: Unpack[PolicyOptions]) -> None:
        super().__init__(name=name)
        self._policy = policy_of(options)

    async def on_tool_error_callback(
        self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any, error: Exception
    ) -> Envelope | None:
        """An envelope for the error, or None for control flow and what the app wants to fail the run."""
        policy = _in_session(self._policy, tool_context)
        call_id = getattr(tool_context, "function_call_id", None)
        call = Call(tool.name, policy, tool_args, call_id, _identity(tool_context))
        if call.passes_through(error):
            call.abandon(error)
            return None
        unknown = type(tool) is BaseTool
        if unknown:
            failure = Failure(Code.INVALID_ARGUMENT, "unknown tool", "There is no tool of that name. Use a listed one.")
        else:
            _log.error("tool %s is not guarded: its error reached the plugin", tool.name)
            failure = call.judge_exception(error)
        return await call.answer_async(failure.envelope(), failure)


def _answer(value: Any) -> Any:
    """A tool's value with ADK's own words for a failure read: MCP results, missing arguments, masked MCP errors."""
    if type(value).__name__ == "FunctionResponse" and hasattr(value, "response"):
        return value.response
    if not isinstance(value, Mapping):
        return value
    text = value.get("error") if len(value) == 1 else None
    found = _adk_words(text) if isinstance(text, str) else mcp_answer(value)
    return value if found is None else found


def _adk_words(text: str) -> Failure | None:
    """What ADK's own sentences in the place of a result mean; None for a tool's own words."""
    if text.startswith("Invoking `") and _MISSING in text:
        names = text.partition(_MISSING)[2].split()
        field = names[0] if names else None
        return Failure(
            Code.INVALID_ARGUMENT, "adk arguments", f"{field} is missing. Give it and call again.", field=field
        )
    if text.startswith("Invoking `") and _VALIDATION in text:
        field = text.partition("Parameter '")[2].partition("'")[0] or None
        return Failure(
            Code.INVALID_ARGUMENT,
            "adk arguments",
            f"{field or 'An argument'} is of the wrong type. Correct it and call again.",
            field=field,
        )
    rest = _REST.match(text)
    if rest is not None:
        status = code_of_http(int(rest[1])) if rest[1] else code_of_text(rest[2])
        return Failure(status or Code.INTERNAL, f"http {rest[1]}" if rest[1] else "adk openapi error")
    for prefix in _MCP_PREFIXES:
        if text.startswith(prefix):
            code = code_of_text(text.removeprefix(prefix)) or Code.INTERNAL
            return Failure(code, "adk mcp error")
    return None
