"""Corrections of verdicts, and what they say of each rule's precision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from analytics.api.context import Answer, Context
from analytics.api.dismissals import DISMISSING
from analytics.api.paging import slice_of
from analytics.api.query import BadRequestError, NotFoundError, Query
from analytics.jobs.corrections import NoCodeError, NoSuchCallError, correct, take_back
from analytics.judge import ALL_RULES
from analytics.questions import rows
from analytics.questions.statistics import rate
from analytics.questions.times import rfc3339
from telltale.vocabulary import Code, Outcome

_MAX = 10_000


def corrections(context: Context, query: Query) -> Answer:
    """What engineers said of verdicts, of every tool or one, the latest first."""
    found = [_object(row) for row in _said(context, query)]
    return slice_of(found, query)


def _said(context: Context, query: Query) -> list[dict[str, Any]]:
    """The corrections of a project, or of one of its tools."""
    found = rows(context.store, "corrections", project=query.filters.project, limit=_MAX)
    return [row for row in found if query.filters.tool in (None, row["tool"])]


def add_correction(context: Context, query: Query) -> Answer:
    """Mark a verdict wrong (or, with the same outcome, right); its outcome, its code, or both."""
    outcome, code, span_id = (query.body.get(name) for name in ("outcome", "code", "span_id"))
    if outcome is None and code is None:
        raise BadRequestError("outcome or code must say what is right")
    if outcome is not None and (not isinstance(outcome, str) or outcome not in set(Outcome)):
        raise BadRequestError(f"outcome must be one of {', '.join(Outcome)}")
    if code is not None and (not isinstance(code, str) or code not in set(Code)):
        raise BadRequestError(f"code must be one of {', '.join(Code)}")
    if not isinstance(span_id, str) or not span_id:
        raise BadRequestError("span_id must name a span of the call")
    who, why = (_text(query, name) for name in ("who", "why"))
    right_outcome, right_code = Outcome(outcome) if outcome else None, Code(code) if code else None
    try:
        made = correct(
            context.store, query.filters.project, span_id, outcome=right_outcome, code=right_code, who=who, why=why
        )
    except NoSuchCallError as missing:
        raise NotFoundError(str(missing)) from None
    except NoCodeError as wrong:
        raise BadRequestError(str(wrong)) from None
    return {**_object(made), "corrected": made["corrected"]}


def undo(context: Context, query: Query) -> Answer:
    """Take a correction back, by its id or by a span of a call that it corrected; its row stays, with who and why."""
    who, why = (_text(query, name) for name in ("who", "why"))
    try:
        made = take_back(context.store, query.filters.project, query.path["id"], who=who, why=why)
    except NoSuchCallError as missing:
        raise NotFoundError(str(missing)) from None
    return {**_object(made), "corrected": made["corrected"], "in_force": made["in_force"]}


def checked_verdicts(said: Iterable[Mapping[str, Any]]) -> tuple[Counter[str], Counter[str]]:
    """How many verdicts of each rule stood, and how many people looked at: its precision.

    Precision: of the verdicts that a rule decided, and people looked at, how many stood. A verdict counts once, by the
    last word on its call that nobody took back, however many calls of the same pattern follow that word. It stood where
    its outcome did; a wrong code alone is not held against the rule. A verdict of `ok` was not decided by the rule that
    accused the call, but by what dismissed it: where a person says that the call failed, the rule's evidence stands
    after all, so that word counts neither for nor against it.

    Args:
        said: rows of `correction`, the latest first.
    """
    stood: Counter[str] = Counter()
    checked: Counter[str] = Counter()
    seen: set[str] = set()
    for row in said:
        if row["undone_ns"] is not None or row["span_id"] in seen:
            continue
        seen.add(row["span_id"])
        if row["judged"] == Outcome.OK and row["rule"] not in DISMISSING:
            continue
        checked[row["rule"]] += 1
        stood[row["rule"]] += row["judged"] == row["outcome"]
    return stood, checked


def rules(context: Context, query: Query) -> Answer:
    """Every rule with how often it spoke, and its precision as far as people checked it (`checked_verdicts`)."""
    hits = {row["rule"]: row for row in rows(context.store, "rule_hits", query.filters)}
    stood, checked = checked_verdicts(_said(context, query))
    found = []
    for rule_id, rule in ALL_RULES.items():
        hit = hits.get(rule_id, {})
        found.append(
            {
                "rule": rule_id,
                "sentence": rule.sentence,
                "confidence": rule.confidence.value,
                "calls": hit.get("calls", 0),
                "muted": hit.get("muted", 0),
                "silent": hit.get("silent", 0),
                "last_seen": rfc3339(hit.get("last_ns")),
                "precision": rate(stood[rule_id], checked[rule_id], max(0, hit.get("calls", 0) - checked[rule_id])),
            }
        )
    found.sort(key=lambda row: (-row["calls"], row["rule"]))
    return slice_of(found, query)


def _object(row: dict[str, Any]) -> dict[str, Any]:
    copied = ("id", "project", "tool", "rule", "span_id", "judged", "outcome", "code", "who", "why")
    return {
        **{name: row[name] for name in copied},
        "key_paths": msgspec.json.decode(row["key_paths"]),
        "created_at": rfc3339(row["created_ns"]),
        "undone_at": rfc3339(row["undone_ns"]),
        "undone_by": row["undone_by"],
        "undone_why": row["undone_why"],
    }


def _text(query: Query, name: str) -> str:
    value = query.body.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > 2000:
        raise BadRequestError(f"{name} must be a text of 1 to 2000 characters")
    return value.strip()
