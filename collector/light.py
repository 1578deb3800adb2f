"""Memory that the service would take and never use.

DuckDB and pyarrow import pandas, where it is installed (the dashboard brings it), to recognise its types among their
arguments: a fifth of a second of every start and 30 MB, for nothing. Told that there is none, they do without it.

The C library gives every thread an arena of its own and keeps in each what was freed there. Two arenas are enough for
the service's twenty threads, since most wait for each other anyway (`make bench ARGS=memory`).
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType

ARENAS = 2

_M_ARENA_MAX = -8
"""The parameter's number in glibc's malloc.h."""


def share_arenas() -> bool:
    """Let all threads allocate from few arenas; call before they start. Returns whether the C library knows of that."""
    try:
        return bool(ctypes.CDLL(None).mallopt(_M_ARENA_MAX, ARENAS))
    except (OSError, AttributeError):  # not glibc
        return False


class _NoPandas:
    """A finder that says there is no pandas."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        """See `importlib.abc.MetaPathFinder.find_spec`."""
        if name == "pandas":
            raise ModuleNotFoundError("the service does without pandas", name=name)


@contextmanager
def without_pandas() -> Iterator[None]:
    """Within the block pandas cannot be imported, unless it has been already."""
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
