"""Secrets masked before anything is written or told: one pattern table for both ends.

The collector masks what it receives (profile `secrets`); the library masks what a tool tells a model (profiles
`secrets` and `internals`). Marks read `[REDACTED:kind:hmac8]`: equal secrets stay comparable, none can be guessed.
"""

from telltale.redaction.config import RedactionConfig
from telltale.redaction.internals import Finding, find_internals
from telltale.redaction.patterns import INTERNALS, PATTERNS, SECRETS, Pattern
from telltale.redaction.redactor import Redactor

__all__ = ["INTERNALS", "PATTERNS", "SECRETS", "Finding", "Pattern", "RedactionConfig", "Redactor", "find_internals"]
