"""Gemini CLI: spans that are OK whatever happened, with the whole state of a call as JSON under the names of messages.

`tool_call` is the call, `schedule_tool_calls` above it the turn's bookkeeping. The answer lies in parts of the model's
own API, in a tag that marks it as untrusted.
"""

from __future__ import annotations

from analytics.conventions.convention import Convention, Kind, MarkRule

_SCOPES = ("gemini-cli",)

GEMINI_CLI = Convention(
    name="gemini_cli",
    scopes=_SCOPES,
    named=_SCOPES,
    kinds={
        "gen_ai.operation.name": {
            "tool_call": Kind.TOOL,
            "schedule_tool_calls": Kind.STEP,
            "llm_call": Kind.MODEL,
            "agent_call": Kind.AGENT,
            "user_prompt": Kind.STEP,
        }
    },
    call_id=("gen_ai.tool.call_id",),
    arguments=("gen_ai.input.messages#args",),
    result=("gen_ai.output.messages#response",),
    marks=(MarkRule("gen_ai.output.messages#status", failed=("error",), refused=("cancelled",)),),
)
