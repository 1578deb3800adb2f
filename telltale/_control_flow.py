"""Exceptions that are no failures: a framework uses them to pause, hand over, retry or end. They pass untouched."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

_SIGNALS = frozenset(
    {
        "langgraph.GraphBubbleUp",
        "langgraph.GraphInterrupt",
        "langgraph.NodeInterrupt",
        "langgraph.ParentCommand",
        "langgraph.GraphDrained",
        "langgraph.NodeCancelledError",
        "pydantic_ai.ModelRetry",
        "pydantic_ai.CallDeferred",
        "pydantic_ai.ApprovalRequired",
        "pydantic_ai.ToolRetryError",
        "pydantic_ai.SkipToolExecution",
        "pydantic_ai.SkipToolValidation",
        "pydantic_ai.SkipModelRequest",
        "pydantic_ai.RetryModelRequest",
        "pydantic_ai.RunCancelled",
        "pydantic_ai.UsageLimitExceeded",
        "agents.InputGuardrailTripwireTriggered",
        "agents.OutputGuardrailTripwireTriggered",
        "agents.ToolInputGuardrailTripwireTriggered",
        "agents.ToolOutputGuardrailTripwireTriggered",
        "agents.MaxTurnsExceeded",
        "google.LlmCallsLimitExceededError",
        "google.NodeInterruptedError",
        "mcp.UrlElicitationRequiredError",
        "crewai.HumanFeedbackPending",
    }
)
"""`package.Class` of the frameworks' signals; classes that extend one of them count too. The framework tests check that
each still exists under its name."""


@lru_cache(maxsize=512)
def _is_signal(kind: type) -> bool:
    return any(f"{base.__module__.partition('.')[0]}.{base.__name__}" in _SIGNALS for base in kind.__mro__)


def is_control_flow(exc: BaseException) -> bool:
    """Whether an exception must pass through a guard: cancellation, exit, and the frameworks' own signals.

    An exception group passes when a member is control flow, as a cancelled task group's does.
    """
    left = [exc]
    while left:
        member = left.pop()
        if not isinstance(member, Exception):
            return True
        if isinstance(member, BaseExceptionGroup):
            left.extend(member.exceptions)
            continue
        kind: Any = type(member)  # mypy takes the class for an unhashable
        if _is_signal(kind):
            return True
    return False
