"""Plays recorded OTLP/JSON files in as live traffic: shifted to now, at a human pace, under new ids each round."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analytics.alerts.wording import count

LONGEST_GAP_NS = 4_000_000_000
"""Silence in a recording longer than this (a user who came back the next day) is played as this long."""

SESSION_KEYS = frozenset(
    {
        "gen_ai.conversation.id",
        "session.id",
        "gcp.vertex.agent.session_id",
        "traceloop.association.properties.session_id",
        "traceloop.association.properties.thread_id",
    }
)
"""Attributes that hold a session id: renamed each round, so that a round is new sessions, not longer ones."""

Json = dict[str, Any]
Send = Callable[[Json], None]


@dataclass(slots=True)
class Recorded:
    """One span of a recording, with the resource and scope that it was sent under."""

    resource: Json
    scope: Json
    span: Json


class Clock:
    """Maps recorded times (ns) to offsets from the start of play (ns), with long silences cut short."""

    def __init__(self, times: Iterable[int], speed: float) -> None:
        self._times = sorted(set(times))
        self._offsets: list[int] = []
        offset, before = 0, self._times[0] if self._times else 0
        for moment in self._times:
            offset += min(moment - before, LONGEST_GAP_NS)
            self._offsets.append(int(offset / speed))
            before = moment

    def offset(self, moment: int) -> int:
        """Nanoseconds from the start of play for one recorded time."""
        return self._offsets[min(bisect_left(self._times, moment), len(self._times) - 1)]


def recorded(path: Path) -> list[Recorded]:
    """All spans of one file of OTLP/JSON requests, one a line."""
    found: list[Recorded] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        for group in json.loads(line).get("resourceSpans", []) if line.strip() else []:
            for scoped in group.get("scopeSpans", []):
                found += [Recorded(group.get("resource", {}), scoped.get("scope", {}), s) for s in scoped["spans"]]
    return found


def schedule(spans: list[Recorded], round_name: str, speed: float) -> list[tuple[int, Recorded]]:
    """Spans of one recording under new ids, each with the offset (ns) at which it is sent: when it ended."""
    times = [int(r.span[key]) for r in spans for key in ("startTimeUnixNano", "endTimeUnixNano")]
    clock = Clock(times, speed)
    due = [(clock.offset(int(r.span["endTimeUnixNano"])), _renamed(r, clock, round_name)) for r in spans]
    return sorted(due, key=lambda pair: pair[0])


def play(folder: Path, send: Send, stop: threading.Event, speed: float = 1.0) -> Iterator[str]:
    """Play every recording of a folder side by side, round after round until `stop` is set.

    Yields a line for each round. What is due together is sent as one request, twice a second at most.
    """
    recordings = [recorded(path) for path in sorted(folder.glob("*.jsonl"))]
    number = 0
    while not stop.is_set() and any(recordings):
        number += 1
        start = time.time_ns()
        round_name = f"{number}-{start // 1_000_000_000:x}"
        due = [item for spans in recordings if spans for item in schedule(spans, round_name, speed)]
        due.sort(key=lambda pair: pair[0])
        yield f"round {number}: {count(len(due), 'span')} of {count(len(recordings), 'recording')}"
        _send_when_due(due, start, send, stop)


def _send_when_due(due: list[tuple[int, Recorded]], start_ns: int, send: Send, stop: threading.Event) -> None:
    position = 0
    while position < len(due) and not stop.wait(0.5):
        passed = time.time_ns() - start_ns
        ready = [item for offset, item in due[position:] if offset <= passed]
        position += len(ready)
        if ready:
            send(request([_started_at(item, start_ns) for item in ready]))


def request(spans: list[Recorded]) -> Json:
    """One ExportTraceServiceRequest (OTLP/JSON) that holds these spans."""
    groups = [{"resource": r.resource, "scopeSpans": [{"scope": r.scope, "spans": [r.span]}]} for r in spans]
    return {"resourceSpans": groups}


def _renamed(item: Recorded, clock: Clock, round_name: str) -> Recorded:
    span = dict(item.span)
    for key, digits in (("traceId", 32), ("spanId", 16), ("parentSpanId", 16)):
        if span.get(key):
            span[key] = hashlib.sha256(f"{round_name}:{span[key]}".encode()).hexdigest()[:digits]
    for key in ("startTimeUnixNano", "endTimeUnixNano"):
        span[key] = clock.offset(int(span[key]))
    span["events"] = [{**e, "timeUnixNano": clock.offset(int(e["timeUnixNano"]))} for e in span.get("events", [])]
    span["attributes"] = [_new_session(a, round_name) for a in span.get("attributes", [])]
    span.pop("links", None)
    return Recorded(item.resource, item.scope, span)


def _new_session(attribute: Json, round_name: str) -> Json:
    value = attribute.get("value", {}).get("stringValue")
    if attribute["key"] not in SESSION_KEYS or value is None:
        return attribute
    return {"key": attribute["key"], "value": {"stringValue": f"{value}-{round_name}"}}


def _started_at(item: Recorded, start_ns: int) -> Recorded:
    span = dict(item.span)
    for key in ("startTimeUnixNano", "endTimeUnixNano"):
        span[key] = str(start_ns + span[key])
    span["events"] = [{**e, "timeUnixNano": str(start_ns + e["timeUnixNano"])} for e in span["events"]]
    return Recorded(item.resource, item.scope, span)
