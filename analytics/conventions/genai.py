"""OpenTelemetry GenAI semantic conventions, old and new names, as spans and as events.

https://opentelemetry.io/docs/specs/semconv/gen-ai/ (execute_tool spans, gen_ai.* events). Microsoft Agent Framework,
AutoGen and the AI SDK 7 write it as it stands; other frameworks' modules add what they do differently. The Google Gen
AI SDK's instrumentation spreads arguments and result over `code.function.*`. Our own spans use it too, with
`telltale.*` beside it.
"""

from __future__ import annotations

from analytics.conventions.convention import ANY, Convention, Kind, MarkRule, last_word

OPERATIONS = {
    "execute_tool": Kind.TOOL,
    "chat": Kind.MODEL,
    "text_completion": Kind.MODEL,
    "generate_content": Kind.MODEL,
    "embeddings": Kind.MODEL,
    "response": Kind.MODEL,
    "invoke_agent": Kind.AGENT,
    "create_agent": Kind.AGENT,
    "invoke_workflow": Kind.AGENT,
}

CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_AND_EVENT"

GENAI = Convention(
    name="genai",
    kinds={"gen_ai.operation.name": OPERATIONS, "gen_ai.tool.name": {ANY: Kind.TOOL}},
    tool=("gen_ai.tool.name",),
    tool_of=last_word,
    call_id=("gen_ai.tool.call.id",),
    # The last of these are Pydantic AI's of format 2, which other instrumentations copied beside the tool's name.
    arguments=("gen_ai.tool.call.arguments", "gen_ai.tool.arguments", "gen_ai.tool.args", "tool_arguments"),
    argument_parts=("code.function.parameters.", ".value"),
    result=(
        *("gen_ai.tool.call.result", "gen_ai.tool.result", "gen_ai.tool.output", "code.function.return.value"),
        "tool_response",
    ),
    argument_events=(("gen_ai.tool.message", "content"), ("gen_ai.tool.call", "gen_ai.tool.call.arguments")),
    result_events=(
        ("gen_ai.choice", "message"),
        ("gen_ai.tool.result", "gen_ai.tool.call.result"),
        ("gen_ai.tool.message.result", "content"),
    ),
    marks=(
        MarkRule("gen_ai.tool.status", failed=("error",)),
        MarkRule("gen_ai.task.status", failed=("failure", "error")),
    ),
    session=("gen_ai.conversation.id", "gen_ai.thread.id"),
    agent=("gen_ai.agent.name", "gen_ai.workflow.name"),
    model=("gen_ai.response.model", "gen_ai.request.model"),
    messages_in=("gen_ai.input.messages", "gen_ai.prompt"),
    messages_out=("gen_ai.output.messages", "gen_ai.completion"),
    switches={
        "arguments": CAPTURE,
        "result": CAPTURE,
        "session": "set gen_ai.conversation.id on the run (or session.id through your framework's trace attributes)",
    },
)

AUTOGEN = Convention(
    name="autogen",
    named=("autogen-core", "autogen-agentchat"),
    switches={
        "arguments": "AutoGen records none: wrap the tool with telltale.guard",
        "result": "AutoGen records none: wrap the tool with telltale.guard",
        "session": "AutoGen records none: set session.id with a span processor",
    },
)

AGENT_FRAMEWORK = Convention(
    name="agent_framework",
    named=("agent_framework",),
    switches={
        "arguments": "ENABLE_SENSITIVE_DATA=true",
        "result": "ENABLE_SENSITIVE_DATA=true",
        "error text": "ENABLE_SENSITIVE_DATA=true",
    },
)

OPENAI_AGENTS_CONTRIB = Convention(
    name="openai_agents",
    named=("opentelemetry.instrumentation.openai_agents",),
    switches={"session": "the instrumentation drops group_id: set session.id with a span processor"},
)

TELLTALE = Convention(
    name="telltale",
    named=("telltale",),
    switches={
        "arguments": "capture_content must be on; as a context manager: guard(tool, arguments={...})",
        "result": "capture_content must be on (telltale.configure or TELLTALE_CAPTURE_CONTENT)",
        "session": 'with telltale.conversation("…"): around the agent\'s turn',
        "user": 'with telltale.conversation("…", user="…"): around the agent\'s turn',
    },
)
