"""Catalogues: sentences that frameworks put in the place of an exception, words that say nothing, injected orders.

Data in one place, with where it comes from. They raise flags. Only a framework's masking sentence may change an
outcome, and only when the whole result is that sentence.
"""

from __future__ import annotations

from telltale.payload.texts.catalogues.injections import INJECTION, injection_in
from telltale.payload.texts.catalogues.masking import MASKING, Masking, masking_of
from telltale.payload.texts.catalogues.nothing import SAYING_NOTHING, says_it_failed, says_nothing, tells_more

__all__ = [
    "INJECTION",
    "MASKING",
    "SAYING_NOTHING",
    "Masking",
    "injection_in",
    "masking_of",
    "says_it_failed",
    "says_nothing",
    "tells_more",
]
