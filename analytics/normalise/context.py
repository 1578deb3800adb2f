"""Session, user, agent and model of a call, from wherever in its trace they stand.

The call's own span first, then its ancestors, nearest first (of what runs inside a tool call, the caller's session),
then any span of the trace, earliest first (a session belongs to the whole trace). Look-alikes are in no convention's
list: `mcp.session.id` may change with every request, `langsmith.trace.session_name` is a project, invocation and run
ids are one run.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from analytics.conventions.convention import Kind, text
from analytics.conventions.vocabulary import AGENT_KEYS, MODEL_KEYS, SCOPED, SESSION_KEYS, USER_KEYS
from analytics.normalise.tree import NONE, Tree
from analytics.spans import LogRecord, Span
from telltale.payload.wrappers import decode

_METADATA_SESSION = ("session_id", "sessionId", "conversation_id", "thread_id")
_METADATA_USER = ("user_id", "userId", "user")
_METADATA_AGENT = ("lc_agent_name",)
_NO_MODEL = frozenset({"unknown", "Unknown"})
_NO_AGENT = frozenset(
    {
        *("OpenAI Agent", "haystack.agent"),
        *("ClaudeAgentSDK.query", "ClaudeAgentSDK.ClaudeSDKClient.receive_response"),
    }
)
"""Names that stand for any agent: on every tool span of OpenTelemetry's OpenAI Agents instrumentation, on every agent
of Haystack, and the functions of the Claude Agent SDK under OpenInference.
"""
_NODE = "graph.node.id"
"""OpenInference's name of a node in a run's graph: an agent's on an agent's span, a tool's or model's on theirs."""
_RUN_SUFFIXES = (".run", "._execute_core", ".agent", ".arun")
_TELLING = frozenset(
    {*SESSION_KEYS, *USER_KEYS, *AGENT_KEYS, "metadata", *(key for c in SCOPED for key in (*c.session, *c.agent))}
)
"""A span with none of these says nothing of session, user or agent."""

Found = tuple[str, str]
"""A value and the name of the attribute that gave it."""


class Placed(NamedTuple):
    """What a span's surroundings say: session, user and agent, each with the attribute that gave it, or None."""

    session: Found | None = None
    user: Found | None = None
    agent: Found | None = None


_NOWHERE = Placed()


@dataclass(slots=True)
class Context:
    """Answers for one trace; what a span inherits is worked out once per span."""

    tree: Tree
    logs: list[LogRecord]
    _told: dict[int, Placed] = field(default_factory=dict)
    _inherited: dict[int, Placed] = field(default_factory=dict)
    _models: dict[int, str | None] = field(default_factory=dict)
    _whole: Placed | None = None

    def place(self, index: int) -> Placed:
        """Session, user and agent of a span: its own, else those of the nearest span above, else of the trace."""
        near = self._near(index)
        if near.session is not None and near.user is not None and near.agent is not None:
            return near
        return _filled(near, self._anywhere())

    def model(self, index: int) -> str | None:
        """The model of the last model span that began before a span, else of the first one after it."""
        models = self.tree.models
        at = bisect_left(models, index)
        for place in (at - 1, at, at - 2, at + 1):
            if 0 <= place < len(models):
                found = self._model(models[place])
                if found is not None:
                    return found
        return None

    def _model(self, index: int) -> str | None:
        if index not in self._models:
            self._models[index] = model_of(self.tree.spans[index])
        return self._models[index]

    def _near(self, index: int) -> Placed:
        path: list[int] = []
        at = index
        while at != NONE and at not in self._inherited:
            path.append(at)
            at = self.tree.parent[at]
        above = self._inherited[at] if at != NONE else _NOWHERE
        for passed in reversed(path):
            above = self._inherited[passed] = self._placed_below(passed, above)
        return above

    def _placed_below(self, index: int, above: Placed) -> Placed:
        """A span's own answers, filled up from above; within a tool call the caller's session stays the session.

        An agent that runs as a tool (ADK's AgentTool) opens a conversation of its own, which nobody can look up.
        """
        placed = _filled(self._own(index), above)
        inside = self.tree.owner[index] not in (NONE, index)
        if inside and above.session is not None and placed.session != above.session:
            placed = placed._replace(session=above.session)
        return placed

    def _own(self, index: int) -> Placed:
        own = self._told.get(index)
        if own is None:
            own = self._told[index] = _placed(self.tree.spans[index], self.tree.kinds[index])
        return own

    def _anywhere(self) -> Placed:
        """The first session, user and agent of the trace, by start time; log records after the spans."""
        if self._whole is not None:
            return self._whole
        whole = _NOWHERE
        for index in range(len(self.tree.spans)):
            whole = _filled(whole, self._own(index))
            if whole.session is not None and whole.user is not None and whole.agent is not None:
                break
        for log in sorted(self.logs, key=lambda log: (log.time_ns, log.span_id)):
            if whole.session is not None and whole.user is not None:
                break
            session, user = _first(log.attributes, SESSION_KEYS), _first(log.attributes, USER_KEYS)
            whole = _filled(whole, Placed(_in_log(session, log), _in_log(user, log)))
        self._whole = whole
        return whole


