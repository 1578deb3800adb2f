"""Catalogues: sentences that frameworks put in the place of an exception, words that say nothing, injected orders.

Data in one place, with where it comes from. They raise flags. Only a framework's masking sentence may change an
outcome, and only when the whole result is that sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from telltale.payload.asked.verbs import Verb, verb_of
from telltale.payload.words import words


@dataclass(slots=True, frozen=True)
class Masking:
    """A sentence that a framework returns as the tool's result when the tool raised.

    `pattern` matches the whole text. `generic` where the sentence hides the reason; some keep it.
    """

    framework: str
    version: str
    pattern: re.Pattern[str]
    generic: bool = True


def _masking(framework: str, version: str, pattern: str, generic: bool = True) -> Masking:
    return Masking(framework, version, re.compile(pattern, re.DOTALL), generic)


MASKING: tuple[Masking, ...] = (
    _masking("openai-agents", "0.24", r"An error occurred while running the tool\. Please try again\..*", False),
    _masking("google-adk (Java)", "0.3", r"An internal error occurred\."),
    _masking("google-adk", "2.13", r"Invoking `[^`]{1,200}` failed as .*", False),
    _masking("agent-framework", "1.23", r"Error: Function failed\."),
    _masking(
        "agent-framework",
        "1.23",
        r"Error: Requested function \"[^\"]{1,200}\" not found\.?",
        False,
    ),
    _masking("agent-framework", "1.23", r"Error: Argument parsing failed\."),
    _masking("mcp", "2.3", r"Error executing tool [\w.:/-]{1,200}"),
    _masking("mcp", "1.30", r"Error executing tool [\w.:/-]{1,200}: .*", False),
    _masking("fastmcp", "4.2", r"Error calling tool '[^']{1,200}'"),
    _masking("fastmcp", "4.2", r"Error calling tool '[^']{1,200}': .*", False),
    _masking("fastmcp", "4.2", r"Upstream request timed out, please retry", False),
    _masking("fastmcp", "4.2", r"Rate limited by upstream API, please retry later", False),
    _masking("mcp", "1.30", r"(?:Connection closed|Session terminated|Not connected)", False),
    _masking(
        "json-rpc", "2.0", r"(?:Method not found|Invalid params|Invalid Request|Internal error|Parse error)", False
    ),
    _masking("mcp", "1.30", r"Unknown tool: [\w.:/-]{1,200}", False),
    _masking("mcp", "1.30", r"(?:Input|Output) validation error: .*", False),
    _masking("mcp (TypeScript)", "1.x", r"MCP error -32\d{3}: .*", False),
    _masking("mcp (TypeScript)", "1.x", r"Invalid arguments for tool [\w.:/-]{1,200}: .*", False),
    _masking(
        "haystack",
        "3.4",
        r"(?:Tool invocation failed with error: )?Failed to invoke Tool `[^`]{1,200}` with parameters .*\. Error: .+",
        False,
    ),
    _masking(
        "haystack",
        "3.4",
        r"(?:Tool invocation failed with error: )?Failed to invoke Tool `[^`]{1,200}` with parameters .*",
    ),
    _masking("langgraph", "1.0", r"Error: [\w.-]{1,200} is not a valid tool, try one of \[.*", False),
    _masking("langgraph", "1.0", r"Error invoking tool '[^']{1,200}' with .*", False),
    _masking("langgraph", "1.0", r"Error: .*\n Please fix your mistakes\.", False),
    _masking("langchain", "0.3", r"[\w.-]{1,200} is not a valid tool, try (?:one of \[.*|another one\.)", False),
    _masking("langchain", "0.3", r"Invalid Format: Missing 'Action(?: Input)?:' after '(?:Thought|Action):'.*", False),
    _masking("langchain", "0.3", r"Agent stopped due to (?:iteration limit or time limit|max iterations)\.", False),
    _masking("langchain", "0.3", r"(?:Tool execution error|Tool input validation error)"),
    _masking("crewai", "1.10", r"I encountered an error while trying to use the tool\..*", False),
    _masking(
        "crewai", "1.10", r"Tool '[^']{1,200}' has reached its usage limit of \d+ times and cannot be used.*", False
    ),
    _masking("crewai", "1.10", r"I tried reusing the same input, I must stop using this action input\..*", False),
    _masking("crewai", "1.10", r"(?:Error: the )?Action Input is not a valid key, value dictionary\.?", False),
    _masking("llama-index", "0.14", r"Encountered error: .*", False),
    _masking(
        "copilot-sdk", "0.1", r"Invoking this tool produced an error\. Detailed information is not available\.", True
    ),
    _masking("claude-code", "2", r"<tool_use_error>.*</tool_use_error>", False),
    _masking("claude-code", "2", r"File has not been read yet\. Read it first before writing to it\.", False),
    _masking("claude-code", "2", r"String to replace not found in file\.\s.*", False),
    _masking("claude-code", "2", r"File does not exist\.(?: .{0,300})?", False),
    _masking("claude-code", "2", r"File content \(.{1,40} tokens\) exceeds maximum allowed tokens \(\d+\)\..*", False),
    _masking("text editor (Anthropic)", "20250728", r"No replacement was performed[,.] .*", False),
    _masking("server-filesystem (MCP)", "2025", r"Could not find exact match for edit:\n.*", False),
    _masking("cline", "3", r"The tool execution failed with the following error:.*", False),
    _masking("gemini-cli", "0.20", r"MCP tool '[^']{1,200}' reported (?:a )?tool error\b.*", False),
    _masking("n8n", "1.x", r"There was an error: \".*\"", False),
    _masking("axios", "1.x", r"Request failed with status code [45]\d\d", False),
    _masking("undici", "6.x", r"(?:TypeError: )?fetch failed", False),
    _masking("vercel-ai", "6", r"Model tried to call unavailable tool '[^']{1,200}'\..*", False),
    _masking("langchain4j", "1.4", r"There was a timeout executing the tool", False),
    _masking("javascript", "", r"\[object Object\]"),
    _masking(
        "tool registry",
        "",
        r"(?:Error: )?Tool ['\"`]?[\w.:/-]{1,120}['\"`]? (?:was )?not found\. Available tools: .*",
        False,
    ),
    _masking("semantic-kernel", "1.45", r"Something went wrong in function invocation\..*", False),
    _masking("strands", "1.62", r"(?:Error: \w+ - .*|Unknown tool: [\w.-]{1,200})", False),
)
"""Framework by framework, read off the frameworks' own sources and captured runs at the version named."""

