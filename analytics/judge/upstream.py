"""What the spans below a call say: which outside calls it made, which of them failed, and what raised inside it.

An outside call that succeeded by its own status but whose every own outside call failed (an aggregator that swallows
its sources' errors) counts as failed. A failure is overcome by a later attempt of the same kind or by a fallback to
another source.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from analytics.judge.attempts import Attempt, attempt_of, broken_step, exception_of, host_of, number_of
from analytics.judge.logged import WARN, Line, grave_lines
from analytics.judge.stated import failing_state, is_challenged
from analytics.normalise.logical_call import LogicalCall, Meaning
from analytics.spans import CLIENT, ERROR, OK, PRODUCER, LogRecord, Span, Trace
from telltale.payload.codes.phrases import first_code
from telltale.payload.words import words
from telltale.vocabulary import Code

_HOUSEKEEPING = words(
    """
    BEGIN COMMIT ROLLBACK START SAVEPOINT RELEASE PING SET SETEX SETNX EXPIRE DEL HSET LPUSH RPUSH XADD INCR
    PUBLISH CLOSE AUTH HELLO SELECT_DB USE
    """
)
_FRAMES = words("BEGIN COMMIT ROLLBACK START SAVEPOINT RELEASE PING AUTH HELLO USE")
_WRITES = frozenset(["INSERT", "UPDATE", "DELETE", "UPSERT", "MERGE", "REPLACE"])
_WRITING = words("POST PUT PATCH DELETE")
_MAX_SPANS = 5000


@dataclass(slots=True)
class Surroundings:
    """The spans below one call: outside calls in time order, and the inner spans that raised or ended in ERROR.

    `fine_ns` is when the last span below began that shows no failure of its own (0 where there is none). `logged` are
    the lines of trouble in the logs of the call and of what is below it.
    """

    attempts: list[Attempt] = field(default_factory=list)
    raised: list[Span] = field(default_factory=list)
    fine_ns: int = 0
    logged: list[Line] = field(default_factory=list)

    @property
    def ends_badly(self) -> bool:
        """Whether a step inside raised and did not end well all the same, and nothing below went well after it."""
        last = self.raised[-1] if self.raised else None
        return last is not None and last.status_code != OK and self.fine_ns < last.end_ns

    def note(self, span: Span, attempt: Attempt | None) -> None:
        """Takes in one span: whether it raised, and if it shows no failure, when it began."""
        if attempt is None and (span.status_code == ERROR or exception_of(span) is not None):
            self.raised.append(span)
        elif attempt is None or not attempt.failed:
            self.fine_ns = max(self.fine_ns, span.start_ns)

    def unovercome(self, strict: bool) -> list[Attempt]:
        """The failed attempts that no later one made good.

        Args:
            strict: only an attempt of the same kind, or a reading fallback, makes good (a token fetched or a log line
                written after a failed read is none); else any later success does.
        """
        good = [a for a in self.attempts if not a.failed and not a.found_nothing]
        return [
            bad
            for bad in self.attempts
            if bad.failed
            and not any(_overcomes(other, bad, strict) for other in good)
            and not (_is_of_a_cache(bad) and any(_answers_for_a_cache(other, bad) for other in self.attempts))
        ]

    @property
    def all_failed(self) -> bool:
        """Whether the call made outside calls, some of them failed, and no other gave anything.

        What only frames the others (`ROLLBACK`, `PING`) gives nothing.
        """
        failed = [attempt for attempt in self.attempts if attempt.failed]
        return bool(failed) and all(
            attempt.failed or attempt.found_nothing or attempt.operation in _FRAMES for attempt in self.attempts
        )


class TraceIndex:
    """Children, owners and trouble of a trace's spans, built once for all its calls, in time linear in the spans."""

    __slots__ = ("_above", "_children", "_logs", "_marked", "_owners", "_spans", "_troubled")

    def __init__(self, trace: Trace, calls: list[LogicalCall]) -> None:
        self._spans = trace.spans
        self._children: dict[str, list[Span]] | None = None
        self._owners = {member.span_id: call.id for call in calls for member in call.members}
        self._marked = {member.span_id: call for call in calls if _is_marked(call) for member in call.members}
        self._logs: dict[str, list[LogRecord]] = {}
        for record in trace.logs:
            if record.severity >= WARN and record.span_id:
                self._logs.setdefault(record.span_id, []).append(record)
        sure = self._marked.keys() | self._logs.keys()
        self._troubled, self._above = _with_ancestors(
            [span for span in trace.spans if may_have_failed(span) or span.span_id in sure], trace.spans
        )

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

    def is_calm_below(self, call: LogicalCall) -> bool:
        """Whether nothing below the call shows any sign of failure, whatever its own spans say of themselves."""
        above, troubled = self._above, self._troubled
        for member in call.members:
            if member.span_id in above:
                return False
        return all(span.span_id not in troubled for span in call.upstream)

    def logged(self, span: Span) -> list[Line]:
        """The lines of trouble that were logged in a span."""
        return grave_lines(span, self._logs.get(span.span_id, []))

    def belongs_elsewhere(self, span: Span, call: LogicalCall) -> bool:
        """Whether a span is another tool call's own; a protocol span that merely carries this call on is not."""
        owner = self._owners.get(span.span_id)
        return owner is not None and owner != call.id and "mcp.method.name" not in span.attributes

    def attempt(self, span: Span, call: LogicalCall) -> Attempt | None:
        """The outside call that a span is; one over MCP failed where the result that it carries says so (`isError`)."""
        attempt = attempt_of(span)
        inner = self._marked.get(span.span_id)
        if attempt is not None and inner is not None and inner.id != call.id and not attempt.failed:
            attempt.failed, attempt.value = True, "isError"
            attempt.code = first_code([inner.result_text or ""])
        return attempt

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


