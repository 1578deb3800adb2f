"""Libraries that the service would load and never use.

DuckDB and pyarrow import pandas, where it is installed (the dashboard brings it), to recognise its types among their
arguments: a fifth of a second of every start and 30 MB of memory, for nothing. Told that there is none, they do without
it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType


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
