"""One SQL file per question, each prepared against the real schema by a test.

A question names what it reads in braces (`analytics.questions.relations`) and its own parameters as `$name`. The files
and `NAMES` match both ways, or nothing starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import pyarrow as pa

from analytics.questions.filters import FAILURES, NO_CODE, Filters
from analytics.questions.relations import relations
from analytics.store import Scope, Store

__all__ = ["FAILURES", "NAMES", "NO_CODE", "Filters", "QuestionError", "ask", "question"]

NAMES: Mapping[str, str] = {
    "call": "One call",
    "call_by_id": "Where the call with an id is",
    "call_by_member": "Where the call is that a span is a member of",
    "call_by_span": "Where the call is whose verdict stands on a span",
    "calls": "Judged calls, newest first",
    "calls_total": "How many calls match",
    "corrections": "What engineers said of verdicts",
    "diagnosis_times": "The moments of each incident",
    "groups": "All that is told of some groups of failures",
    "groups_last": "The last call of some groups",
    "groups_ranked": "Failures by fingerprint, the most frequent first",
    "groups_total": "How many groups there are",
    "incident": "One incident",
    "incidents": "Incidents, newest first",
    "incidents_now": "How far open incidents have come",
    "judge_faults": "Traces that the judge could not read",
    "not_judged": "The oldest row that no verdict covers",
    "projects": "The projects that anything was stored for",
    "rule_hits": "How often each rule spoke",
    "senders": "The account of each sender",
    "session": "One session",
    "session_traces": "The traces of a session",
    "sessions": "Sessions, newest first",
    "sessions_narrowed": "The same as sessions_total and users_failed, for filters on a session's lists",
    "sessions_total": "How many sessions match, how many failed, how many stayed unrecovered",
    "shared_upstreams": "Upstreams that fail in several tools",
    "stored": "What the store holds",
    "tool_durations": "Calls by tool and duration bucket",
    "tool_failures": "Per tool: failed sessions and the last failure",
    "tool_failures_rolled": "Per tool: failed sessions and the last failure, from the sessions",
    "tool_quantiles": "Median and 95th percentile of each tool's durations",
    "tools": "Calls by tool, outcome and code",
    "tools_releases": "Calls by tool, release, outcome and code",
    "tools_codes": "Failures by tool, code and outcome",
    "trend_fine": "Calls by outcome over time, from the calls",
    "trend_hours": "Calls by outcome over time, in whole hours",
    "users_failed": "How many users met a failure",
}
"""Every question, with what it answers."""


class QuestionError(Exception):
    """The question files contradict their registry, or a question was asked that does not exist."""


@cache
def _texts() -> dict[str, str]:
    present = {
        entry.name.removesuffix(".sql"): entry for entry in files(__name__).iterdir() if entry.name.endswith(".sql")
    }
    if present.keys() != NAMES.keys():
        raise QuestionError(f"questions and their files differ: {sorted(present.keys() ^ NAMES.keys())}")
    return {name: entry.read_text("utf-8") for name, entry in present.items()}


def question(name: str) -> str:
    """The SQL of a question as written, relations in braces.

    Raises:
        QuestionError: there is no question of this name, or files and registry differ.
    """
    texts = _texts()
    if name not in texts:
        raise QuestionError(f"no question is named {name!r}")
    return texts[name]


def ask(
    store: Store,
    name: str,
    filters: Filters | None = None,
    params: Mapping[str, Any] | None = None,
    scope: Scope | None = None,
) -> pa.Table:
    """The rows of one question.

    Args:
        store: where to ask.
        name: a key of `NAMES`.
        filters: project, range and narrowing filters of its relations; all of project `default` where None.
        params: values of the question's own `$parameters`.
        scope: which span tables it touches, for questions that read `{span}` or `{log}`.

    Raises:
        QuestionError: there is no question of this name.
    """
    sql, bound = relations(filters or Filters()).into(question(name))
    return store.read(sql, {**bound, **(params or {})}, scope)


def rows(store: Store, name: str, filters: Filters | None = None, /, **params: Any) -> list[dict[str, Any]]:
    """`ask` for small answers, as dictionaries."""
    return list(ask(store, name, filters, params).to_pylist())
