"""Exit codes: where a text states one, and where one is an answer.

Of some programs POSIX or their manual says that 1 means "no" or "different". A text states an exit code in its last
line, and the output of a tool that runs programs also in its first line or in a block of labelled lines.
"""

from __future__ import annotations

import re
from typing import Any

from telltale.payload.words import words

_ANSWERING = words(
    """
    grep egrep fgrep zgrep rg ag ack pgrep pidof diff cmp comm test [ [[ which command expr
    """
)
_ANSWERING_OF = {
    "git": words("grep diff merge-base check-ignore"),
    "kubectl": words("diff can-i"),
    "oc": words("diff can-i"),
    "systemctl": words("is-active is-enabled is-failed"),
    "npm": words("outdated"),
    "helm": words("diff"),
}
"""The commands of larger programs that answer with 1, as their manuals say."""

_CODES_OF = {
    "robocopy": range(1, 8),  # copied, extra files seen, mismatches; 8 and more are failures
    "rsync": (24,),  # some files vanished while they were copied
    "timeout": (124,),  # the time that was given on purpose is over
}
_ANSWERS = frozenset({1}.union(*_CODES_OF.values()))
"""Every code that answers for some program, as its manual says."""

_SEPARATOR = re.compile(r"&&|\|\||[|;&\n]")
_LAST = re.compile(
    r"(?:\[[^\]\n]{0,60}?\bexit(?:ed)?(?:[ _-]?(?:code|status))?(?: with)?(?: code| status)?\s?[:=]?\s?"
    r"(?P<a>\d{1,3})\.?\]|^\(exit (?P<c>\d{1,3})\)"
    r"|[(<]?(?:command |process |program )?(?:exited with|failed with|exit|returned)(?: non-zero)?(?: exit)?[ -]?"
    r"(?:code|status|(?<=exit)(?=:))\s?[:=]?\s?(?P<b>\d{1,3})[)>]?\.?)\s*$",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"[\[(<]?(?:command |process |program )?(?:exited |failed )?(?:with )?(?:(?:exit|return)[ _-]?(?:code|status)"
    r"|(?<=exited with )code)\s?[:=>]?\s?(\d{1,3})(?:\.|\]|\)|</exit_?(?:code|status)>)?",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"\w[\w -]{0,30}:\s{1,20}\d{1,3}")
_LABELLED = re.compile(r"^(?:exit|return)[ _-]?(?:code|status):[ \t]*(\d{1,3})[ \t]*$", re.IGNORECASE | re.MULTILINE)
_LABELS = re.compile(r"^(?:stdout|stderr|output|command|signal|directory)\b[^:\n]{0,20}:", re.IGNORECASE | re.MULTILINE)
_BLOCK_CAP = 20_000
_KEYS = ("command", "cmd", "argv", "command_line", "commandLine", "shell_command", "script", "code", "args", "input")


def exit_stated(text: str, runs: bool) -> tuple[str, int] | None:
    """The exit code that a text states, with the words that state it; None where it states none.

    Args:
        text: the whole result.
        runs: whether the tool runs programs, so that its first line and its labelled lines are the harness's own.
    """
    tail = text[-160:]
    if "xit" in tail or "XIT" in tail or "returned" in tail:
        line = tail.rstrip().rsplit("\n", 1)[-1]
        last = line.strip()
        if line[:2] == "  " and _ENTRY.fullmatch(last) and "\n" in text.strip():
            return None  # an entry of a description (`kubectl describe`: a container's), not the harness's own line
        hit = _LAST.fullmatch(last) or (_LAST.search(last) if len(text) <= 160 and last[-1:] in "])" else None)
        if hit is not None:
            return hit.group(0), int(hit.group(hit.lastgroup or 0))
    if not runs:
        return None
    first = _FIRST.fullmatch(text[:80].lstrip().split("\n", 1)[0].strip())
    if first is not None:
        return first.group(0), int(first.group(1))
    labelled = _LABELLED.search(text[:_BLOCK_CAP]) if len(_LABELS.findall(text[:_BLOCK_CAP])) >= 2 else None
    return (labelled.group(0).strip(), int(labelled.group(1))) if labelled is not None else None


def exit_told(result: Any) -> int | None:
    """The exit code that a program's result tells, under a customary key or in a line of its own; None for none."""
    if isinstance(result, dict):
        return next((inner for key, inner in result.items() if key in _EXIT_KEYS and type(inner) is int), None)
    stated = exit_stated(result, runs=True) if isinstance(result, str) else None
    return stated[1] if stated is not None else None


_EXIT_KEYS = words("exit_code exitCode exit_status exitStatus returncode return_code returnCode exitcode")


def cut_short(text: str) -> str | None:
    """The last line with which a harness says that it ended the program itself (`Command aborted`)."""
    last = text[-160:].rstrip().rsplit("\n", 1)[-1].strip()
    return last if _CUT_SHORT.fullmatch(last) is not None else None


_CUT_SHORT = re.compile(
    r"[\[(<]?(?:[Cc]ommand|[Pp]rocess|[Ee]xecution) (?:was )?(?:aborted|killed|terminated|interrupted|timed out)"
    r"(?: after [\d.]+ ?\w{1,12})?[\])>]?\.?"
)


