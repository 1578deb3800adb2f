"""JSON that holds half a surrogate pair, as JSON.stringify and json.dumps write a text cut within an emoji."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from collector.decode.otlp_json import whole_characters
from collector.files.reading import Piece, read
from collector.service import Service
from tests.collector.otlp import traces
from tests.collector.running import JSON, post, stored_span


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("\ud83d", "\ufffd"),
        ("\ude00 and more", "\ufffd and more"),
        ("\ud83d\ud83d\ude00\ude00", "\ufffd\U0001f600\ufffd"),
        ("\U0001f600", "\U0001f600"),
        (r"a path \ud800\n", r"a path \ud800\n"),
        ("\\\ud800", "\\\ufffd"),
    ],
)
def test_only_halves_are_replaced(text: str, whole: str) -> None:
    """Whole pairs stay, and so does a backslash that is followed by the letters ud800."""
    assert json.loads(whole_characters(json.dumps(text).encode())) == whole


@pytest.mark.otlp(69)
def test_a_cut_emoji_costs_no_span(service: Service) -> None:
    """The span with it and the span beside it are stored; keys, names and values alike."""
    ids = ["5b8efff798038103d269b633813fc60c", "5b8efff798038103d269b633813fc60d"]
    spans = [
        {
            "traceId": trace_id,
            "spanId": "eee19b7ec3c1b174",
            "name": name,
            "attributes": [{"key": f"k{name}", "value": {"stringValue": name}}],
        }
        for trace_id, name in zip(ids, ("cut \ud83d", "whole \U0001f600"), strict=True)
    ]
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()
    assert post(service, body, JSON).status_code == 200
    cut, whole = (stored_span(service, trace_id) for trace_id in ids)
    assert (cut.name, cut.attributes) == ("cut \ufffd", {"kcut \ufffd": "cut \ufffd"})
    assert whole.name == "whole \U0001f600"


def test_what_is_no_json_stays_refused(service: Service) -> None:
    """Half a pair excuses nothing else."""
    assert post(service, b'{"resourceSpans":[{"schemaUrl":"\\ud83d"}', JSON).status_code == 400
    assert post(service, traces().SerializeToString(), JSON).status_code == 400


def test_recordings_with_a_cut_emoji_are_read(tmp_path: Path) -> None:
    """A line with half a pair is a request like any other, as a line and as an indented document."""
    document = {"resourceSpans": [{"schemaUrl": "\ud83d"}]}
    for name, text in (
        ("lines", json.dumps(document) + "\n" + json.dumps(document)),
        ("whole", json.dumps(document, indent=1)),
    ):
        path = tmp_path / name
        path.write_text(text)
        with path.open("rb") as stream:
            pieces = list(read(stream, name))
        assert pieces
        assert all(isinstance(piece, Piece) for piece in pieces)