_MASKING_HEADS = (
    *(
        "An ",
        "Error",
        "Upstream",
        "Rate limited",
        "Unknown",
        "Tool",
        "MCP",
        "Failed to invoke",
        "I encountered",
        "There was",
    ),
    *(
        "Request failed",
        "Invoking",
        "fetch",
        "Model",
        "TypeError",
        "Input",
        "Output",
        "Invalid arguments",
        "[object",
        "Invalid Format",
    ),
    *(
        "Agent stopped",
        "I tried reusing",
        "Action Input",
        "File ",
        "String to",
        "No replacement",
        "Could not find exact",
    ),
    *("Connection closed", "Session terminated", "Not connected", "Method not", "Internal error", "Parse error"),
    *("Something went wrong in function", "Encountered error", "<tool_use_error>", "The tool execution failed"),
)


_LONGEST = 20_000
_NOT_VALID, _HEAD = " is not a valid tool, try ", 240
_ANY_MASKING = re.compile(
    "|".join(f"(?P<n{number}>{entry.pattern.pattern})" for number, entry in enumerate(MASKING)), re.DOTALL
)


def masking_of(text: str) -> Masking | None:
    """The catalogue's entry that this whole text is; None for every other text."""
    if len(text) > _LONGEST or not (text.startswith(_MASKING_HEADS) or _NOT_VALID in text[:_HEAD]):
        return None
    hit = _ANY_MASKING.fullmatch(text.rstrip())
    return MASKING[int((hit.lastgroup or "n0")[1:])] if hit is not None else None


SAYING_NOTHING = words(
    """
    a action administrator again agent an and are as at be been by call called calling can cannot code complete
    completed completing contact could did do due during encountered err error errors exception execute executed
    executing execution fail failed failing fails failure false fatal fehler for from function generate
    generating generic handled handling happened has have in internal internally invocation invoke invoked
    invoking is issue it item job later mcp message method no node none not null object occurred of on oops
    operation or performing please plugin problem process processing raise raised raising request response
    result returned run running server service something sorry status step support target task that the there
    this thrown to tool true try trying unable undefined unexpected unexpectedly unhandled unknown unspecified
    using was went were when while with workflow wrong you your
    """
)
"""The words with which a text says that something failed, and not what."""

