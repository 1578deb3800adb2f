"""Vercel AI SDK 6, and 7 with `LegacyOpenTelemetry` (`ai.*`); SDK 7's own exporter writes GenAI names.

Text results are JSON strings in quotes. The session's name is the app's choice under `ai.telemetry.metadata.*` (6) or
`ai.settings.context.*` (7).
"""

from __future__ import annotations

from analytics.conventions.convention import ANY, Convention, Kind

_ON = "experimental_telemetry: { isEnabled: true, recordInputs: true, recordOutputs: true }"
_OPERATIONS = {
    "ai.toolcall": Kind.TOOL,
    "ai.generatetext": Kind.AGENT,
    "ai.streamtext": Kind.AGENT,
    "ai.generateobject": Kind.AGENT,
    "ai.streamobject": Kind.AGENT,
    "ai.generatetext.dogenerate": Kind.MODEL,
    "ai.streamtext.dostream": Kind.MODEL,
    "ai.generateobject.dogenerate": Kind.MODEL,
    "ai.streamobject.dostream": Kind.MODEL,
    "ai.embed": Kind.MODEL,
    "ai.embed.doembed": Kind.MODEL,
}
_BAGS = ("ai.telemetry.metadata.", "ai.settings.context.")
_SESSIONS = ("sessionId", "session_id", "conversationId", "conversation_id", "threadId", "thread_id", "chatId")

AI_SDK = Convention(
    name="ai_sdk",
    kinds={"ai.operationId": _OPERATIONS, "ai.toolCall.name": {ANY: Kind.TOOL}, "ai.toolCall.id": {ANY: Kind.TOOL}},
    tool=("ai.toolCall.name",),
    call_id=("ai.toolCall.id",),
    arguments=("ai.toolCall.args", "ai.toolCall.input"),
    result=("ai.toolCall.result", "ai.toolCall.output"),
    session=tuple(bag + name for bag in _BAGS for name in _SESSIONS),
    user=tuple(bag + name for bag in _BAGS for name in ("userId", "user_id")),
    agent=("ai.telemetry.functionId",),
    model=("ai.response.model", "ai.model.id"),
    messages_in=("ai.prompt.messages",),
    messages_out=("ai.response.toolCalls",),
    switches={
        "arguments": _ON,
        "result": _ON,
        "session": "experimental_telemetry: { metadata: { sessionId, userId } }; SDK 7: runtimeContext: true",
    },
)

AI_SDK_7 = Convention(
    name="ai_sdk",
    named=("gen_ai",),
    switches={
        "arguments": "recordInputs: true",
        "result": "recordOutputs: true",
        "error text": "recordOutputs: true",
        "session": "new OpenTelemetry({ runtimeContext: true }) with a sessionId in the context",
    },
)
