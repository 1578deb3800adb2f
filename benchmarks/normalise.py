"""What normalising costs: per tool call and per other span, and whether that holds as traces grow.

    python -m benchmarks normalise

A conversation is an agent span with, for each call, a model span, a tool span with 1 kB of result and the HTTP request
below it; once without messages (content capture off on model spans), once with the last 20 messages on each.
"""

from __future__ import annotations

import gc
import json
import time
from typing import Any

from analytics.normalise import normalise
from analytics.settings import JudgeSettings
from analytics.spans import Span, Trace
from telltale.payload.wrappers import MAX_READ, unwrap

BAR_CALL_US = 25.0
"""Most microseconds of CPU that a tool call may take, its HTTP child included, messages not."""
BAR_SPAN_US = 3.0
"""Most microseconds of CPU that a span which is no tool call may take."""
ROUNDS = 7

_ROW = {"id": 1, "name": "Ada Lovelace", "room": "blue", "note": "meeting at ten with the whole team"}
RESULT = {"content": [{"type": "text", "text": json.dumps([_ROW] * 9)}], "isError": False}
JUDGE = JudgeSettings()


def span(number: int, parent: str, name: str, kind: int = 1, **attributes: Any) -> Span:
    """One span of the conversation; dots in attribute names are given as two underscores."""
    names = {key.replace("__", "."): value for key, value in attributes.items()}
    ids = ("t" * 32, f"{number:016x}", parent)
    return Span(
        *ids, name, kind, number * 1000, number * 1000 + 900, attributes=names, resource={"service.name": "bot"}
    )


def conversation(calls: int, messages: int) -> Trace:
    """A trace of `calls` tool calls, with so many past messages on each model span."""
    root = span(0, "", "invoke_agent a", gen_ai__operation__name="invoke_agent", gen_ai__conversation__id="c")
    root.end_ns = calls * 10_000
    spans = [root]
    for n in range(calls):
        number = 1 + n * 3
        model = span(number, root.span_id, "chat m", 3, gen_ai__operation__name="chat", gen_ai__request__model="m")
        if messages:
            model.attributes |= _messages(n, messages)
        tool = span(number + 1, root.span_id, "execute_tool search", gen_ai__operation__name="execute_tool")
        tool.attributes |= {
            "gen_ai.tool.name": "search",
            "gen_ai.tool.call.id": f"call_{n}",
            "gen_ai.tool.call.arguments": '{"query": "Ada", "limit": 10}',
            "gen_ai.tool.call.result": json.dumps(RESULT),
        }
        http = span(number + 2, tool.span_id, "GET", 3, http__request__method="GET", http__response__status_code=200)
        spans += [model, tool, http]
    return Trace("default", root.trace_id, spans)


def _messages(n: int, count: int) -> dict[str, str]:
    def asked(k: int) -> dict[str, Any]:
        part = {"type": "tool_call", "id": f"call_{k}", "name": "search", "arguments": {"query": "Ada", "limit": 10}}
        return {"role": "assistant", "parts": [part]}

    def given(k: int) -> dict[str, Any]:
        return {"role": "tool", "parts": [{"type": "tool_call_response", "id": f"call_{k}", "response": RESULT}]}

    past = [message for k in range(max(0, n - count // 2), n) for message in (asked(k), given(k))]
    return {"gen_ai.input.messages": json.dumps(past), "gen_ai.output.messages": json.dumps([asked(n)])}


def plain(count: int) -> Trace:
    """A trace without any tool call: HTTP and database spans, and one agent."""
    spans = [span(0, "", "invoke_agent a", gen_ai__operation__name="invoke_agent")]
    for n in range(1, count):
        kinds = {"http__request__method": "GET"} if n % 2 else {"db__system__name": "postgresql"}
        spans.append(span(n, f"{n // 2:016x}", "GET", 3, server__address="a", server__port=1, **kinds))
    return Trace("default", spans[0].trace_id, spans)


def took(trace: Trace) -> float:
    """Seconds of CPU for one trace, the best of some rounds."""
    best = 1e9
    for _ in range(ROUNDS):
        gc.collect()
        begun = time.process_time()
        normalise(trace, JUDGE)
        best = min(best, time.process_time() - begun)
    return best


def _decoding() -> float:
    """Microseconds that the JSON decoder alone needs for one call's payload, which every reader of it pays."""
    sent = json.dumps(RESULT)
    best = 1e9
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(1000):
            json.loads(json.loads(sent)["content"][0]["text"])
        best = min(best, time.process_time() - begun)
    return best * 1000


def main() -> None:
    """Print the table."""
    for calls in (10, 100, 1_000, 10_000):
        bare, full = took(conversation(calls, 0)), took(conversation(calls, 20))
        print(f"{calls:>7} calls  {bare / calls * 1e6:7.1f} µs a call  with messages {full / calls * 1e6:7.1f} µs")
    print(f"        bar {BAR_CALL_US} µs a call without messages (three spans), decoding the payload not counted:")
    print(f"        json.loads of its two layers alone takes {_decoding():.1f} µs here")
    for count in (1_000, 10_000, 100_000):
        print(f"{count:>7} spans, no call  {took(plain(count)) / count * 1e6:6.2f} µs a span (bar {BAR_SPAN_US})")
    text = json.dumps({"result": "x" * (MAX_READ - 20)})
    begun = time.process_time()
    unwrap(text)
    print(f"unwrap of 256 KiB {1e3 * (time.process_time() - begun):.1f} ms")


if __name__ == "__main__":
    main()