def _filled(near: Placed, above: Placed) -> Placed:
    """The nearer answers, and the ones from above where there are none."""
    if near is _NOWHERE:
        return above
    if above is _NOWHERE:
        return near
    return Placed(near.session or above.session, near.user or above.user, near.agent or above.agent)


def _in_log(found: Found | None, log: LogRecord) -> Found | None:
    return None if found is None else (found[0], f"log {log.event} {found[1]}")


def model_of(span: Span) -> str | None:
    """The model that a model span names."""
    names = (text(span.attributes[key]) for key in MODEL_KEYS if key in span.attributes)
    return next((name for name in names if name is not None and name not in _NO_MODEL), None)


def _first(attributes: dict[str, Any], keys: tuple[str, ...]) -> Found | None:
    for key in keys:
        if key in attributes:
            value = text(attributes[key])
            if value is not None:
                return value, key
    return None


@dataclass(frozen=True, slots=True)
class _Keys:
    """Those of a span's attributes that tell of its place, each list in order of preference."""

    session: tuple[str, ...]
    user: tuple[str, ...]
    agent: tuple[str, ...]
    scoped_agent: tuple[str, ...]
    metadata: bool


@lru_cache(maxsize=1024)
def _keys(telling: frozenset[str], scope_name: str) -> _Keys:
    """The order in which to ask the telling attributes that a span has; senders write few combinations of them."""
    scoped = [convention for convention in SCOPED if scope_name.startswith(convention.scopes)]
    sessions = (*SESSION_KEYS, *(key for convention in scoped for key in convention.session))
    agents = [key for convention in scoped for key in convention.agent]
    return _Keys(
        tuple(key for key in sessions if key in telling),
        tuple(key for key in USER_KEYS if key in telling),
        tuple(key for key in AGENT_KEYS if key in telling),
        tuple(key for key in agents if key in telling),
        "metadata" in telling,
    )


def _placed(span: Span, kind: Kind) -> Placed:
    attributes = span.attributes
    telling = _TELLING.intersection(attributes)
    if not telling:
        found = _agent_by_name(span) if kind is Kind.AGENT else None
        return Placed(agent=found) if found is not None else _NOWHERE
    keys = _keys(telling, span.scope_name)
    session, user = _first(attributes, keys.session), _first(attributes, keys.user)
    if keys.metadata:
        session = session or _metadata(attributes, _METADATA_SESSION)
        user = user or _metadata(attributes, _METADATA_USER)
    return Placed(session, user, _agent(span, kind, keys))


def _agent(span: Span, kind: Kind, keys: _Keys) -> Found | None:
    found = _first(span.attributes, keys.agent)
    if found is not None and found[0] not in _NO_AGENT and (found[1] != _NODE or kind is Kind.AGENT):
        return found
    found = _first(span.attributes, keys.scoped_agent)
    if found is None and keys.metadata:
        found = _metadata(span.attributes, _METADATA_AGENT)
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
            name = name[: -len(suffix)]
            return None if name in _NO_AGENT else (name, "span name")
    known = ("openinference.span.kind", "langfuse.observation.type", "mlflow.spanType")
    if name and name not in _NO_AGENT and any(key in span.attributes for key in known):
        return name, "span name"
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
