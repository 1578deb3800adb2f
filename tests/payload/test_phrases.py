"""Standard phrases of failing texts: which code each means, and that ordinary sentences mean none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from telltale.payload.codes import phrases
from telltale.payload.codes.phrase_tables import ENTRIES
from telltale.payload.codes.phrases import code_of_phrase
from telltale.vocabulary import Code

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


def _exhaustive(text: str) -> tuple[int, Code, str] | None:
    """The phrase that counts when every entry is asked, whatever the first look holds."""
    return phrases._best(text.lower(), range(len(ENTRIES)))


@pytest.mark.parametrize("exact", [True, False])
def test_the_first_look_loses_no_entry(exact: bool) -> None:
    """What one pass over a text holds is enough to find the same phrase as asking every entry.

    The exact look is only taken at texts of plain ASCII.
    """
    anchors = [anchor for _, anchor, _ in ENTRIES]
    texts = [text for told in PHRASES.values() for text in told]
    texts += [f"x {anchor} {other} y" for anchor, other in zip(anchors, reversed(anchors), strict=True)]
    for text in [*texts, *(text.upper() for text in texts)]:
        if exact and not text.isascii():
            continue
        held = phrases._first_look(exact)(text if exact else text.lower())
        assert phrases._best(text.lower(), held) == _exhaustive(text), text


@pytest.mark.parametrize(
    "text",
    [
        "'NoneType' object has no attribute 'get'",
        "'int' object is not callable",
        "list index out of range",
        "Index 5 out of bounds for length 3",
        "Cannot read properties of undefined (reading 'id')",
        "x.map is not a function",
        "undefined is not an object",
        "name 'total' is not defined",
        "Unexpected token '<', \"<!doctype\" is not valid JSON",
        "java.lang.NullPointerException: null pointer",
    ],
)
def test_defects_are_internal(text: str) -> None:
    """A message by which a runtime reports a fault of the program itself blames nobody else."""
    found = code_of_phrase(f"lookup failed: {text}")

    assert found is not None
    assert found[0] is Code.INTERNAL
