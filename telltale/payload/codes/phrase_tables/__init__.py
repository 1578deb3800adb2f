"""The standard phrases of failing texts with the code that each means: data, read by `telltale.payload.codes.phrases`.

One file per code. An entry is the anchor that must stand in the lower-case text, and the pattern around it (None where
the anchor alone will do). Of entries that stand at the same place in a text, the earlier in `ENTRIES` counts.
"""

from __future__ import annotations

from telltale.payload.codes.phrase_tables import conflict, denied, invalid, limited, missing, unavailable
from telltale.vocabulary import Code

ENTRIES: tuple[tuple[Code, str, str | None], ...] = tuple(
    (code, anchor, pattern)
    for code, phrases in (
        (Code.RATE_LIMITED, limited.PHRASES),
        (Code.PERMISSION_DENIED, denied.PHRASES),
        (Code.UNAVAILABLE, unavailable.PHRASES),
        (Code.CONFLICT, conflict.PHRASES),
        (Code.INVALID_ARGUMENT, invalid.PHRASES),
        (Code.NOT_FOUND, missing.PHRASES),
    )
    for anchor, pattern in phrases
)

__all__ = ["ENTRIES"]
