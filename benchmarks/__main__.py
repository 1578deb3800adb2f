"""`make bench`: run every benchmark of this folder, or the ones named: `make bench ARGS="judge ingest"`.

Each module has `main() -> None`, which prints its own table: figures per CPU-second beside wall figures, since the
machine may be shared.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks


def main(wanted: list[str]) -> int:
    """Run the named benchmarks, or all; 2 when a name is unknown."""
    known = [m.name for m in pkgutil.iter_modules(benchmarks.__path__) if not m.name.startswith("_")]
    modules = {name: importlib.import_module(f"benchmarks.{name}") for name in known}
    runnable = {name: module for name, module in modules.items() if hasattr(module, "main")}
    unknown = [name for name in wanted if name not in runnable]
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)}; there are: {', '.join(runnable)}", file=sys.stderr)
        return 2
    for name, module in runnable.items():
        if not wanted or name in wanted:
            print(f"\n== {name}")
            module.main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
