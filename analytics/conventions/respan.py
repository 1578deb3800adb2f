"""Respan: Traceloop's attributes for the calls, and the conversation and the user under names of its own."""

from __future__ import annotations

from analytics.conventions.convention import Convention

RESPAN = Convention(
    name="respan",
    named=("respan.tracer",),
    session=("respan.threads.thread_identifier",),
    user=("respan.customer_params.customer_identifier",),
    switches={"session": "respan_attributes={'thread_identifier': …, 'customer_params': {…}}"},
)
