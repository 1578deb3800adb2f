"""The table of faults: complete, and every test that it names exists and runs when the table says so."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
NAMED = re.compile(r"`([a-z_/]+\.py)::(test_\w+)`( \*long\*)?")
DEMANDED = {1, 2, 5, 7, 9, 10, 12, *range(14, 25), 28, 29, 30, 34, 41, 42, 43, 47, 48}
"""Faults that must have a test."""


def rows() -> list[str]:
    """Rows of the table."""
    return [line for line in (HERE / "README.md").read_text("utf-8").splitlines() if re.match(r"\| \d", line)]


def test_every_fault_has_a_test() -> None:
    """Each demanded fault has a row, and each row names tests."""
    found = {int(number) for row in rows() for number in re.findall(r"\d+", row.split("|")[1])}
    assert found >= DEMANDED
    assert all(NAMED.search(row) for row in rows())


def test_every_test_of_the_table_exists() -> None:
    """In the file that is named, among the slow ones exactly where the table says so."""
    for file, name, is_long in (found for row in rows() for found in NAMED.findall(row)):
        text = (HERE.parent / file).read_text("utf-8")
        assert f"\ndef {name}(" in text, f"{file}::{name}"
        decorators = text.split(f"\ndef {name}(")[0].rsplit("\n\n", 1)[-1]
        slow = bool(re.search(r"^@pytest\.mark\.slow", decorators, re.MULTILINE))
        assert slow == bool(is_long), f"{file}::{name}"
