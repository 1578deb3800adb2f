"""The judge: what a tool call came to, by its payload and by the spans around it."""

from __future__ import annotations

from analytics.judge.judge import judge, judge_calls
from analytics.judge.rules import ALL_RULES, explain

__all__ = ["ALL_RULES", "explain", "judge", "judge_calls"]
