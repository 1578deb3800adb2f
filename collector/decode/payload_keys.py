"""Which attribute keys carry a payload (arguments, results, messages) and so get the larger cap."""

from __future__ import annotations

from functools import lru_cache

_LAST_SEGMENTS = frozenset(
    {
        "arguments", "args", "body", "content", "contents", "input", "inputs", "input_messages", "instructions",
        "all_messages", "llm_request", "llm_response", "messages", "output", "outputs", "output_messages", "parameters",
        "prompt", "completion", "raw_output", "request", "response", "responses", "result", "results", "stacktrace",
        "structured_content", "system_instructions", "text", "tool_arguments", "tool_call_args", "tool_response",
        "toolcalls", "toolresults", "value",
    }
)  # fmt: skip
"""Last dotted segment (lower case) of the payload keys of the conventions: `gen_ai.tool.call.result`, `output.value`,
`llm.input_messages.0.message.content`, `traceloop.entity.output`, `gcp.vertex.agent.tool_response`, ..."""


@lru_cache(maxsize=4096)
def is_payload_key(key: str) -> bool:
    """Whether a convention keeps a payload under this attribute key. Asked only for texts beyond the small cap."""
    segments = key.lower().split(".")
    while len(segments) > 1 and segments[-1].isdigit():
        segments.pop()
    return segments[-1] in _LAST_SEGMENTS