def _is_marked(call: LogicalCall) -> bool:
    return bool(call.marks) and any(mark.meaning is Meaning.FAILED for mark in call.marks)


def may_have_failed(span: Span) -> bool:
    """Whether a span bears any sign of failure at all; cheap, and never wrong on the side of calm."""
    if span.status_code == ERROR or span.events:
        return True
    attributes = span.attributes
    status = attributes.get("http.response.status_code", attributes.get("http.status_code"))
    if status is not None:
        if (number_of(status) or 0) >= 400 or is_challenged(attributes):
            return True
    elif span.kind in (CLIENT, PRODUCER) and failing_state(attributes) is not None:
        return True
    if "logfire.level_num" in attributes or "error.type" in attributes or bool(attributes.get("rpc.grpc.status_code")):
        return True
    return bool(attributes.get("process.exit.code"))


def _with_ancestors(troubled: list[Span], spans: list[Span]) -> tuple[set[str], set[str]]:
    """The ids of these spans and of everything above them, and of the latter alone; each id is visited once."""
    above: set[str] = set()
    if not troubled:
        return set(), above
    parents = {span.span_id: span.parent_span_id for span in spans}
    for span in troubled:
        span_id = parents.get(span.span_id, "")
        while span_id and span_id not in above:
            above.add(span_id)
            span_id = parents.get(span_id, "")
    return {span.span_id for span in troubled} | above, above


def surroundings_of(call: LogicalCall, index: TraceIndex) -> Surroundings:
    """Walks the spans below a call's members once; stops at other tool calls."""
    found = Surroundings(logged=[line for member in call.members for line in index.logged(member)])
    if not found.logged and index.is_calm_below(call):
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
        attempt = index.attempt(span, call)
        if attempt is not None:
            nodes.append((attempt, above))
            above = attempt
        found.note(span, attempt)
        found.logged += index.logged(span)
        if attempt is None and above is not None and _broke(above, span):
            nodes.append((broken_step(span), above))
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


def _broke(above: Attempt, span: Span) -> bool:
    """Whether a step on the other side of an outside call ended in ERROR, and the call with it: in its last quarter."""
    outer = above.span
    if above.failed or span.status_code != ERROR or span.parent_span_id != outer.span_id:
        return False
    return outer.end_ns - span.end_ns <= (outer.end_ns - outer.start_ns) // 4


def _by_time(attempt: Attempt) -> tuple[int, str]:
    return attempt.span.start_ns, attempt.span.span_id


def _is_of_a_cache(attempt: Attempt) -> bool:
    return str(attempt.span.attributes.get("db.system.name", attempt.span.attributes.get("db.system"))) in _CACHES


def _answers_for_a_cache(other: Attempt, bad: Attempt) -> bool:
    """Whether a database that is no cache was asked after one failed, and answered: also that there is nothing."""
    asked_after = other.system == "db" and other.span.start_ns >= bad.span.start_ns
    return asked_after and not other.failed and not _is_of_a_cache(other) and other.operation not in _FRAMES


_CACHES = frozenset(("redis", "memcached", "valkey", "keydb", "dragonfly"))


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
    if bad.system != "http" or good.system != "http" or host_of(bad) == host_of(good):
        return False
    if strict:
        # A look-up that was refused to somebody is no beacon: what came after it was asked without leave.
        return bad.operation in _WRITING and good.operation not in _WRITING and bad.code is not Code.PERMISSION_DENIED
    return good.operation in _WRITING
