"""The player turns a recording into live traffic without changing its story."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

from collector.demo.player import LONGEST_GAP_NS, Clock, play, recorded, schedule

TRACE, ROOT, CHILD = "a" * 32, "b" * 16, "c" * 16
SECOND = 1_000_000_000


def _span(span_id: str, parent: str, start: int, end: int) -> dict[str, Any]:
    return {
        "traceId": TRACE,
        "spanId": span_id,
        "parentSpanId": parent,
        "name": "execute_tool x",
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(end),
        "attributes": [{"key": "session.id", "value": {"stringValue": "s1"}}],
        "events": [{"name": "e", "timeUnixNano": str(end)}],
    }


def _file(folder: Path) -> Path:
    spans = [_span(ROOT, "", 0, 2 * SECOND), _span(CHILD, ROOT, SECOND, 2 * SECOND)]
    body = {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "t"}, "spans": spans}]}]}
    path = folder / "one.jsonl"
    path.write_text(json.dumps(body) + "\n")
    return path


def test_long_silences_are_cut_and_short_ones_kept() -> None:
    """A pause of a day is played as the longest gap; a tenth of a second stays one."""
    clock = Clock([0, SECOND // 10, 86_400 * SECOND], speed=1.0)

    assert clock.offset(SECOND // 10) == SECOND // 10
    assert clock.offset(86_400 * SECOND) == SECOND // 10 + LONGEST_GAP_NS


def test_rounds_have_new_ids_and_the_same_tree(tmp_path: Path) -> None:
    """Each round renames traces, spans and sessions alike, so that parents are still found."""
    spans = recorded(_file(tmp_path))

    first = [item.span for _, item in schedule(spans, "1", 1.0)]
    second = [item.span for _, item in schedule(spans, "2", 1.0)]

    by_parent = {s["parentSpanId"]: s["spanId"] for s in first}
    assert by_parent[""] in by_parent
    assert {s["traceId"] for s in first}.isdisjoint({s["traceId"] for s in second})
    assert first[0]["attributes"][0]["value"]["stringValue"] == "s1-1"


def test_played_spans_ended_when_they_were_sent(tmp_path: Path) -> None:
    """No span is sent before its end, and its times lie in the minutes of the play."""
    _file(tmp_path)
    stop, sent = threading.Event(), []
    before = time.time_ns()

    def send(body: dict[str, Any]) -> None:
        now = time.time_ns()
        for group in body["resourceSpans"]:
            sent.extend((now, s) for scoped in group["scopeSpans"] for s in scoped["spans"])
        if len(sent) == 2:
            stop.set()

    for _ in play(tmp_path, send, stop, speed=4.0):
        pass

    assert len(sent) == 2
    for now, span in sent:
        assert before <= int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) <= now
        assert before <= int(span["events"][0]["timeUnixNano"]) <= now


def test_an_empty_folder_ends_at_once(tmp_path: Path) -> None:
    """Without recordings there is nothing to play and no endless round."""
    assert list(play(tmp_path, lambda body: None, threading.Event())) == []
