"""Texts found clean are remembered: that must change nothing of what is masked, and stay small."""

from __future__ import annotations

from typing import Any

import pytest

from analytics.spans import Span
from analytics.store import Batch
from collector import redact
from collector.redact import BatchRedactor
from telltale.redaction import RedactionConfig, Redactor

SECRET = "sk-proj-0123456789abcdefghijABCDEFGHIJ0123456789"
VALUES: list[Any] = [
    "plain",
    SECRET,
    "a" * 500,
    f"the key is {SECRET}",
    4111111111111111,
    {"password": "hunter2"},
    "",
    7,
]


def span(attributes: dict[str, Any], name: str = "n") -> Span:
    """A span with these attributes."""
    return Span("1" * 32, "2" * 16, "", name, 1, 1, 2, attributes=attributes)


def masked(redactor: BatchRedactor, *spans: Span) -> list[dict[str, Any]]:
    """What is left of the attributes."""
    batch = Batch(list(spans))
    redactor(batch)
    return [s.attributes for s in batch.spans]


def test_a_redactor_that_remembers_masks_as_a_new_one() -> None:
    """Whatever came before, in whatever company, a span is masked as if it were the first."""
    old = BatchRedactor(Redactor(RedactionConfig(key=b"k")))
    for value in [*VALUES, *VALUES]:
        for key in ("text", "password", "gen_ai.tool.name"):
            made = {"other": "plain", key: value}
            new = BatchRedactor(Redactor(RedactionConfig(key=b"k")))
            assert masked(old, span(made), span({"text": "plain"})) == masked(new, span(made), span({"text": "plain"}))


def test_a_text_beside_a_secret_is_not_taken_for_clean() -> None:
    """Only the texts of a look that found nothing are remembered."""
    redactor = BatchRedactor(Redactor())
    for _ in range(2):
        [attributes] = masked(redactor, span({"a": SECRET, "b": "fine"}))
        assert SECRET not in str(attributes)
        assert attributes["b"] == "fine"


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sender of ever new texts makes the memory be cleared, not grow; long texts are never kept."""
    monkeypatch.setattr(redact, "_KNOWN_TEXTS", 50)
    redactor = BatchRedactor(Redactor())
    for n in range(500):
        masked(redactor, span({"id": f"number {n}", "long": f"{n} " * 200}))
        assert len(redactor._clean) < 60
    assert all(len(text) <= 128 for text in redactor._clean)
