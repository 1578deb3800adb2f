"""The account of what was understood: senders, sources, losses with their switch, and spans of unknown words."""

from __future__ import annotations

import json
from pathlib import Path

from analytics.normalise.mapping import mapping, split_loss
from analytics.spans import Span, Trace
from tests.normalise.otlp_json import load

DATA = Path(__file__).parent / "data"


def test_a_sender_without_content_is_told_its_switch() -> None:
    """Haystack with content off: all calls seen, no result captured, its own switch named on every call."""
    [sender] = mapping(load(DATA / "haystack-otel")).senders

    assert (sender.service, sender.convention, sender.calls, sender.captured) == ("meeting-bot", "haystack", 19, 0)
    assert sender.sources["tool"] == {"haystack.tool.name": 19}
    losses = {loss.what: (loss.switch, loss.calls) for loss in sender.losses()}
    assert losses["result"] == ("HAYSTACK_CONTENT_TRACING_ENABLED=true", 19)


def test_the_report_is_plain_data() -> None:
    """It goes out as JSON, with every field's sources."""
    report = json.loads(json.dumps(mapping(load(DATA / "langchain-openinference-handled")).to_dict()))

    assert report["calls"] == 20
    sources = {name: each for sender in report["senders"] for name, each in sender["sources"].items() if each}
    assert sources["session"] == {"session.id": 19} or "session.id" in sources["session"]
    assert "output.value" in json.dumps(report)


def test_words_that_no_convention_knows_are_listed() -> None:
    """A framework that nobody taught the service shows up with its attribute names."""
    span = Span(
        "t", "s", "", "run", 1, 0, 1, attributes={"acme.tool_name": "search", "acme.output": "x"}, scope_name="acme"
    )
    [stranger] = mapping([Trace("default", "t", [span, span])]).strangers

    assert (stranger.scope, stranger.name, stranger.keys, stranger.spans) == ("acme", "run", ["acme.tool_name"], 2)


def test_a_loss_splits_into_what_and_switch() -> None:
    """Lines of `lost` come apart again; without a switch there is none."""
    assert split_loss("result: A=1, B: 2") == ("result", "A=1, B: 2")
    assert split_loss("session") == ("session", None)
