"""Evidence says where it stood; calls whose result never came are not shown as checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import words
from dashboard.evidence import lines_of


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ({"rule": "text.error_mark", "key": "", "value": "Error:"}, "the mark: Error:"),
        ({"rule": "text.masking", "key": "", "value": "lib 0.24"}, "framework and version: lib 0.24"),
        ({"rule": "payload.error_key", "key": "error", "value": {"code": 1}}, 'key error: {"code": 1}'),
        ({"rule": "payload.flag_false", "key": "success", "value": False}, "key success: false"),
        ({"rule": "trace.marked_failed", "mark": "span.status", "value": ""}, "mark span.status: set, no message"),
        ({"rule": "trace.empty", "span_id": "69cd", "value": "http 503"}, "span 69cd: http 503"),
        (
            {"rule": "r", "mark": "event.exception", "value": {"type": "a.ToolError", "message": "No."}},
            "mark event.exception: a.ToolError: No.",
        ),
        (
            {"rule": "r", "mark": "event.exception", "value": {"type": "ValueError", "message": "None"}},
            "mark event.exception: ValueError",
        ),
        (
            {"rule": "r", "mark": "raised from probable", "value": "in 3 sessions"},
            "raised from probable: in 3 sessions",
        ),
    ],
)
def test_each_piece_says_where_it_stood(row: dict[str, Any], line: str) -> None:
    """A key, a mark or a span is named as such; an exception is told by class and message, not as a dictionary."""
    assert lines_of({"evidence": [row]}) == [[row["rule"], f"  – {line}"]]


def test_evidence_stands_below_its_rule() -> None:
    """Each rule once, with its sentence where the answer has it, and all that it rests on."""
    call = {
        "rules": ["b", "a"],
        "rules_explained": [{"rule": "a", "sentence": "What a says."}, {"rule": "b", "sentence": "b"}],
        "evidence": [{"rule": "a", "key": "x", "value": 1}, {"rule": "a", "key": "y", "value": 2}],
    }

    assert lines_of(call) == [["b"], ["a: What a says.", "  – key x: 1", "  – key y: 2"]]


def test_an_ok_without_a_result_was_not_measured(serve: Any, page: Callable[..., AppTest]) -> None:
    """Neither in the list nor in the replay does a call whose result never came bear a green tick; failures keep their
    look."""
    api = serve().api
    unseen = next(call for call in api.calls if call["outcome"] == "ok")
    unseen.update(payload="absent", result=None)

    table = page("calls").dataframe[0].value
    at = page("replay", session=unseen["session_id"], span=unseen["span_id"])

    assert set(table["outcome"]) >= {"○ not measured", "✓ ok"}
    assert "not measured" in "".join(shown.value for shown in at.markdown)
    assert words.look_of({"outcome": "silent_failure", "payload": "absent"}).label == "silent failure"
    assert words.look_of({"outcome": "ok", "payload": "captured"}).label == "ok"
