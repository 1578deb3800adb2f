"""Spring AI (Micrometer observations): `spring.ai.kind=tool_call`."""

from __future__ import annotations

from analytics.conventions.convention import ANY, Convention, Kind

_ON = "spring.ai.tools.observations.include-content=true"

SPRING_AI = Convention(
    name="spring_ai",
    kinds={
        "spring.ai.kind": {"tool_call": Kind.TOOL, "chat_client": Kind.AGENT, "advisor": Kind.STEP},
        "spring.ai.tool.definition.name": {ANY: Kind.TOOL},
    },
    tool=("spring.ai.tool.definition.name",),
    arguments=("spring.ai.tool.call.arguments",),
    result=("spring.ai.tool.call.result",),
    session=("spring.ai.chat.client.conversation.id",),
    switches={
        "arguments": _ON,
        "result": _ON,
        "session": "a chat memory advisor with a conversation id",
    },
)
