"""Corrections of verdicts, and what they say of each rule's precision."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from analytics.api.context import Answer, Context
from analytics.api.query import BadRequestError, NotFoundError, Query
from analytics.jobs.corrections import NoSuchCallError, correct
from analytics.judge import ALL_RULES
from analytics.questions import rows
from analytics.questions.statistics import rate
from analytics.questions.times import rfc3339
from telltale.vocabulary import Outcome

_MAX = 10_000


def corrections(context: Context, query: Query) -> Answer:
    """What engineers said of verdicts, of every tool or one, the latest first."""
    found = [_object(row) for row in _said(context, query)]
    return {"rows": found[: query.limit], "total": len(found)}


def _said(context: Context, query: Query) -> list[dict[str, Any]]:
    """The corrections of a project, or of one of its tools."""
    found = rows(context.store, "corrections", project=query.filters.project, limit=_MAX)
    return [row for row in found if query.filters.tool in (None, row["tool"])]


def add_correction(context: Context, query: Query) -> Answer:
    """Mark a verdict wrong (or, with the same outcome, right)."""
    outcome, span_id = query.body.get("outcome"), query.body.get("span_id")
    if not isinstance(outcome, str) or outcome not in set(Outcome):
        raise BadRequestError(f"outcome must be one of {', '.join(Outcome)}")
    if not isinstance(span_id, str) or not span_id:
        raise BadRequestError("span_id must name a span of the call")
    said = {name: _text(query, name) for name in ("who", "why")}
    try:
        made = correct(context.store, query.filters.project, span_id, outcome=Outcome(outcome), **said)
    except NoSuchCallError as missing:
        raise NotFoundError(str(missing)) from None
    return {**_object(made), "corrected": made["corrected"]}


def rules(context: Context, query: Query) -> Answer:
    """Every rule with how often it spoke, and its precision as far as people checked it."""
    hits = {row["rule"]: row for row in rows(context.store, "rule_hits", query.filters)}
    right: Counter[str] = Counter()
    checked: Counter[str] = Counter()
    for row in _said(context, query):
        checked[row["rule"]] += 1
        right[row["rule"]] += row["judged"] == row["outcome"]
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
                "precision": rate(right[rule_id], checked[rule_id], hit.get("calls", 0) - checked[rule_id]),
            }
        )
    found.sort(key=lambda row: (-row["calls"], row["rule"]))
    return {"rows": found[: query.limit], "total": len(found)}


def _object(row: dict[str, Any]) -> dict[str, Any]:
    copied = ("id", "project", "tool", "rule", "span_id", "judged", "outcome", "who", "why")
    return {
        **{name: row[name] for name in copied},
        "key_paths": msgspec.json.decode(row["key_paths"]),
        "created_at": rfc3339(row["created_ns"]),
    }


def _text(query: Query, name: str) -> str:
    value = query.body.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > 2000:
        raise BadRequestError(f"{name} must be a text of 1 to 2000 characters")
    return value.strip()
