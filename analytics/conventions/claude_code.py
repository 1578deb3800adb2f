"""Claude Code's own telemetry: `claude_code.tool` spans, the log records beside them, and nothing in either by default.

https://code.claude.com/docs/en/monitoring-usage. `claude_code.tool` is the call with its wait for permission; below it
`claude_code.tool.blocked_on_user` says whether the call was refused, and `claude_code.tool.execution` whether the tool
failed; the event `tool.output` holds what it gave, and the log record `tool_result` what it was given.
"""

from __future__ import annotations

from analytics.conventions.claude_agent_sdk import without_server
from analytics.conventions.convention import Convention, Kind, MarkRule, RecordRule

_SCOPES = ("com.anthropic.claude_code",)
_FAILED = MarkRule("success", failed=("false",))
_CONTENT = "OTEL_LOG_TOOL_CONTENT=1"
_DETAILS = "OTEL_LOG_TOOL_DETAILS=1 and OTEL_LOGS_EXPORTER=otlp"

CLAUDE_CODE = Convention(
    name="claude_code",
    scopes=_SCOPES,
    named=_SCOPES,
    kinds={
        "span.type": {
            "tool": Kind.TOOL,
            "tool.execution": Kind.STEP,
            "tool.blocked_on_user": Kind.STEP,
            "hook": Kind.STEP,
            "llm_request": Kind.MODEL,
            "interaction": Kind.AGENT,
        }
    },
    parts=("claude_code.tool.blocked_on_user", "claude_code.tool.execution"),
    tool=("gen_ai.tool.name", "tool_name"),
    rename=without_server,
    call_id=("gen_ai.tool.call.id", "tool_use_id"),
    result_events=(("tool.output", "output"), ("tool.output", "content")),
    marks=(_FAILED, MarkRule("decision", refused=("reject",))),
    records=(
        RecordRule(
            event="tool_result",
            call_id="tool_use_id",
            arguments="tool_input",
            marks=(_FAILED,),
            message="error",
        ),
    ),
    session=("session.id",),
    switches={
        "arguments": _DETAILS,
        "result": _CONTENT,
        "error text": "OTEL_LOG_TOOL_DETAILS=1",
    },
)
