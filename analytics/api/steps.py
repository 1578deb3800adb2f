"""Spans and calls as the steps of a replay: who did what, what came back, what the model did next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from analytics.conventions.convention import Kind
from analytics.conventions.vocabulary import kind_of
from analytics.jobs.said import Said, said_in
from analytics.normalise.conversation import inputs_of
from analytics.normalise.upstream import reaches_outside
from analytics.normalise.values import as_text
from analytics.questions.times import rfc3339
from analytics.spans import ERROR, OK, Span, Trace

TEXT_CAP = 20_000
"""The longest text of one step, in characters; the call itself has its payload whole."""

_STATUS = {OK: "OK", ERROR: "ERROR"}
_HOST_KEYS = ("server.address", "http.host", "net.peer.name", "peer.service", "db.namespace", "db.name", "rpc.service")
_STATUS_KEYS = ("http.response.status_code", "http.status_code", "rpc.grpc.status_code", "rpc.response.status_code")
_ORDER = {"agent": 0, "user": 1, "model": 2, "tool": 3, "upstream": 4, "other": 5}


@dataclass(slots=True)
class Step:
    """One step. `call` is the call object of a tool step; `told` what the model was given for it."""

    kind: str
    title: str
    started_ns: int
    trace_id: str
    span_id: str | None = None
    parent_span_id: str | None = None
    duration_ms: float | None = None
    span_status: str | None = None
    text: str | None = None
    call: Mapping[str, Any] | None = None
    told: str | None = None
    upstream: list[dict[str, Any]] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether it is a call that failed."""
        return self.call is not None and self.call["outcome"] != "ok"

    def stands_for(self, span_id: str) -> bool:
        """Whether a span is this step's, or a member of its call."""
        return span_id == self.span_id or (self.call is not None and span_id in self.call["span_ids"])

    def object(self, number: int) -> dict[str, Any]:
        """The step as it leaves the service."""
        return {
            "n": number,
            "kind": self.kind,
            "title": self.title,
            "span_id": self.span_id,
            "trace_id": self.trace_id,
            "parent_span_id": self.parent_span_id,
            "started_at": rfc3339(self.started_ns),
            "duration_ms": self.duration_ms,
            "span_status": self.span_status,
            "text": _capped(self.text),
            "call": self.call,
            "arguments": self.call["arguments"] if self.call else None,
            "result": self.call["result"] if self.call else None,
            "told": _capped(self.told),
            "upstream": self.upstream,
        }


def steps_of(traces: Iterable[Trace], calls: Iterable[Mapping[str, Any]]) -> list[Step]:
    """All steps of some traces in time order.

    Args:
        traces: the spans.
        calls: the full call objects of those traces (with `started_ns`); each becomes one tool step.
    """
    by_trace: dict[str, list[Mapping[str, Any]]] = {}
    shared = _Shared()
    for call in calls:
        by_trace.setdefault(call["trace_id"], []).append(call)
        if not call["inferred"]:
            shared.of_member.update(dict.fromkeys(call["span_ids"], call))
    replays = [_Replay(trace, by_trace.pop(trace.trace_id, []), shared) for trace in sorted(traces, key=_start)]
    # the verdicts of spans that have expired
    replays += [_Replay(Trace("", trace_id), alone, shared) for trace_id, alone in by_trace.items()]
    steps = [step for replay in replays for step in replay.calls_made()]
    shared.of_call_id = {step.call["call_id"]: step for step in steps if step.call and step.call["call_id"]}
    steps += [step for replay in replays for step in replay.rest()]
    return sorted(steps, key=lambda step: (step.started_ns, _ORDER[step.kind]))


@dataclass(slots=True)
class _Shared:
    """What the traces of a session share: a call's members may lie in several, and users are heard once."""

    of_member: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    tool_steps: dict[str, Step] = field(default_factory=dict)
    of_call_id: dict[str, Step] = field(default_factory=dict)
    heard: set[str] = field(default_factory=set)


def _start(trace: Trace) -> int:
    return min((span.start_ns for span in trace.spans), default=0)


