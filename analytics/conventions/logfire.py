"""Pydantic Logfire: its OpenAI Agents integration, and its extras on other spans.

Span names are templates (`Function: {name}`); the values stand under bare names, valid on Logfire's scopes only. Its
default scrubbing may eat the evidence.
"""

from __future__ import annotations

from analytics.conventions.convention import ANY, Convention, Kind, MarkRule

_TEMPLATES = {
    "function: {name}": Kind.TOOL,
    "chat completion with {gen_ai.request.model!r}": Kind.MODEL,
    "responses api with {gen_ai.request.model!r}": Kind.MODEL,
    "responses api": Kind.MODEL,
    "agent run: {name!r}": Kind.AGENT,
    "openai agents trace: {name}": Kind.AGENT,
}
_SCRUBBING = "logfire.configure(scrubbing=False), or a callback that keeps tool results"

LOGFIRE = Convention(
    name="logfire",
    kinds={"logfire.msg_template": _TEMPLATES},
    scopes=("logfire.openai_agents",),
    tool=("name",),
    arguments=("input",),
    result=("output",),
    marks=(MarkRule("error", failed=(ANY,)),),
    session=("group_id",),
    agent=("agent_name",),
    messages_in=("input", "request_data"),
    messages_out=("output",),
    switches={"scrubbed": _SCRUBBING, "session": "trace(…, group_id=…) around the run"},
)
