"""Orders to the model inside a failing text. They raise a flag, never an outcome."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

_MODEL = r"(?:ai|assistant|language model|model|llm|agent|chat ?bot)\b"
_NOTE = (
    r"\b(?:note|message|instructions?|attention|important|notice|reminder)\b[\s:,-]{0,3}"
    rf"(?:(?:to|for)\s+(?:the\s+|any\s+)?{_MODEL}|(?:the\s+)?{_MODEL}\s*[:,])"
)
_MODELS = ("assistant", "model", "llm", "agent", " ai", "chatbot", "chat bot")
# What a text must hold (one of the first, and one of the second) before the pattern is asked; lower-case patterns.
INJECTION: tuple[tuple[tuple[str, ...], tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (first, second, re.compile(pattern))
    for first, second, pattern in (
        (
            ("ignore", "disregard", "forget", "override"),
            ("instruction", "prompt", "rule", "direction", "order", "message", "guideline"),
            r"\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|all|your|any)\b"
            r".{0,30}\b(?:instruction|prompt|rule|direction|order|message|guideline)s?",
        ),
        (
            ("ignorier", "ignora", "ignore", "忽略", "無視", "무시"),
            ("anweisung", "instruccion", "instruc", "istruzion", "consignes", "指令", "指示", "지시"),
            r"\bignorier\w* (?:alle |die )?(?:vorherigen |bisherigen |obigen )?anweisungen"
            r"|\bignor[ae] (?:todas )?(?:las |as )?instruc\w+ (?:anteriores|previas)|\bignora (?:tutte )?le istruzioni"
            r"|\bignorez (?:toutes )?les (?:instructions|consignes)|忽略.{0,12}指令|指示を.{0,6}無視|지시.{0,6}무시",
        ),
        (
            ("assistant:", "ai:", "model:", "agent:", "llm:"),
            (" to ", "you", "please", "now", "must", "call", "run", "read", "send", "use", "do "),
            r"(?:^|[.!?\n]\s{0,3})(?:ai )?(?:assistant|ai|model|agent|llm):\s+(?:to |you\b|please\b|now\b|must\b"
            r"|(?:call|run|read|send|use|do)\b)",
        ),
        (("note", "message", "instruction", "attention", "important", "notice", "reminder"), _MODELS, _NOTE),
        (
            ("<", "[inst]", "[/inst]"),
            ("system", "assistant", "important", "instruction", "admin", "inst]", "im_", "_result"),
            r"<\s*/?\s*(?:system(?:[-_]\w+)?|assistant|important|instructions?|admin|tool_results?|function_results?)\s*>|\[/?inst\]|<\|im_(?:start|end)\|>",
        ),
        (
            ("system prompt", "password", "your instructions", "your rules", "your prompt"),
            ("reveal", "print", "show", "repeat", "output", "send", "leak"),
            r"\b(?:reveal|print|show|repeat|output|send|leak)\b.{0,30}"
            r"\b(?:system prompt|your (?:instructions|prompt|rules)|(?:admin|root) password)",
        ),
        (
            ("do not ", "don't ", "never "),
            ("user", "human", "operator", "anyone"),
            r"\b(?:do not|don't|never) (?:tell|inform|mention|reveal|ask|alert|warn)\b.{0,30}"
            r"\b(?:the )?(?:user|human|operator|anyone)",
        ),
        (
            ("without ",),
            ("asking", "confirm", "approval", "telling", "informing"),
            r"\bwithout (?:asking|confirm\w*|approval|telling|informing)\b",
        ),
        (
            ("approved", "authori"),
            ("continue", "proceed", "go ahead", "call", "run", "execute", "transfer"),
            r"\b(?:has|have|is|are) (?:already )?(?:been )?(?:pre-?)?(?:approved|authori[sz]ed)\b.{0,60}"
            r"\b(?:continue|proceed|go ahead|call|run|execute|transfer)",
        ),
        (("you are now", "new "), ("you are", "instruction"), r"\byou are now\b|\bnew (?:system )?instructions?\s*:"),
        (
            ("assistant ", "agent ", "model ", "as an ai", "as an assistant"),
            ("must", "should", "has to", "needs to", "need to"),
            r"\b(?:assistant|agent|model|ai) (?:must|should|has to|needs to) (?:now )?"
            r"(?:run|execute|send|forward|upload|e-?mail|reveal|delete|transfer|disable)\b"
            r"|\bas an (?:ai(?: assistant| agent| model)?|assistant),? you (?:must|should|need to|have to)\b",
        ),
        (
            ("act as ",),
            ("admin", "root", "developer", "unrestricted"),
            r"\bact as (?:an?|the)\b.{0,30}\b(?:admin|root|developer|unrestricted)",
        ),
    )
)
"""Orders to the model inside a text. Checked only in the text of calls that failed; sets a flag, never an outcome."""


@cache
def _first_look() -> Callable[[str], Sequence[int]]:
    """Which anchors a text holds: those of the entry n are 2n and 2n + 1."""
    from telltale.redaction.prefilter import prefilter

    anchors = [words for first, second, _ in INJECTION for words in (first, second)]
    return prefilter([("|".join(re.sub(r"([\[\]])", r"\\\1", word) for word in words), words) for words in anchors])


_TAGS = re.compile("[" + chr(0xE0020) + "-" + chr(0xE007E) + "]{4,}")
"""Characters of Unicode's tags, which show nothing to people and spell ASCII to a model."""


def _shown(hit: re.Match[str]) -> str:
    return " " + "".join(chr(ord(tag) - 0xE0000) for tag in hit.group())


def injection_in(text: str) -> str | None:
    """The first order to the model in a failing text (its first 8,000 characters), None where there is none."""
    head = text[:8_000]
    if not head.isascii():
        head = _TAGS.sub(_shown, head)
    low = head.lower()
    held = _first_look()(low)
    for number, (_, _, pattern) in enumerate(INJECTION) if held else ():
        if 2 * number in held and 2 * number + 1 in held:
            hit = pattern.search(low)
            if hit:
                return head[hit.start() : hit.end()]
    return None
