"""The judge: what a tool call came to, by its payload, by the spans around it, and by its session."""

from __future__ import annotations

from analytics.judge.judge import judge, judge_calls
from analytics.judge.recovery import Answer
from analytics.judge.rules import ALL_RULES, explain
from analytics.judge.session import WINDOW_CALLS, WINDOW_NS, Update, add_update, apply_update, judge_session, settled
from analytics.judge.session_call import SessionCall

__all__ = [
    "ALL_RULES",
    "WINDOW_CALLS",
    "WINDOW_NS",
    "Answer",
    "SessionCall",
    "Update",
    "add_update",
    "apply_update",
    "explain",
    "judge",
    "judge_calls",
    "judge_session",
    "settled",
]
