"""What the spans below a call say: which outside calls it made, which of them failed, and what raised inside it.

An outside call that succeeded by its own status but whose every own outside call failed (an aggregator that swallows
its sources' errors) counts as failed. A failure is overcome by a later attempt of the same kind or by a fallback to
another source.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from analytics.normalise.logical_call import LogicalCall
from analytics.spans import CLIENT, ERROR, PRODUCER, Span, Trace
from telltale.payload.codes import (
    ERRNO,
    code_of_class,
    code_of_grpc,
    code_of_http,
    code_of_number,
    code_of_sqlstate,
)
from telltale.payload.phrases import code_of_phrase
from telltale.payload.words import words
from telltale.vocabulary import Code

_OUTGOING_KEYS = (
    *("http.request.method", "http.method", "db.system.name", "db.system", "rpc.system", "rpc.system.name", "url.full"),
    *("http.url", "messaging.system"),
)
_HOUSEKEEPING = words(
    """
    BEGIN COMMIT ROLLBACK START SAVEPOINT RELEASE PING SET SETEX SETNX EXPIRE DEL HSET LPUSH RPUSH XADD INCR
    PUBLISH CLOSE AUTH HELLO SELECT_DB USE
    """
)
_WRITES = frozenset(["INSERT", "UPDATE", "DELETE", "UPSERT", "MERGE", "REPLACE"])
_WRITING = words("POST PUT PATCH DELETE")
_MAX_SPANS = 5000


@dataclass(slots=True)
class Attempt:
    """One outside call: whether it failed (by its own word or its sources'), and what it says of the code."""

    span: Span
    system: str
    operation: str
    failed: bool
    status: int | None = None
    code: Code | None = None
    certain: bool = False
    value: Any = None
    inner: list[Attempt] = field(default_factory=list)

    @property
    def cause(self) -> Attempt:
        """The attempt at the bottom that explains the failure: the last failed one among its own sources."""
        found = self
        for _ in range(20):
            failed = [attempt for attempt in found.inner if attempt.failed]
            if not failed or found.code is not None:
                break
            found = failed[-1]
        return found


@dataclass(slots=True)
class Surroundings:
    """The spans below one call: outside calls in time order, and the inner spans that raised or ended in ERROR."""

    attempts: list[Attempt] = field(default_factory=list)
    raised: list[Span] = field(default_factory=list)

    def unovercome(self, strict: bool) -> list[Attempt]:
        """The failed attempts that no later one made good.

        Args:
            strict: only an attempt of the same kind, or a reading fallback, makes good (a token fetched or a log line
                written after a failed read is none); else any later success does.
        """
        good = [a for a in self.attempts if not a.failed]
        return [
            bad for bad in self.attempts if bad.failed and not any(_overcomes(other, bad, strict) for other in good)
        ]

    @property
    def all_failed(self) -> bool:
        """Whether the call made outside calls and every one of them failed."""
        return bool(self.attempts) and all(attempt.failed for attempt in self.attempts)


class TraceIndex:
    """Children, owners and trouble of a trace's spans, built once for all its calls, in time linear in the spans."""

    __slots__ = ("_children", "_owners", "_spans", "_troubled")

    def __init__(self, trace: Trace, calls: list[LogicalCall]) -> None:
        self._spans = trace.spans
        self._children: dict[str, list[Span]] | None = None
        self._owners = {member.span_id: call.id for call in calls for member in call.members}
        self._troubled = _with_ancestors([span for span in trace.spans if may_have_failed(span)], trace.spans)

    def children(self, span_id: str) -> list[Span]:
        """The spans directly below one."""
        if self._children is None:
            self._children = {}
            for span in self._spans:
                if span.parent_span_id:
                    self._children.setdefault(span.parent_span_id, []).append(span)
        return self._children.get(span_id, _NO_SPANS)

    def is_calm(self, call: LogicalCall) -> bool:
        """Whether nothing at or below the call shows any sign of failure, so that there is nothing to walk for."""
        troubled = self._troubled
        if not troubled:
            return True
        for member in call.members:
            if member.span_id in troubled:
                return False
        return all(span.span_id not in troubled for span in call.upstream)

    def belongs_elsewhere(self, span: Span, call: LogicalCall) -> bool:
        """Whether a span is another tool call's own; a protocol span that merely carries this call on is not."""
        owner = self._owners.get(span.span_id)
        return owner is not None and owner != call.id and "mcp.method.name" not in span.attributes

    def is_below(self, call: LogicalCall, span_id: str) -> bool:
        """Whether a member of the call stands below the span that carries its result."""
        parents = {member.span_id: member.parent_span_id for member in call.members}
        for _ in range(len(parents)):
            span_id = parents.get(span_id, "")
            if span_id == call.span.span_id:
                return True
            if not span_id:
                break
        return False


_NO_SPANS: list[Span] = []


def may_have_failed(span: Span) -> bool:
    """Whether a span bears any sign of failure at all; cheap, and never wrong on the side of calm."""
    if span.status_code == ERROR or span.events:
        return True
    attributes = span.attributes
    status = attributes.get("http.response.status_code", attributes.get("http.status_code"))
    if status is not None and (_number(status) or 0) >= 400:
        return True
    return "error.type" in attributes or bool(attributes.get("rpc.grpc.status_code"))


def _with_ancestors(troubled: list[Span], spans: list[Span]) -> set[str]:
    """The ids of these spans and of everything above them; each id is visited once."""
    found: set[str] = set()
    if troubled:
        parents = {span.span_id: span.parent_span_id for span in spans}
        for span in troubled:
            span_id = span.span_id
            while span_id and span_id not in found:
                found.add(span_id)
                span_id = parents.get(span_id, "")
    return found


def surroundings_of(call: LogicalCall, index: TraceIndex) -> Surroundings:
    """Walks the spans below a call's members once; stops at other tool calls."""
    found = Surroundings()
    if index.is_calm(call):
        return found
    nodes: list[tuple[Attempt, Attempt | None]] = []
    members = {member.span_id for member in call.members}
    seen = set(members)
    # Last in, first out: what hangs below the members is walked first, so that nesting is seen before the flat list.
    stack: list[tuple[Span, Attempt | None]] = [(span, None) for span in call.upstream]
    for member in call.members:
        stack += [(child, None) for child in index.children(member.span_id)]
    while stack and len(seen) < _MAX_SPANS:
        span, above = stack.pop()
        if span.span_id in seen or index.belongs_elsewhere(span, call):
            continue
        seen.add(span.span_id)
        attempt = _attempt(span)
        if attempt is not None:
            nodes.append((attempt, above))
            above = attempt
        elif span.status_code == ERROR or _exception(span) is not None:
            found.raised.append(span)
        for child in index.children(span.span_id):
            stack.append((child, above))
    for attempt, above in nodes:
        if above is not None:
            above.inner.append(attempt)
        else:
            found.attempts.append(attempt)
    for attempt, _ in reversed(nodes):
        if not attempt.failed and attempt.inner:
            attempt.inner.sort(key=_by_time)
            attempt.failed = all(inner.failed for inner in attempt.inner)
    found.attempts.sort(key=_by_time)
    found.raised.sort(key=lambda span: (span.start_ns, span.span_id))
    return found


def _by_time(attempt: Attempt) -> tuple[int, str]:
    return attempt.span.start_ns, attempt.span.span_id


def _overcomes(good: Attempt, bad: Attempt, strict: bool) -> bool:
    if good.operation in _HOUSEKEEPING:
        return False
    if _is_aside(bad, good, strict):
        return True
    if good.span.end_ns <= bad.span.start_ns:
        return False
    if not strict:
        return True
    if good.system == bad.system:
        return good.operation == bad.operation or not (good.operation and bad.operation) or good.system == "db"
    return good.operation not in _WRITES


def _is_aside(bad: Attempt, good: Attempt, strict: bool) -> bool:
    """Whether the failed call was a side matter at another host (a beacon, a notice) beside the one that counted.

    For a reading tool that is a failed write beside a good read; for a changing one, any failure beside a good write.
    """
    if bad.system != "http" or good.system != "http" or _host(bad) == _host(good):
        return False
    if strict:
        return bad.operation in _WRITING and good.operation not in _WRITING
    return good.operation in _WRITING


def _host(attempt: Attempt) -> str:
    attributes = attempt.span.attributes
    return str(attributes.get("server.address") or attributes.get("net.peer.name") or attributes.get("http.host") or "")


def _attempt(span: Span) -> Attempt | None:
    attributes = span.attributes
    if span.kind not in (CLIENT, PRODUCER) and not any(key in attributes for key in _OUTGOING_KEYS):
        return None
    if "db.system.name" in attributes or "db.system" in attributes:
        return _database(span)
    status = attributes.get("http.response.status_code", attributes.get("http.status_code"))
    method = attributes.get("http.request.method", attributes.get("http.method"))
    if status is not None or method is not None:
        return _http(span, _number(status), str(method or "").upper())
    if "rpc.system" in attributes or "rpc.system.name" in attributes or "rpc.grpc.status_code" in attributes:
        return _rpc(span)
    attempt = Attempt(span, "other", span.name.split(" ", 1)[0], _is_failed(span))
    if attempt.failed:
        _explain(attempt)
    return attempt


def _http(span: Span, status: int | None, method: str) -> Attempt:
    attempt = Attempt(span, "http", method, False, status)
    if status is not None and status >= 400:
        attempt.failed, attempt.code, attempt.certain = True, code_of_http(status), True
        attempt.value = f"http {status}"
    elif _is_failed(span) and (status is None or status < 400):
        attempt.failed = True
        _explain(attempt)
    return attempt


def _database(span: Span) -> Attempt:
    attributes = span.attributes
    operation = attributes.get("db.operation.name", attributes.get("db.operation")) or span.name.split(" ", 1)[0]
    attempt = Attempt(span, "db", str(operation).upper(), _is_failed(span))
    if attempt.failed:
        state = str(attributes.get("db.response.status_code") or attributes.get("error.type") or "")
        attempt.code = code_of_sqlstate(state)
        if attempt.code is not None:
            attempt.value, attempt.certain = f"sqlstate {state}", True
        else:
            _explain(attempt)
    return attempt


def _rpc(span: Span) -> Attempt:
    attributes = span.attributes
    number = _number(attributes.get("rpc.grpc.status_code"))
    attempt = Attempt(span, "rpc", str(attributes.get("rpc.method") or ""), _is_failed(span) or bool(number))
    if number:
        attempt.code, attempt.certain, attempt.value = code_of_grpc(number), True, f"grpc {number}"
    elif attempt.failed:
        status = str(attributes.get("rpc.response.status_code") or "")
        attempt.code = code_of_class(status) if status else None
        if attempt.code is not None:
            attempt.value, attempt.certain = f"rpc {status}", attempt.code is not Code.INTERNAL
        else:
            _explain(attempt)
    return attempt


def _is_failed(span: Span) -> bool:
    return span.status_code == ERROR or bool(span.attributes.get("error.type")) or _exception(span) is not None


def _exception(span: Span) -> dict[str, Any] | None:
    for event in span.events:
        if event.name == "exception":
            return event.attributes
    return None


def _explain(attempt: Attempt) -> None:
    """Takes the code from the error's class or number, else from what its message says in standard phrases."""
    kind, message = failure_of(attempt.span)
    attempt.value = kind or message[:120] or "status ERROR"
    code = ERRNO.get(kind) or code_of_class(kind) if kind else None
    if code is not None and code is not Code.INTERNAL:
        attempt.code, attempt.certain = code, True
        return
    phrase = code_of_phrase(message) if message else None
    attempt.code = phrase[0] if phrase is not None else code


def failure_of(span: Span) -> tuple[str, str]:
    """The class and the message of a span's failure: of its exception event, else error.type and status message."""
    event = _exception(span)
    kind = str(span.attributes.get("error.type") or "")
    message = span.status_message
    if event is not None:
        kind = str(event.get("exception.type") or "") or kind
        message = str(event.get("exception.message") or "") or message
    return kind, message


def _number(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.lstrip("-").isdigit() and len(value) < 8:
        return int(value)
    return value if isinstance(value, int) else None


__all__ = ["Attempt", "Surroundings", "TraceIndex", "code_of_number", "failure_of", "surroundings_of"]