class _Replay:
    """The steps of one trace."""

    def __init__(self, trace: Trace, calls: list[Mapping[str, Any]], shared: _Shared) -> None:
        self.trace = trace
        self.calls = calls
        self.spans = {span.span_id: span for span in trace.spans}
        self.shared = shared
        self.owners: dict[str, Mapping[str, Any] | None] = {}

    def calls_made(self) -> list[Step]:
        """The tool steps."""
        return [self._tool(call) for call in self.calls]

    def rest(self) -> list[Step]:
        """All other steps, once the tool steps of every trace are made."""
        steps = []
        for span in sorted(self.trace.spans, key=lambda each: (each.start_ns, each.seq)):
            if span.span_id not in self.shared.of_member:
                steps.extend(self._span(span))
        return steps

    def _tool(self, call: Mapping[str, Any]) -> Step:
        step = _step("tool", str(call["tool"]), self.spans.get(call["span_id"]), self.trace.trace_id)
        step.span_id = call["span_id"]
        step.started_ns = call["started_ns"]
        step.duration_ms = call["duration_ms"]
        step.call = {name: value for name, value in call.items() if name != "started_ns"}
        step.told = step.text = call["error_message"]
        self.shared.tool_steps[call["id"]] = step
        return step

    def _span(self, span: Span) -> list[Step]:
        kind = kind_of(span)[0]
        if kind is Kind.MODEL:
            return self._model(span, said_in(span))
        if kind is Kind.AGENT:
            return [_step("agent", span.name, span, self.trace.trace_id)]
        if reaches_outside(span):
            return self._upstream(span)
        return [_step("other", span.name, span, self.trace.trace_id)]

    def _upstream(self, span: Span) -> list[Step]:
        """A call to the outside belongs to the tool call inside which it was made, or stands for itself."""
        owner = self._owner(span)
        if owner is not None:
            self.shared.tool_steps[owner["id"]].upstream.append(upstream_object(span))
            return []
        step = _step("upstream", span.name, span, self.trace.trace_id)
        step.upstream = [upstream_object(span)]
        return [step]

    def _model(self, span: Span, said: Said) -> list[Step]:
        """A model span is what the user said since the last one, then what the model answered."""
        steps = []
        for text in said.user:
            if text not in self.shared.heard:
                self.shared.heard.add(text)
                user = _step("user", "user", span, self.trace.trace_id)
                user.text, user.duration_ms, user.span_status = text, None, None
                steps.append(user)
        model = _step("model", said.model or span.name, span, self.trace.trace_id)
        model.text = said.answer
        self._tell(span)
        return [*steps, model]

    def _tell(self, span: Span) -> None:
        """What the model was given for each call, as its own input shows it."""
        if not self.shared.of_call_id:
            return
        for response in inputs_of(span)[0].responses:
            step = self.shared.of_call_id.get(response.call_id or "")
            if step is not None:
                step.told = as_text(response.content)

    def _owner(self, span: Span) -> Mapping[str, Any] | None:
        """The call inside which a span ran; each span above is passed once, whoever asks."""
        passed: list[str] = []
        owner, parent = None, span.parent_span_id
        while parent:
            if parent in self.owners:
                owner = self.owners[parent]
                break
            self.owners[parent] = None  # a loop of parents ends here
            passed.append(parent)
            if parent in self.shared.of_member:
                owner = self.shared.of_member[parent]
                break
            above = self.spans.get(parent)
            parent = above.parent_span_id if above else ""
        self.owners.update(dict.fromkeys(passed, owner))
        return owner


def _step(kind: str, title: str, span: Span | None, trace_id: str) -> Step:
    if span is None:
        return Step(kind, title, 0, trace_id)
    return Step(
        kind,
        title,
        span.start_ns,
        trace_id,
        span.span_id,
        span.parent_span_id or None,
        max(0, span.end_ns - span.start_ns) / 1e6,
        _STATUS.get(span.status_code, "UNSET"),
    )


def _capped(text: str | None) -> str | None:
    return text if text is None or len(text) <= TEXT_CAP else text[:TEXT_CAP] + "…"


def upstream_object(span: Span) -> dict[str, Any]:
    """What a span outside the agent answered."""
    host = next((span.attributes[key] for key in _HOST_KEYS if span.attributes.get(key)), None)
    status = next((span.attributes[key] for key in _STATUS_KEYS if span.attributes.get(key) is not None), None)
    return {
        "span_id": span.span_id,
        "name": span.name,
        "host": None if host is None else str(host),
        "status": None if status is None else str(status),
        "span_status": _STATUS.get(span.status_code, "UNSET"),
        "duration_ms": max(0, span.end_ns - span.start_ns) / 1e6,
    }
