"""Exit codes that are answers: programs for which POSIX or their manual says that 1 means "no" or "different"."""

from __future__ import annotations

import re
from typing import Any

from telltale.payload.words import words

_ANSWERING = words(
    """
    grep egrep fgrep zgrep rg ag ack pgrep pidof diff cmp comm test [ [[ which command expr
    """
)
_SEPARATOR = re.compile(r"&&|\|\||[|;&\n]")
_KEYS = ("command", "cmd", "script", "code", "args", "input")


def is_answer(arguments: Any, code: int) -> bool:
    """Whether exit code 1 of the command that was asked for means "nothing found" or "they differ", not a failure.

    The last program of the command line decides, as the shell takes its exit code from there.
    """
    if code != 1:
        return False
    command = _command(arguments)
    if not command:
        return False
    last = _SEPARATOR.split(command.strip()[-2000:])[-1].split()
    while last and ("=" in last[0] or last[0] in ("sudo", "env", "time", "!", "(")):
        last = last[1:]
    if not last:
        return False
    program = last[0].rsplit("/", 1)[-1]
    if program == "git" and len(last) > 1:
        return last[1] in ("grep", "diff", "merge-base", "check-ignore")
    return program in _ANSWERING


def _command(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, list):
        return " ".join(part for part in arguments if isinstance(part, str))
    if isinstance(arguments, dict):
        for key in _KEYS:
            inner = arguments.get(key)
            if isinstance(inner, str | list) and inner:
                return _command(inner)
    return ""
