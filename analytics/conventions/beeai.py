"""The BeeAI framework under OpenInference's instrumentation (scope `openinference.instrumentation.beeai`).

What happens during a run (an error, a retry, a tool's own events) becomes a span below it that bears the run's kind, a
tool's too, and names the run it happened in, last of its many attributes. An agent hands in its answer by a tool,
`final_answer`.
"""

from __future__ import annotations

from analytics.conventions.convention import Convention

BEEAI = Convention(
    name="beeai",
    named=("openinference.instrumentation.beeai",),
    skip=frozenset({"final_answer"}),
    no_call=("metadata.trace.run_id",),
)
