"""`telltale contract [--format json|text]`: the one command that works on a light install."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from telltale._command import CONTRACT
from telltale._contract import contract
from telltale._words import agent_instruction


def run(argv: list[str]) -> int:
    """Print the contract. Returns 0; argparse exits with 2 on bad usage."""
    parser = argparse.ArgumentParser(
        prog="telltale contract",
        description=CONTRACT,
    )
    parser.add_argument("--format", choices=("json", "text"), default="json", help="json (the default) or text")
    options = parser.parse_args(argv)
    found = contract()
    sys.stdout.write(_text(found) if options.format == "text" else json.dumps(found, indent=2) + "\n")
    return 0


def _text(found: dict[str, Any]) -> str:
    lines = ["Codes", ""]
    for code in found["codes"]:
        retry = "retryable" if code["retryable"] else "not retryable"
        lines.append(f"  {code['code']:<18} {code['action']:<20} {retry:<14} HTTP {code['http_status']}")
        lines.append(f"  {'':<18} {code['meaning']}")
    lines += ["", "Actions", ""]
    lines += [f"  {action['action']:<20} {action['sentence']}" for action in found["actions"]]
    lines += ["", f"A message has at most {found['message_cap']} characters.", "", "For the agent's instruction:", ""]
    lines += [f"  {line}" for line in agent_instruction().splitlines()]
    return "\n".join(lines) + "\n"
