"""What one verdict rests on, and the verdict while it is being made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from analytics.judge.attempts import Attempt
from analytics.judge.upstream import Surroundings, TraceIndex, surroundings_of
from analytics.normalise.logical_call import LogicalCall, Mark
from analytics.settings import ToolSettings
from analytics.spans import Span
from telltale.payload import Asked, Reading
from telltale.payload.asked.verbs import Verb, verb_of
from telltale.vocabulary import Code, Confidence, Declared, Outcome

_MOST_EVIDENCE = 40
"""A span may bear any number of exception events; a row keeps the first."""


@dataclass(slots=True)
class Verdict:
    """What the judge found on one call, before it becomes a row."""

    outcome: Outcome = Outcome.OK
    declared: Declared = Declared.NONE
    confidence: Confidence = Confidence.CERTAIN
    rules: list[str] = field(default_factory=list)
    evidence: list[dict[str, Any]] = field(default_factory=list)
    refused: bool = False
    cause: Attempt | None = None
    raised: Span | None = None
    logged: Code | None = None

    def hit(self, rule: str, place: str, where: str, value: Any) -> None:
        """Notes one rule's hit with its evidence (`place` is `key`, `mark` or `span_id`)."""
        if rule not in self.rules:
            self.rules.append(rule)
        if len(self.evidence) < _MOST_EVIDENCE:
            self.evidence.append({"rule": rule, place: where, "value": value})

    def silent(self, rule: str, span_id: str, value: Any, confidence: Confidence = Confidence.PROBABLE) -> None:
        """Makes the call a silent failure by this rule, resting on this span."""
        self.outcome, self.confidence = Outcome.SILENT_FAILURE, confidence
        self.hit(rule, "span_id", span_id, value)


@dataclass(slots=True)
class Case:
    """Everything that one verdict rests on."""

    call: LogicalCall
    reading: Reading
    asked: Asked
    settings: ToolSettings
    index: TraceIndex
    failed: list[Mark]
    claimed: Mark | None
    _below: Surroundings | None = None

    @property
    def below(self) -> Surroundings:
        """The spans below the call, walked when first asked for."""
        if self._below is None:
            self._below = surroundings_of(self.call, self.index)
        return self._below

    @property
    def changes(self) -> bool:
        """Whether the tool changes something: as the maintainer said, else by its verb."""
        said = self.asked.changes_state
        return said if said is not None else verb_of(self.asked.tool) is Verb.CHANGE


def brief(value: Any) -> Any:
    """A mark's value as evidence, small enough for a row."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, dict):
        return {str(key)[:40]: str(inner)[:200] for key, inner in list(value.items())[:8]}
    return str(value)[:200]
