"""Whether an examining tool tries something out, or looks something up: `check_syntax` and `check_stock`."""

from __future__ import annotations

import re
from functools import lru_cache

from telltale.payload.asked.verbs import has_word, names_a_state
from telltale.payload.words import words

_TRIALS = words(
    "validate verify test tests ping probe lint linter is exists compare diff validation assert syntax types schema"
    " format link links url urls connection connectivity network host port dns ssl tls cert certificate server service"
    " services endpoint endpoints site database db password token login access"
)
_CHECKERS = re.compile(r"[a-z]{2}(?:lint|check)$")
"""Checkers are called after what they look at: `yamllint`, `typecheck`."""


@lru_cache(maxsize=4096)
def names_a_trial(tool: str) -> bool:
    """Whether a tool's name says that no is one of its answers: it validates, pings, lints or compares something.

    `check_stock` and `review_order` look a thing up by its id, and that there is none by that id is a failure.
    """
    return names_a_state(tool) or has_word(tool, _TRIALS) or _CHECKERS.search(tool) is not None
