"""`telltale serve` on its own, for tests that need a real process."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import typer

from collector.commands.serve import serve

typer.run(serve)
