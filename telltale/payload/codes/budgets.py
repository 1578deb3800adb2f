"""What says that the calls, steps or turns that a run was allowed are spent: names of classes and codes, sentences.

A name is no prose: `ToolCallLimit`, `tool_budget_exhausted` and `MaxTurnsExceeded` are split into their words. A quota
of a service (`usage_limit_reached`, `QuotaExceeded`) is a rate limit and none of these.
"""

from __future__ import annotations

import re
from functools import lru_cache

from telltale.payload.words import holds_any, words

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_LIMITS = words("limit max maximum")
_SPENT = words("exhausted exceeded spent reached depleted")
_COUNTED = words("call calls use uses step steps iteration iterations turn turns loop loops recursion")
_FRAMEWORKS = words("GraphRecursionError UsageLimitExceeded")
"""LangGraph 1 and Pydantic AI 2: the classes that end a run at its limit, named by other words."""


@lru_cache(maxsize=2048)
def names_a_spent_budget(name: str) -> bool:
    """Whether a class or a code names a limit of a run's own calls, steps or turns, or its budget, as spent."""
    if not name or len(name) > 120 or " " in name:
        return False
    if name.rpartition(".")[2] in _FRAMEWORKS:
        return True
    said = {word.lower() for word in _WORD.findall(name)}
    if "budget" in said or "budgets" in said:
        return not said.isdisjoint(_SPENT)
    if {"tool", "limit"} <= said and not said.isdisjoint(_SPENT):
        return True
    return not said.isdisjoint(_LIMITS) and not said.isdisjoint(_COUNTED)


_TOLD = re.compile(
    r"\b(?:tool|function|step|iteration|turn|run|call|use|search)s?(?: call| use| execution)?s?"
    r" (?:limit|budget|maximum) (?:was |is |has been )?(?:reached|exceeded|exhausted|spent|used up)\b"
    r"|\bmax(?:imum)? (?:number of )?(?:allowed )?(?:tool (?:calls|uses)|steps|iterations|turns|tool-calls)"
    r" (?:was |were |has been )?(?:reached|exceeded|used)\b"
    r"|\b(?:hit|reached|exceeded|used up) (?:its|the|your|their) (?:tool[- ])?(?:call|step|iteration|turn)s?"
    r" (?:budget|limit)\b"
    r"|\b(?:tool|call|step|iteration|turn)s? (?:limit|budget) of [^.\n]{1,40} (?:is|was) (?:used up|spent|exhausted)\b"
    r"|\bused (?:up )?all (?:of )?(?:its|the|your|their) [^.\n]{0,20}\b(?:calls|steps|turns|iterations)\b"
    r"|\bwould exceed the (?:tool_calls|request)_limit\b"
    r"|^budget (?:has been |was |is )?(?:exceeded|exhausted|spent|used up)\b"
    r"|\breached its usage limit of \d+ times\b"
    r"|\btoo many (?:tool|function) calls\b"
    r"|\bstopped due to (?:iteration limit|time limit|max(?:imum)? (?:iterations|steps|turns))\b"
    r"|\b(?:recursion|turn|step|iteration) limit of \d+ (?:was |is )?(?:reached|exceeded)\b"
    r"|\bmax_(?:turns|steps|iterations|tool_calls)\b[^.\n]{0,60} (?:was |is )?(?:exceeded|reached|exhausted|used up)\b"
    r"|\bused (?:up )?all \d+ (?:of (?:its|the|your|their) )?(?:\w+ )?(?:searches|calls|steps|turns|iterations|tries)\b"
    r"|\b(?:tool|call|step|iteration|turn|search)s? (?:limit|budget) (?:for|in|of) [^.\n]{1,40}"
    r" (?:is|was|has been) (?:used up|spent|exhausted|reached|exceeded)\b",
    re.IGNORECASE,
)
_ANCHORS = (" limit", "_limit", "budget", "max_", "stopped due", "maxim", "max ", "too many", "used ")
_HEAD = 400
_SOLE = 60


def tells_of_a_spent_budget(text: str) -> bool:
    """Whether a failing text says that the run's own limit is reached; never asked whether it failed."""
    head = text[:_HEAD].lower()
    return holds_any(head, _ANCHORS) and _TOLD.search(head) is not None


def says_only_that_it_is_spent(text: str) -> bool:
    """Whether a short text is nothing but that sentence, so that it stands in the place of the tool's answer."""
    if len(text) > 2 * _SOLE:
        return False
    body = _SCOPE.sub("", _WHO.sub("", text.strip(" \n\t.!")))
    hit = _TOLD.match(body) if len(body) <= _SOLE else None
    return hit is not None and hit.end() == len(body)


_WHO = re.compile(
    r"(?:you|the agent|this agent|agent)(?: have|'ve| has)? (?:already )?(?=used|hit|reached|exceeded)", re.IGNORECASE
)
_SCOPE = re.compile(r" (?:for|in|of) (?:this|the|your) (?:session|turn|run|conversation|task|request)$", re.IGNORECASE)