_REFERRING = words("check command details exit exited information log logs more output program see")
"""The words with which such a text sends its reader elsewhere: `Check the server logs for details.`"""

_WORD = re.compile(r"[A-Za-z]+|(?<!\d)(?!32\d{3}(?!\d))\d+")


_UNTELLING = re.compile(
    r"^[a-z]{3,6}\d{3,5}[a-z]?: "
    r"|\s[\[(](?:(?:ref|id|error|trace|request)\w{0,6}[ :#=-]{1,2})?(?:\w-)?[0-9a-f-]{6,40}[\])]\.?$"
    r"|the operation couldn't be completed\. \([\w.]{2,80} error -?\d{1,6}\.\)"
)
"""A product's message number, an error's id in brackets, and what Foundation says of an `NSError` without a text."""

_SMALL_CODE = re.compile(r"\b(?:code|status)\s?[:=]?\s?[1-9]?\d\b")
"""A program's exit code, or a number as small, tells no reason."""


_KINDS_OF_FAILURE = words(
    """
    access argument arguments bad connection data database execution file input inputs internal invalid network
    parameter parameters parse parsing query received sql system validation
    """
)
"""The words with which a text names the kind of a failure and no more: `The tool received an invalid argument.`"""


def says_nothing(message: str, tool: str = "", kinds: bool = False) -> bool:
    """Whether a failing message gives no reason: every word of it is a word for failing itself, or the tool's name.

    Args:
        message: what was told of the failure.
        tool: the tool's name.
        kinds: whether words for kinds of failures say nothing either; for what is told less than is known.
    """
    if len(message) > 200:
        return False
    message = message.replace("\u2019", "'")
    if not message.isascii() and _OTHER_LETTERS.search(message) is not None:
        return False
    low = _UNTELLING.sub("", message.lower())
    if "code" in low or "status" in low:
        low = _SMALL_CODE.sub("code", low)
    if " is not " in low or " are not " in low:
        return False
    if tool:
        low = low.replace(tool.lower(), " ")
    own: list[str] | None = None
    for found in _WORD.finditer(low):
        word = found.group()
        if word not in SAYING_NOTHING and word not in _REFERRING and not (kinds and word in _KINDS_OF_FAILURE):
            if "_" in message and " " not in message:
                return False  # a code of its own, which may share a word with the tool's name
            own = own if own is not None else _own_words(tool)
            if word not in own and not _is_own_deed(low, found.start(), word, tool):
                return False
    return True


def _is_own_deed(low: str, place: int, word: str, tool: str) -> bool:
    """Whether a word only says again what the tool is for, in another verb of its kind: `Failed to save` of a store."""
    return low.startswith("to ", max(0, place - 3)) and verb_of(word) is verb_of(tool) is Verb.CHANGE


_OTHER_LETTERS = re.compile(r"[^\W\d_a-zA-Z]")
"""Letters of other alphabets: what is written in them is not in the list above, and so says something."""

_NAME_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


def _own_words(tool: str) -> list[str]:
    """The words of a tool's name, split at its capitals too: `triggerAgreement`."""
    return [*_WORD.findall(tool.lower()), *(word.lower() for word in _NAME_WORD.findall(tool))]


_FAILING = words("error errors exception failed failure failing wrong fatal")
_NO_FAILURE = _REFERRING | words("none null true false no not")


def says_it_failed(text: str, tool: str = "") -> bool:
    """Whether a text says that something failed and nothing else, in at least two words: `Tool execution failed`."""
    said = _WORD.findall(text.lower())
    if len(said) < 2 or _FAILING.isdisjoint(said) or not _NO_FAILURE.isdisjoint(said):
        return False
    return _UNTELLING.search(text.lower().replace("\u2019", "'")) is None and says_nothing(text, tool)


_CONTENT = re.compile(r"[A-Za-z]{4,}|\d{2,}")


def tells_more(truth: str, told: str, tool: str) -> bool:
    """Whether what is known of a failure holds two words of content or more, and what was told of it none of them."""
    known = {word.lower() for word in _CONTENT.findall(truth[:1000])} - SAYING_NOTHING
    known -= set(_own_words(tool))
    return len(known) >= 2 and known.isdisjoint(word.lower() for word in _CONTENT.findall(told))


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
