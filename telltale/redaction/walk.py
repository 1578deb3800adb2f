"""What one walk through the JSON in a text keeps in mind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from telltale.redaction.keyed_text import MOST_HITS

Mark = Callable[[str, str], str]
"""What stands for a kind and a secret."""


class TooManyError(ValueError):
    """A text of JSON holds more secrets than are masked one by one."""


@dataclass(slots=True)
class Walk:
    """One walk through JSON: so many marks as one text may hold, whether all that was masked were whole values, and
    whether an object had a key twice.
    """

    of: Mark
    left: int = MOST_HITS
    only_whole: bool = True
    doubled: bool = False

    def object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """An object of which the last value of a key counts, as every reader of JSON has it."""
        value = dict(pairs)
        self.doubled |= len(value) != len(pairs)
        return value

    def mark(self, kind: str, secret: str) -> str:
        """As `Redactor.mark`.

        Raises:
            TooManyError: it was one too many.
        """
        self.left -= 1
        if self.left < 0:
            raise TooManyError
        return self.of(kind, secret)