def exit_named(text: str) -> tuple[str, str] | None:
    """The name that a last line gives in place of an exit code (`<exited with exit code MODULE_NOT_FOUND>`)."""
    last = text[-160:].rstrip().rsplit("\n", 1)[-1].strip()
    hit = _NAMED.fullmatch(last) if "xited with" in last else None
    return (last, hit.group("name")) if hit is not None else None


_NAMED = re.compile(
    r"[\[(<]?(?:(?:[Cc]ommand|[Pp]rocess|[Pp]rogram) )?[Ee]xited with (?:exit )?code "
    r"(?P<name>[A-Z]{2,20}(?:_[A-Z]{2,20}){0,4})[\])>]?\.?"
)


def reports_findings(text: str) -> bool:
    """Whether what a checker printed holds findings: a count of them at its end, or a line that begins with a place."""
    return _COUNTED.search(text[-_END:]) is not None or _PLACED.search(text[:_END]) is not None


_COUNTED = re.compile(
    r"(?<![\w.-])\d{1,6} (?:(?:tests?|checks?|specs?) )?(?:failed|passed|failing|passing|failures?|errors?|problems?)\b"
)
_PLACED = re.compile(r"^(?:\./|/)?[\w./-]{1,200}\.\w{1,8}[:(]\d{1,6}[:,)]", re.MULTILINE)
_END = 2000


def is_answer(arguments: Any, code: int) -> bool:
    """Whether the exit code of the command that was asked for means "nothing found" or "they differ", not a failure.

    That is 1, or 2 where the command was told to say by its exit code whether there are changes. The last program of
    the command line decides, as the shell takes its exit code from there.
    """
    if code == _CHANGES and isinstance(arguments, dict) and any(map(_is_detailed, arguments.items())):
        return True
    last = _last_program(arguments) if code in _ANSWERS else []
    if not last:
        return False
    program = last[0].replace("\\", "/").rsplit("/", 1)[-1].lower().removesuffix(".exe")
    if code == _CHANGES and any(_DETAILED.fullmatch(word) for word in last):
        return True
    if code != 1:
        return code in _CODES_OF.get(program, ())
    answering = _ANSWERING_OF.get(program)
    if answering is not None:
        return not answering.isdisjoint(last[1:3])
    return program in _ANSWERING or 1 in _CODES_OF.get(program, ())


def _last_program(arguments: Any) -> list[str]:
    """The words of the last program of a command line, without what only prepares it."""
    command = command_of(arguments)
    last = _SEPARATOR.split(command.strip()[-2000:])[-1].split() if command else []
    while last and ("=" in last[0] or last[0] in ("sudo", "env", "time", "!", "(")):
        last = last[1:]
    return last


def _is_detailed(argument: tuple[Any, Any]) -> bool:
    """Whether an argument is that option: `{"detailed_exitcode": true}`."""
    return argument[1] is True and _DETAILED.fullmatch("--" + str(argument[0]).replace("_", "-")) is not None


_DETAILED = re.compile(r"--?detailed-?exit-?codes?(?:=true)?", re.IGNORECASE)
"""The option of Terraform, OpenTofu, helm-diff and Puppet under which 2 says "there are changes"."""
_CHANGES = 2


def shows_text(arguments: Any, text: str) -> bool:
    """Whether a command does nothing but show what is written somewhere, so that an error in it is a line of that.

    Every program of the line must be one that shows (`cat x | tail`, not `python x | tail`), or `cd` before it. What
    such programs say of themselves bears their own name (`cat: x: No such file`) and is judged elsewhere; of a
    container's logs, what names the container is about the command.
    """
    command = _DUPLICATED.sub("", command_of(arguments).strip())
    if not 0 < len(command) <= _LONGEST_SHOWING:
        return False
    shown = False
    for piece in filter(None, map(str.split, _SEPARATOR.split(command))):
        program, rest = piece[0].rsplit("/", 1)[-1], piece[1:]
        if program in _CONTAINERS and rest[:1] == ["logs"]:
            if any(len(word) > 2 and word in text for word in rest[1:]):
                return False
        elif program not in _SHOWING and (program != "cd" or shown):
            return False
        shown = shown or program != "cd"
    return shown


_DUPLICATED = re.compile(r"\d?>&\d")
_SHOWING = words(
    """
    cat tac bat zcat head tail less more nl sed cut sort uniq strings jq journalctl grep egrep fgrep zgrep rg
    """
)
_CONTAINERS = words("docker podman nerdctl kubectl oc")
_LONGEST_SHOWING = 300


_SHELLS = ("bash", "sh", "zsh", "dash")


def command_of(arguments: Any) -> str:
    """The command line that a call gave, under whatever customary key; empty where it gave none."""
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, list):
        parts = [part for part in arguments if isinstance(part, str)]
        shell = len(parts) == 3 and parts[0].rpartition("/")[2] in _SHELLS and parts[1] in ("-c", "-lc")
        return parts[2] if shell else " ".join(parts)
    if isinstance(arguments, dict):
        for key in _KEYS:
            inner = arguments.get(key)
            if isinstance(inner, str | list) and inner:
                return command_of(inner)
    return ""
