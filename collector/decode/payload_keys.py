"""Which attribute keys carry a payload (arguments, results, messages) and so get the larger cap."""

from __future__ import annotations

from functools import lru_cache

from analytics.conventions import ALL

_NAMED = frozenset(
    key
    for convention in ALL
    for key in (
        *convention.arguments,
        *convention.result,
        *convention.messages_in,
        *convention.messages_out,
        *(attribute for _, attribute in (*convention.argument_events, *convention.result_events)),
    )
)
"""Keys that a convention names."""

_PREFIXES = tuple(convention.argument_parts[0] for convention in ALL if convention.argument_parts)
"""What keys begin with where a convention keeps each argument under a key of its own."""

_LAST_SEGMENTS = frozenset(
    {
        "arguments", "args", "body", "content", "contents", "input", "inputs", "input_messages", "messages", "output",
        "outputs", "output_messages", "parameters", "prompt", "completion", "request", "response", "result", "results",
        "structured_content", "text", "value",
    }
)  # fmt: skip
"""Last dotted segment (lower case) of keys that hold payload in flattened or newer spellings of the same conventions:
`llm.input_messages.0.message.content`, `gen_ai.prompt.3.content`."""


@lru_cache(maxsize=4096)
def is_payload_key(key: str) -> bool:
    """Whether a convention keeps a payload under this attribute key. Asked only for texts beyond the small cap."""
    if key in _NAMED or (_PREFIXES and key.startswith(_PREFIXES)):
        return True
    segments = key.lower().split(".")
    while len(segments) > 1 and segments[-1].isdigit():
        segments.pop()
    return segments[-1] in _LAST_SEGMENTS
