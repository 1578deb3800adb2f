"""OpenLIT's instrumentations: GenAI attributes, on scopes of its own (`openlit.instrumentation.*`).

Many of them write a tool span's attributes after the tool has returned: of a call that raised nothing but the span's
name tells (`analytics.normalise.unwritten`).
"""

from __future__ import annotations

from analytics.conventions.convention import Convention

_CONTENT = (
    "openlit.init(capture_message_content=True), and OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT unset or true"
)

OPENLIT = Convention(
    name="openlit",
    named=("openlit.instrumentation.",),
    switches={"arguments": _CONTENT, "result": _CONTENT},
)
