"""The `telltale` command: loads each room's `cli` module by name at run time, so that no room is imported statically.

On a light install (`pip install telltale-otel`) only `telltale contract` and `telltale --version` work; every
other command names the extra.
"""

from __future__ import annotations

import importlib
import os
import sys
from importlib import metadata
from pathlib import Path

CONTRACT = "The envelope's JSON Schemas, codes and actions."
"""What `telltale contract` prints, for the list of commands."""

ROOMS = ("analytics", "collector", "dashboard")
_NEEDS_SERVER = "telltale: this command needs the service: pip install 'telltale-otel[server]'"


def rooms_on_path() -> None:
    """Put the rooms that travel inside the wheel first on this process's path and on its children's.

    In a checkout the rooms are plain top-level packages beside `telltale/` and nothing has to be done.
    """
    inside = Path(__file__).with_name("_rooms")
    root = inside if inside.is_dir() else Path(__file__).parent.parent
    if str(root) not in sys.path[:1]:
        sys.path.insert(0, str(root))
    inherited = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry and entry != str(root)]
    os.environ["PYTHONPATH"] = os.pathsep.join([str(root), *inherited])


def main() -> None:
    """Run the command line. Exit codes are each command's own; 2 means bad usage everywhere."""
    if sys.argv[1:] == ["--version"]:
        print(f"telltale {metadata.version('telltale-otel')}")
        return
    if sys.argv[1:2] == ["contract"]:
        _contract()
    rooms_on_path()
    try:
        typer = importlib.import_module("typer")
        rooms = [importlib.import_module(f"{room}.cli") for room in ROOMS]
    except ModuleNotFoundError as missing:
        print(f"{_NEEDS_SERVER} ({missing.name} is not installed)", file=sys.stderr)
        sys.exit(2)
    app = typer.Typer(
        name="telltale",
        help="Which tool calls of your agents failed, which lied about it, and why.",
        epilog="telltale --version names the release.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    for room in rooms:
        room.register(app)
    # Its own parser reads the options; here it is for the list of commands.
    own = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
    app.command("contract", help=CONTRACT, context_settings=own)(_contract)
    app()


def _contract() -> None:
    from telltale._contract_command import run

    sys.exit(run(sys.argv[sys.argv.index("contract") + 1 :]))


if __name__ == "__main__":
    main()
