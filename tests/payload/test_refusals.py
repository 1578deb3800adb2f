"""Refusals: whose no a text is."""

from __future__ import annotations

import pytest

from telltale.payload.texts.refusals import Refusal, refusal_of


@pytest.mark.parametrize(
    ("text", "whose"),
    [
        ("Tool execution was not approved.", Refusal.PERSON),
        ("The tool call was denied.", Refusal.PERSON),
        ("This tool call is rejected.", Refusal.PERSON),
        ("Error: Tool call invocation was rejected by user.", Refusal.PERSON),
        ("User rejected the tool call for `send_mail` with id call_7", Refusal.PERSON),
        ("Tool execution denied by user", Refusal.PERSON),
        ("The user declined the request.", Refusal.PERSON),
        ("This tool call requires confirmation, please approve or reject.", Refusal.PENDING),
        ("Write blocked by workspace policy", Refusal.POLICY),
        ("[policy-denied] writing outside the project", Refusal.POLICY),
        ("Permission denied: /etc/app", None),
        ("Error: the card was declined by the bank", None),
        ("The proposal was rejected by the council in 1987.", None),
        ("404 Not Found", None),
        ("x" * 1000 + " call rejected by the user", None),
    ],
)
def test_refusals(text: str, whose: Refusal | None) -> None:
    """Only a person's or a policy's no about the call itself is one."""
    assert refusal_of(text) is whose
