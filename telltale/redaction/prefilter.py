"""A first look at a text: which patterns can possibly hit.

With RE2 (part of the service's dependencies) all shapes are one automaton: one pass, about 2 µs per kilobyte. Without
it, literals are looked for in the lower-cased text, which is linear too.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

View = tuple[str, Sequence[str]]
"""A shape (RE2 syntax), and literals one of which is in every hit's lower-cased text (none: always look)."""

_AUTOMATON_BYTES = 64 * 2**20


def prefilter(views: Sequence[View]) -> Callable[[str], Sequence[int]]:
    """A function from a text to the indices of the views that may hit; empty for a clean text."""
    try:
        re2 = importlib.import_module("re2")
    except ImportError:
        return with_literals(views)
    return with_re2(re2, views)


def with_re2(re2: Any, views: Sequence[View]) -> Callable[[str], Sequence[int]]:
    """The automaton over all shapes."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1  # bytes are bytes: half a character never stops the search
    options.max_mem = _AUTOMATON_BYTES
    options.log_errors = False
    automaton = re2.Set.SearchSet(options)
    for shape, _literals in views:
        automaton.Add(shape.encode())
    automaton.Compile()
    match: Callable[[bytes], list[int] | None] = automaton.Match

    def hits(text: str) -> Sequence[int]:
        return match(text.encode("utf-8", "surrogatepass")) or ()

    return hits


def with_literals(views: Sequence[View]) -> Callable[[str], Sequence[int]]:
    """The same without RE2; says yes more often."""
    checks = [tuple(literals) for _shape, literals in views]

    def hits(text: str) -> Sequence[int]:
        folded = text.lower()
        return [n for n, literals in enumerate(checks) if not literals or any(word in folded for word in literals)]

    return hits
