"""What a question is asked about: one project, a range of time, and the narrowing filters."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from analytics.questions.times import MAX_NS
from telltale.vocabulary import Outcome

FAILURES = (Outcome.STRUCTURED_ERROR.value, Outcome.UNSTRUCTURED_ERROR.value, Outcome.SILENT_FAILURE.value)
"""The outcomes that `outcome=failed` stands for."""

NO_CODE = "none"
"""How a question and a rollup name calls without a code."""

_COLUMNS = {
    "tool": "tool",
    "agent": "agent",
    "service": "service",
    "release": "release",
    "user": '"user"',
    "session": "session_key",
    "payload": "payload",
    "fingerprint": "fingerprint",
}


_SESSION = {
    "agent": "agent = $agent",
    "service": "service = $service",
    "user": '"user" = $user',
    "session": "session_id = $session",
    "tool": "list_contains(tools, $tool)",
    "flag": "list_contains(flags, $flag)",
}


@dataclass(slots=True, frozen=True)
class Filters:
    """Filters that every question understands; None and () mean all.

    `since_ns` (inclusive) and `until_ns` (exclusive) bound the call's start as sent, ns since 1970 UTC. `ahead_to_ns`:
    a call that starts between `until_ns` and this, by a clock that ran ahead, is in the range as well where it had been
    received before `until_ns`; None for a range that ends at `until_ns`, the largest time for one without an end.
    `outcomes` and `codes` are alternatives, `codes` may hold "none". `flag` selects calls that bear it.
    """

    project: str = "default"
    since_ns: int | None = None
    until_ns: int | None = None
    ahead_to_ns: int | None = None
    tool: str | None = None
    agent: str | None = None
    service: str | None = None
    release: str | None = None
    user: str | None = None
    session: str | None = None
    payload: str | None = None
    fingerprint: str | None = None
    flag: str | None = None
    outcomes: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    inferred: bool | None = None
    recovered: bool | None = None

    def only(self, **changes: Any) -> Filters:
        """The same filters with some of them changed; a range with another end has nothing ahead of it."""
        if "until_ns" in changes:
            changes = {"ahead_to_ns": None, **changes}
        return replace(self, **changes)

    @property
    def ahead(self) -> tuple[int, int | None] | None:
        """Where calls that are dated ahead of this range's end begin, and where they end (None: nowhere), in ns since
        1970 UTC; None where none can be in it."""
        if self.until_ns is None or self.ahead_to_ns is None or self.ahead_to_ns <= self.until_ns:
            return None
        return self.until_ns, None if self.ahead_to_ns >= MAX_NS else self.ahead_to_ns

    def narrowed(self) -> dict[str, Any]:
        """The filters that are set beside project and range, by the names that the API has for them."""
        names = (*_COLUMNS, "flag", "outcomes", "codes", "inferred", "recovered")
        found = {
            name.removesuffix("s") if name in ("outcomes", "codes") else name: getattr(self, name) for name in names
        }
        return {
            name: ",".join(value) if isinstance(value, tuple) else value
            for name, value in found.items()
            if value not in (None, ())
        }


@dataclass(slots=True)
class Condition:
    """A WHERE clause in the making: SQL with named parameters, and their values."""

    parts: list[str] = field(default_factory=list)
    params: dict[str, Any] = field(default_factory=dict)

    def add(self, sql: str, **params: Any) -> None:
        """One more condition that must hold."""
        self.parts.append(sql)
        self.params.update(params)

    def between(self, column: str, low: int | None, high: int | None) -> None:
        """`low <= column < high`, open where None."""
        if low is not None:
            self.parts.append(f"{column} >= {int(low)}")
        if high is not None:
            self.parts.append(f"{column} < {int(high)}")

    def any_of(self, sql: str, name: str, values: tuple[str, ...]) -> None:
        """One of `values` holds; `{}` in `sql` stands for the value."""
        names = [f"{name}_{i}" for i in range(len(values))]
        alternatives = " OR ".join(sql.format(f"${each}") for each in names)
        self.add(f"({alternatives})", **dict(zip(names, values, strict=True)))

    @property
    def sql(self) -> str:
        """All conditions in one, without the word WHERE."""
        return " AND ".join(self.parts)


def call_condition(filters: Filters, since_ns: int | None, until_ns: int | None) -> Condition:
    """The rows of `call` that these filters mean, between two times (literals: they prune best)."""
    where = Condition()
    where.add("project = $project", project=filters.project)
    _between(where, filters, since_ns, until_ns)
    for name, column in _COLUMNS.items():
        value = getattr(filters, name)
        if value is not None:
            where.add(f"{column} = ${name}", **{name: value})
    _add_shared(filters, where, "coalesce(code, 'none')")
    if filters.flag is not None:
        where.add("list_contains(flags, $flag)", flag=filters.flag)
    if filters.recovered is not None:
        where.add("recovered IS TRUE" if filters.recovered else "recovered IS NOT TRUE")
    return where


def ahead_condition(filters: Filters) -> Condition | None:
    """The rows of `call` that are dated ahead of the range and belong to it all the same; None where none can be."""
    if filters.ahead is None:
        return None
    begin, end = filters.ahead
    where = call_condition(filters.only(until_ns=end), begin, end)
    where.add(f"received_ns < {begin}")
    return where


def _between(where: Condition, filters: Filters, since_ns: int | None, until_ns: int | None) -> None:
    """The start of a call lies between two times, or ahead of the range as far as it reaches to its end."""
    if filters.ahead is None or until_ns != filters.until_ns:
        where.between("started_ns", since_ns, until_ns)
        return
    begin, end = filters.ahead
    where.between("started_ns", since_ns, end)
    where.add(f"(started_ns < {begin} OR received_ns < {begin})")


def rollup_condition(filters: Filters, period: str, since: int | None, until: int | None) -> Condition:
    """The rows of a rollup (by `period` since 1970) that these filters mean; for filters that `rolled_up` accepts."""
    where = Condition()
    where.add("project = $project", project=filters.project)
    where.between(period, since, until)
    if filters.tool is not None:
        where.add("tool = $tool", tool=filters.tool)
    if filters.payload is not None:
        where.add("payload = $payload", payload=filters.payload)
    _add_shared(filters, where, "code")
    return where


BEYOND_SESSIONS = ("release", "payload", "fingerprint", "inferred", "recovered")
"""Filters that no row of `session` can tell: those of its calls tell."""


def session_condition(filters: Filters) -> Condition:
    """The sessions that overlap the range and match what a session knows of these filters.

    A tool together with failing outcomes means the sessions in which that tool failed. Filters that only calls know (a
    release, a fingerprint…) mean the sessions that hold a call which matches all filters at once.
    """
    where = Condition()
    where.add("project = $project", project=filters.project)
    _overlap(where, filters, "session_id", "session_key")
    for name, condition in _SESSION.items():
        if getattr(filters, name) is not None:
            where.add(condition, **{name: getattr(filters, name)})
    if filters.codes:
        where.any_of("list_contains(codes, {})", "code", filters.codes)
    if filters.outcomes:
        failed = set(filters.outcomes) <= set(FAILURES)
        where.add("failures > 0" if failed else "calls > 0")
        if failed and filters.tool is not None:
            met = tool_session_condition(filters).sql
            where.add(f"session_id IN (SELECT session_id FROM tool_session WHERE {met})")  # noqa: S608 - own text, values bound
    if filters.outcomes == (Outcome.SILENT_FAILURE.value,):
        where.add("silent > 0")
    if any(getattr(filters, name) is not None for name in BEYOND_SESSIONS):
        called = call_condition(filters, filters.since_ns, filters.until_ns)
        where.add(f"session_id IN (SELECT session_key FROM call WHERE {called.sql})", **called.params)  # noqa: S608 - as above
    return where


def tool_session_condition(filters: Filters) -> Condition:
    """The failing tools of sessions, their failures in the range; for filters that `rolled_up` accepts."""
    where = Condition()
    where.add("project = $project", project=filters.project)
    _overlap(where, filters, "(session_id, tool)", "session_key, tool", "outcome <> 'ok'")
    if filters.tool is not None:
        where.add("tool = $tool", tool=filters.tool)
    return where


def _overlap(where: Condition, filters: Filters, row: str, of_calls: str, which: str = "TRUE") -> None:
    """Rows from `t0_ns` to `t1_ns` that overlap the range; of those that begin after it, the ones with a call (`which`)
    that is dated ahead and belongs to it.
    """
    if filters.since_ns is not None:
        where.add(f"t1_ns >= {filters.since_ns}")
    if filters.until_ns is None:
        return
    begun = f"t0_ns < {filters.until_ns}"
    if filters.ahead is not None:
        called = Condition([f"project = $project AND received_ns < {filters.until_ns} AND {which}"])
        called.between("started_ns", *filters.ahead)
        calls = f"SELECT {of_calls} FROM call WHERE {called.sql}"  # noqa: S608 - own text and numbers
        begun = f"({begun} OR {row} IN ({calls}))"
    where.add(begun)


def _add_shared(filters: Filters, where: Condition, code: str) -> None:
    if filters.outcomes:
        where.any_of("outcome = {}", "outcome", filters.outcomes)
    if filters.codes:
        where.any_of(code + " = {}", "code", filters.codes)
    if filters.inferred is not None:
        where.add("inferred" if filters.inferred else "NOT inferred")


def rolled_up(filters: Filters) -> bool:
    """Whether the hourly rollup knows every column that these filters name."""
    beyond = ("agent", "service", "release", "user", "session", "fingerprint", "flag", "recovered")
    return all(getattr(filters, name) is None for name in beyond)
