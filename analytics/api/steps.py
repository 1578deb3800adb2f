"""Spans and calls as the steps of a replay: who did what, what came back, what the model did next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from analytics.api.messages import Said, said_in
from analytics.questions.times import rfc3339
from analytics.spans import CLIENT, ERROR, OK, Span, Trace

TEXT_CAP = 20_000
"""The longest text of one step, in characters; the call itself has its payload whole."""

_STATUS = {OK: "OK", ERROR: "ERROR"}
_HOST_KEYS = ("server.address", "http.host", "net.peer.name", "peer.service", "db.namespace", "db.name", "rpc.service")
_STATUS_KEYS = ("http.response.status_code", "http.status_code", "rpc.grpc.status_code", "rpc.response.status_code")
_REACHES_OUT = ("http.", "url.", "db.", "rpc.", "messaging.")


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
            "text": self.text[:TEXT_CAP] if self.text else self.text,
            "call": self.call,
            "arguments": self.call["arguments"] if self.call else None,
            "result": self.call["result"] if self.call else None,
            "told": self.told,
            "upstream": self.upstream,
        }


def steps_of(traces: Iterable[Trace], calls: Iterable[Mapping[str, Any]]) -> list[Step]:
    """All steps of some traces in time order.

    Args:
        traces: the spans.
        calls: the full call objects of those traces; each becomes one tool step, at the span its verdict stands on.
    """
    by_trace: dict[str, list[Mapping[str, Any]]] = {}
    for call in calls:
        by_trace.setdefault(call["trace_id"], []).append(call)
    steps: list[Step] = []
    for trace in traces:
        steps.extend(_Replay(trace, by_trace.get(trace.trace_id, [])).steps())
    return sorted(steps, key=lambda step: (step.started_ns, _ORDER[step.kind]))


_ORDER = {"agent": 0, "user": 1, "model": 2, "tool": 3, "upstream": 4, "other": 5}


class _Replay:
    """The steps of one trace."""

    def __init__(self, trace: Trace, calls: list[Mapping[str, Any]]) -> None:
        self.trace = trace
        self.calls = calls
        self.spans = {span.span_id: span for span in trace.spans}
        self.of_member = {member: call for call in calls for member in call["span_ids"]}
        self.tool_steps: dict[str, Step] = {}

    def steps(self) -> list[Step]:
        steps = [self._tool(call) for call in self.calls]
        heard: set[str] = set()
        for span in sorted(self.trace.spans, key=lambda each: (each.start_ns, each.seq)):
            if span.span_id not in self.of_member:
                steps.extend(self._span(span, heard))
        return steps

    def _tool(self, call: Mapping[str, Any]) -> Step:
        span = self.spans.get(call["span_id"])
        step = _step("tool", str(call["tool"]), span, self.trace.trace_id)
        if span is None:
            step.span_id = call["span_id"]
        step.started_ns = span.start_ns if span else min((s.start_ns for s in self.trace.spans), default=0)
        step.duration_ms = call["duration_ms"]
        step.call = call
        step.told = call["error_message"]
        step.text = call["error_message"]
        self.tool_steps[call["id"]] = step
        return step

    def _span(self, span: Span, heard: set[str]) -> list[Step]:
        if _reaches_out(span):
            owner = self._owner(span)
            if owner is not None:
                self.tool_steps[owner["id"]].upstream.append(upstream_object(span))
                return []
            step = _step("upstream", span.name, span, self.trace.trace_id)
            step.upstream = [upstream_object(span)]
            return [step]
        said = said_in(span)
        if said is not None:
            return self._model(span, said, heard)
        kind = "agent" if _is_agent(span) else "other"
        return [_step(kind, span.name, span, self.trace.trace_id)]

    def _model(self, span: Span, said: Said, heard: set[str]) -> list[Step]:
        """A model span is what the user said since the last one, then what the model answered."""
        steps = []
        for text in said.user:
            if text not in heard:
                heard.add(text)
                steps.append(
                    Step(
                        "user", "user", span.start_ns, self.trace.trace_id, span.span_id, span.parent_span_id, text=text
                    )
                )
        model = _step("model", said.model or span.name, span, self.trace.trace_id)
        model.text = said.answer
        self._tell(said)
        return [*steps, model]

    def _tell(self, said: Said) -> None:
        """What the model was given for each call, from the messages that it was given."""
        for step in self.tool_steps.values():
            call_id = step.call["call_id"] if step.call else None
            if call_id and call_id in said.tool_results:
                step.told = said.tool_results[call_id]

    def _owner(self, span: Span) -> Mapping[str, Any] | None:
        """The call inside which a span ran."""
        seen: set[str] = set()
        parent = span.parent_span_id
        while parent and parent not in seen:
            if parent in self.of_member:
                return self.of_member[parent]
            seen.add(parent)
            above = self.spans.get(parent)
            parent = above.parent_span_id if above else ""
        return None


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


def _reaches_out(span: Span) -> bool:
    return span.kind == CLIENT and any(key.startswith(_REACHES_OUT) for key in span.attributes)


def _is_agent(span: Span) -> bool:
    operation = span.attributes.get("gen_ai.operation.name")
    kind = span.attributes.get("openinference.span.kind") or span.attributes.get("traceloop.span.kind")
    return operation in ("invoke_agent", "create_agent", "invoke_workflow") or str(kind).lower() in (
        "agent",
        "workflow",
    )


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
