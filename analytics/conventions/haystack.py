"""Haystack's own tracing through OpenTelemetry (any tracer name). No span is ever ERROR; a flag says it."""

from __future__ import annotations

from analytics.conventions.convention import ANY, Convention, Kind, MarkRule

_ON = "HAYSTACK_CONTENT_TRACING_ENABLED=true"

HAYSTACK = Convention(
    name="haystack",
    kinds={
        "haystack.tool.name": {ANY: Kind.TOOL},
        "haystack.agent.max_steps": {ANY: Kind.AGENT},
        "haystack.agent.step": {ANY: Kind.STEP},
        "haystack.agent.step.llm.input": {ANY: Kind.MODEL},
        "haystack.agent.step.llm.output": {ANY: Kind.MODEL},
    },
    tool=("haystack.tool.name",),
    arguments=("haystack.agent.step.tool.input", "haystack.tool.input"),
    result=("haystack.agent.step.tool.output", "haystack.tool.output"),
    marks=(MarkRule("haystack.tool.error", failed=("true",)),),
    agent=("haystack.agent.name",),
    messages_in=("haystack.agent.step.llm.input",),
    messages_out=("haystack.agent.step.llm.output",),
    switches={
        "arguments": _ON,
        "result": _ON,
        "session": "Haystack records none: set session.id with a span processor",
    },
)
