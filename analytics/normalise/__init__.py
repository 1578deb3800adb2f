"""Which spans are tool calls, in whose words, and which of them are one and the same call."""

from analytics.normalise.build import normalise
from analytics.normalise.logical_call import LogicalCall, Mark, Meaning

__all__ = ["LogicalCall", "Mark", "Meaning", "normalise"]
