"""Whose "no" a text is: a person's, who was asked and refused, or a policy's; or no refusal at all.

A call that a person refused did not fail: the tool was never run. The sentences are those that frameworks put in the
tool's place, matched whole, and the one form that the others share: `… (rejected|denied|declined) by the user`.
"""

from __future__ import annotations

import re
from enum import StrEnum

from telltale.payload.words import holds_any

_CAP = 400


class Refusal(StrEnum):
    """Who said no; PENDING is a question that still waits for its answer."""

    PERSON = "person"
    POLICY = "policy"
    PENDING = "pending"


_NO = r"(?:rejected|denied|declined|refused|cancell?ed|disapproved|aborted|stopped|interrupted|not approved)"
_DEED = (
    r"(?:tool|call|use|action|request|operation|command|edit|execution|invocation|change|permission|run|approval|it)"
)
_PERSON = re.compile(
    r"Tool execution was not approved\.?"  # openai-agents 0.24
    r"|The tool call was denied\.?"  # pydantic-ai 2
    r"|This tool call is rejected\.?"  # google-adk 2
    r"|User rejected the tool call for .{1,300}"  # langchain 1, human in the loop
    r"|The user doesn't want to (?:proceed with this tool use|take this action right now)\b.{0,300}"  # claude-code
    rf"|.{{0,160}}\b{_DEED}\b.{{0,60}}\b{_NO} by (?:the |a )?(?:user|human|operator|reviewer)\b.*"
    rf"|(?:Error: )?(?:the )?(?:user|human|operator) (?:has )?{_NO} (?:the |this |that )?.{{0,40}}\b{_DEED}\b.*",
    re.IGNORECASE | re.DOTALL,
)
_POLICY = re.compile(
    r".{0,200}\b(?:denied|blocked|rejected|refused|prevented|forbidden) by (?:\w+ ){0,3}"
    r"(?:policy|policies|guardrails?|sandbox)\b"
    r"|.{0,40}\bpolicy[ -]?(?:denied|blocked|violation)\b",
    re.IGNORECASE | re.DOTALL,
)
_PENDING = re.compile(
    r"This tool call (?:requires|needs) confirmation, please approve or reject\.?",  # google-adk 2
    re.IGNORECASE,
)


_ANCHORS = (
    *("rejected", "denied", "declined", "refused", "cancel", "approve", "aborted", "stopped", "interrupted", "want to"),
    *("policy", "policies", "guardrail", "sandbox"),
)
"""One of these stands in every hit of the three patterns above."""


def refusal_of(text: str) -> Refusal | None:
    """Whose refusal a failing text is; None for every other text and for long ones."""
    if len(text) > _CAP:
        return None
    if not holds_any(text.lower(), _ANCHORS):
        return None
    body = text.strip()
    if _PENDING.fullmatch(body):
        return Refusal.PENDING
    if _PERSON.fullmatch(body):
        return Refusal.PERSON
    return Refusal.POLICY if _POLICY.match(body) else None
