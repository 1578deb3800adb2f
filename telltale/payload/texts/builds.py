"""What compilers, build tools and version control print when they could not do it, in the middle or at the end.

Asked only of what a command printed that does more than show texts. The forms are those of the tools' own sources:
GNU's `file:line:column: error:` (GNU coding standards, section 4.4), MSBuild's and TypeScript's `error XX1234:`, Go's
`[build failed]`, Maven's `BUILD FAILURE`, git's refusals, apt's and Ansible's leading marks.
"""

from __future__ import annotations

import re

from telltale.payload.words import holds_any
from telltale.vocabulary import Code

_LINE = re.compile(
    r"^(?P<text>(?P<line>[^\s:()]{1,200}:\d{1,6}:(?:\d{1,5}:)? (?:fatal )?error: .{1,160}"
    r"|[^\s()]{1,200}\(\d{1,6},\d{1,5}\): error [A-Z]{2,6}\d{3,5}: .{1,160}"
    r"|[^\s:()]{1,200}\.go:\d{1,6}:\d{1,5}: (?:undefined: |cannot use |imported and not used|syntax error).{0,160})"
    r"|FAIL\t\S{1,200} \[(?:build|setup) failed\]|(?:\[\w{1,8}\] )?BUILD FAILURE"
    r"|(?P<conflict>CONFLICT \([\w/ ]{1,40}\): .{1,160}|Automatic merge failed; fix conflicts .{1,80}"
    r"| ! \[(?:remote )?rejected\] .{1,160}))$",
    re.MULTILINE,
)
_ANCHORS = (
    "error: ",
    ": error ",
    ".go:",
    "[build failed]",
    "[setup failed]",
    "BUILD FAILURE",
    "CONFLICT (",
    "rejected]",
)
_LEAD = re.compile(r"\s*(?P<text>(?:E: (?=[A-Z])|ERROR! )[^\n]{1,200})")
_SYNTAX = re.compile(
    r'  File "[^"\n]{1,200}", line \d{1,6}\n(?:[^\n]{0,300}\n){1,4}(?P<text>\w{3,40}Error: [^\n]{1,200})\s*\Z'
)
_SCAN = 20_000


_BUILDING = re.compile(
    r"\b(?:make|cmake|ninja|gcc|g\+\+|cc|clang(?:\+\+)?|javac|rustc|swiftc|kotlinc|ghc|msbuild|dotnet|go|compile|build)\b"
)
"""What builds; of a checker (`mypy`, `tsc --noEmit`), errors in a file are what it was asked for."""


def failed_build(text: str, command: str) -> tuple[str, Code | None] | None:
    """The line that says that a build, a merge or an installation failed, and its code; None where there is none.

    Args:
        text: what was printed.
        command: the command line, empty where none is known.
    """
    lead = _LEAD.match(text[:400]) or (_SYNTAX.match(text) if text.startswith("  File ") and len(text) < 2000 else None)
    if lead is not None:
        return lead.group("text").strip()[:120], None
    body = text[-_SCAN:]
    if not holds_any(body, _ANCHORS):
        return None
    hit = _LINE.search(body)
    if hit is None or (hit.group("line") and _BUILDING.search(command) is None):
        return None
    return hit.group("text").strip()[:120], Code.CONFLICT if hit.group("conflict") else None
