"""Session, user, agent and model of a call, from wherever in its trace they stand.

The call's own span first, then its ancestors, nearest first, then any span of the trace, earliest first (a session
belongs to the whole trace). Look-alikes are in no convention's list: `mcp.session.id` may change with every request,
`langsmith.trace.session_name` is a project, invocation and run ids are one run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from analytics.conventions.convention import Kind, text
from analytics.conventions.vocabulary import AGENT_KEYS, MODEL_KEYS, SCOPED, SESSION_KEYS, USER_KEYS
from analytics.normalise.tree import NONE, Tree
from analytics.spans import LogRecord, Span
from telltale.payload.unwrap import decode

_METADATA_SESSION = ("session_id", "sessionId", "conversation_id", "thread_id")
_METADATA_USER = ("user_id", "userId", "user")
_METADATA_AGENT = ("lc_agent_name",)
_NO_MODEL = frozenset({"unknown", "Unknown"})
_NO_AGENT = frozenset({"OpenAI Agent"})
"""What OpenTelemetry's OpenAI Agents instrumentation writes on every tool span, whichever agent runs."""
_RUN_SUFFIXES = (".run", "._execute_core", ".agent", ".arun")
_SESSION_SET, _USER_SET = frozenset(SESSION_KEYS), frozenset(USER_KEYS)
_AGENT_SET = frozenset(AGENT_KEYS)
_TELLING = frozenset(
    {*SESSION_KEYS, *USER_KEYS, *AGENT_KEYS, "metadata", *(key for c in SCOPED for key in (*c.session, *c.agent))}
)
"""A span with none of these says nothing of session, user or agent."""

Found = tuple[str, str]
"""A value and the name of the attribute that gave it."""


@dataclass(slots=True)
class Context:
    """Answers for one trace; what a span inherits is worked out once per span."""

    tree: Tree
    logs: list[LogRecord]
    _inherited: dict[tuple[str, int], Found | None] = field(default_factory=dict)
    _anywhere: dict[str, Found | None] = field(default_factory=dict)

    def session(self, index: int) -> Found | None:
        """The conversation of a span."""
        return self._inherit("session", index) or self._any("session")

    def user(self, index: int) -> Found | None:
        """The end user of a span."""
        return self._inherit("user", index) or self._any("user")

    def agent(self, index: int) -> Found | None:
        """The agent that made the call: the nearest one above."""
        return self._inherit("agent", index) or self._any("agent")

    def model(self, index: int) -> Found | None:
        """The model of the last model span that began before the call's start, else of the first one after it."""
        position = self._before(index)
        models = self.tree.models
        for at in (*range(position - 1, max(position - 5, -1), -1), *range(position, min(position + 2, len(models)))):
            found = model_of(self.tree.spans[models[at]])
            if found is not None:
                return found
        return None

    def _before(self, index: int) -> int:
        """How many model spans began before the span at `index` (both are in order of start)."""
        low, high = 0, len(self.tree.models)
        while low < high:
            middle = (low + high) // 2
            if self.tree.models[middle] < index:
                low = middle + 1
            else:
                high = middle
        return low

    def _inherit(self, what: str, index: int) -> Found | None:
        path: list[int] = []
        found: Found | None = None
        at = index
        while at != NONE:
            key = (what, at)
            if key in self._inherited:
                found = self._inherited[key]
                break
            path.append(at)
            found = self._find(what, at)
            if found is not None:
                break
            at = self.tree.parent[at]
        for passed in path:
            self._inherited[(what, passed)] = found
        return found

    def _find(self, what: str, index: int) -> Found | None:
        span, kind = self.tree.spans[index], self.tree.kinds[index]
        if kind is not Kind.AGENT and _TELLING.isdisjoint(span.attributes):
            return None
        return _FINDERS[what](span, kind)

    def _any(self, what: str) -> Found | None:
        if what not in self._anywhere:
            self._anywhere[what] = self._search(what)
        return self._anywhere[what]

    def _search(self, what: str) -> Found | None:
        for index in range(len(self.tree.spans)):
            found = self._find(what, index)
            if found is not None:
                return found
        if what == "agent":
            return None
        keys = SESSION_KEYS if what == "session" else USER_KEYS
        for log in sorted(self.logs, key=lambda log: (log.time_ns, log.span_id)):
            found = _first(log.attributes, keys)
            if found is not None:
                return found[0], f"log {log.event_name} {found[1]}"
        return None


def model_of(span: Span) -> Found | None:
    """The model that a model span names."""
    found = _first(span.attributes, MODEL_KEYS)
    return None if found is None or found[0] in _NO_MODEL else found


def _first(attributes: dict[str, Any], keys: tuple[str, ...]) -> Found | None:
    for key in keys:
        if key in attributes:
            value = text(attributes[key])
            if value is not None:
                return value, key
    return None


def _session(span: Span, _kind: Kind) -> Found | None:
    attributes = span.attributes
    found = None if _SESSION_SET.isdisjoint(attributes) else _first(attributes, SESSION_KEYS)
    return found or _scoped(span, "session") or _metadata(attributes, _METADATA_SESSION)


def _user(span: Span, _kind: Kind) -> Found | None:
    attributes = span.attributes
    found = None if _USER_SET.isdisjoint(attributes) else _first(attributes, USER_KEYS)
    return found or _metadata(attributes, _METADATA_USER)


def _agent(span: Span, kind: Kind) -> Found | None:
    attributes = span.attributes
    if not _AGENT_SET.isdisjoint(attributes):
        found = _first(attributes, AGENT_KEYS)
        if found is not None and found[0] not in _NO_AGENT:
            return found
    found = _scoped(span, "agent") or _metadata(attributes, _METADATA_AGENT)
    if found is not None or kind is not Kind.AGENT:
        return found
    return _agent_by_name(span)


def _agent_by_name(span: Span) -> Found | None:
    """`invoke_agent X`, `agent_run [X]`, `X.run`, or the whole name where the span is said to be an agent's."""
    name = span.name
    for prefix in ("invoke_agent ", "agent_run ["):
        if name.startswith(prefix):
            return name[len(prefix) :].rstrip("]"), "span name"
    for suffix in _RUN_SUFFIXES:
        if name.endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)], "span name"
    known = ("openinference.span.kind", "langfuse.observation.type")
    if any(key in span.attributes for key in known) and name:
        return name, "span name"
    return None


def _scoped(span: Span, what: str) -> Found | None:
    for convention in SCOPED:
        if span.scope_name.startswith(convention.scopes):
            keys: tuple[str, ...] = getattr(convention, what)
            found = _first(span.attributes, keys)
            if found is not None:
                return found
    return None


def _metadata(attributes: dict[str, Any], names: tuple[str, ...]) -> Found | None:
    """OpenInference and Logfire keep the app's metadata as JSON under `metadata`."""
    sent = attributes.get("metadata")
    if sent is None or (isinstance(sent, str) and not any(name in sent for name in names)):
        return None
    value = decode(sent) if isinstance(sent, str) else sent
    if not isinstance(value, dict):
        return None
    found = _first(value, names)
    return None if found is None else (found[0], f"metadata.{found[1]}")


_FINDERS = {"session": _session, "user": _user, "agent": _agent}
