"""Word tables, written as plain text and read once."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text, as a table to look them up in."""
    return frozenset(text.split())
