"""Standard phrases of failing texts: which code each means, and that ordinary sentences mean none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from telltale.payload.phrases import code_of_phrase

PHRASES: dict[str, list[str]] = json.loads((Path(__file__).parent / "data" / "phrases.json").read_text("utf-8"))


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in PHRASES.items() for text in texts])
def test_code(code: str, text: str) -> None:
    """A failing text in the words of libraries, services and validators gets the code that they mean."""
    found = code_of_phrase(text)

    assert found is not None
    assert found[0].value == code


@pytest.mark.parametrize(
    "text",
    ["Something broke on our side", "The profile FileNotFoundErrorHandler was used", "boom", "No response entity"],
)
def test_no_code(text: str) -> None:
    """A text without a standard phrase gets none; a name inside another word is no phrase."""
    assert code_of_phrase(text) is None
