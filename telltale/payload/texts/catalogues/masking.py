"""Sentences that frameworks put in the place of an exception, with the framework and the version; matched whole."""

from __future__ import annotations

import re
from dataclasses import dataclass


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
    _masking(
        "mcp clients",
        "",
        r"(?:MCP )?[Ss]erver ['\"`]?[\w.-]{1,80}['\"`]? is not (?:connected|running|initiali[sz]ed|available)\.?",
        False,
    ),
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
    _masking("javascript", "", r"\[object (?:Object|Promise|Response)\]|Promise \{ <(?:pending|rejected)>.{0,200}\}"),
    _masking(
        "python",
        "3",
        r"<(?:coroutine|async_generator|generator) object [\w.<>]{1,120} at 0x[0-9a-f]{4,16}>"
        r"|<(?:Future|Task) (?:pending|finished).{0,300}>|<Response \[[45]\d\d\]>",
    ),
    _masking(
        "tool registry",
        "",
        r"(?:Error: )?Tool ['\"`]?[\w.:/-]{1,120}['\"`]? (?:was )?not found\. Available tools: .*",
        False,
    ),
    _masking(
        "redis (RESP)",
        "3",
        r"-(?:ERR|NOAUTH|WRONGPASS|NOPERM|WRONGTYPE|OOM|LOADING|READONLY|BUSY|MISCONF|NOSCRIPT|EXECABORT) [^\n]{1,400}",
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
        "Server ",
        "server ",
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
        "Promise {",
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
    *("-ERR", "-NO", "-WRONG", "-OOM", "-LOADING", "-READONLY", "-BUSY", "-MISCONF", "-EXECABORT"),
    *("<coroutine", "<async_gen", "<generator", "<Future", "<Task", "<Response"),
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
