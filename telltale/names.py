"""Every name that the library puts on the wire. OpenTelemetry GenAI semantic conventions first, ours where none exists.

Nothing else in the project spells one of these out.
"""

from __future__ import annotations

from typing import Final

SCOPE: Final = "telltale"
"""Instrumentation scope of the library's own spans and metrics."""

OPERATION_NAME: Final = "gen_ai.operation.name"
"""What a span is about: `execute_tool`, `chat`, `invoke_agent`."""

EXECUTE_TOOL: Final = "execute_tool"
"""Value of `gen_ai.operation.name` on a tool span, whose name is `execute_tool {gen_ai.tool.name}`, kind INTERNAL."""

TOOL_NAME: Final = "gen_ai.tool.name"
"""The tool's name, as the model knows it."""

TOOL_TYPE: Final = "gen_ai.tool.type"
"""`function`, `extension` or `datastore` (GenAI conventions)."""

TOOL_CALL_ID: Final = "gen_ai.tool.call.id"
"""The id that the model gave this call."""

TOOL_ARGUMENTS: Final = "gen_ai.tool.call.arguments"
"""The arguments as the model gave them: JSON text, redacted, capped."""

TOOL_RESULT: Final = "gen_ai.tool.call.result"
"""The raw envelope that the model was given: JSON text, redacted, capped."""

CONVERSATION_ID: Final = "gen_ai.conversation.id"
"""The session that the call belongs to."""

AGENT_NAME: Final = "gen_ai.agent.name"
"""The agent that made the call."""

USER_ID: Final = "user.id"
"""The end user of the session, as the app names them."""

ERROR_TYPE: Final = "error.type"
"""On a failed call: the envelope's code."""

ERROR_CODE: Final = "telltale.error.code"
"""The envelope's code, one of the closed set."""

ERROR_ACTION: Final = "telltale.error.action"
"""The next step that the envelope asks of the agent."""

ERROR_RETRYABLE: Final = "telltale.error.retryable"
"""Whether the envelope allows the agent to call again. Boolean."""

ERROR_FIELD: Final = "telltale.error.field"
"""The argument at fault, where one is known."""

ERROR_REF: Final = "telltale.error.ref"
"""The reference id that the model was told; the log record and the exception event carry the detail."""

RETRY_AFTER_S: Final = "telltale.error.retry_after_s"
"""Seconds until the upstream wants to be asked again. Integer."""

BUDGET_LIMIT: Final = "telltale.budget.limit"
"""Failures in a row after which the agent is told to stop. Integer."""

BUDGET_USED: Final = "telltale.budget.used"
"""Failures in a row so far, this one included. Integer."""

BUDGET_EXHAUSTED: Final = "telltale.budget.exhausted"
"""True on the call whose envelope tells the agent to stop because of the budget."""

DIALECT: Final = "telltale.envelope.dialect"
"""Which shape the envelope has: `envelope` (status, output, error) or `tool_error` (error only)."""

MAPPED_FROM: Final = "telltale.mapped_from"
"""What the mapper saw: `http 503`, `grpc UNAVAILABLE`, `exception KeyError`."""

RETRIES: Final = "telltale.retry.attempts"
"""How often the library itself repeated the call before it answered. Integer, absent when it did not."""

RESULT_TRUNCATED: Final = "telltale.result.truncated"
"""True when the result on the span is only the beginning of what the model was given."""

BREAKER_OPEN: Final = "telltale.breaker.open"
"""True when the circuit breaker answered in the tool's place."""

EXCEPTION_EVENT: Final = "exception"
"""Span event with an exception's detail, for the engineer (OpenTelemetry exception conventions)."""

EXCEPTION_TYPE: Final = "exception.type"
"""Qualified class name of the exception."""

EXCEPTION_MESSAGE: Final = "exception.message"
"""The exception's text, redacted."""

EXCEPTION_STACKTRACE: Final = "exception.stacktrace"
"""The exception's traceback, redacted and capped."""

METRIC_CALLS: Final = "telltale.tool.calls"
"""Counter of tool calls by `gen_ai.tool.name` and, when failed, `error.type`."""

METRIC_DURATION: Final = "telltale.tool.duration"
"""Histogram of tool call durations in seconds, same attributes."""

METRIC_EXHAUSTED: Final = "telltale.tool.budget_exhausted"
"""Counter of calls whose budget was spent, by `gen_ai.tool.name`."""
