"""What a verdict costs: microseconds per tool call, normalised and judged, and the worst payloads found so far.

Bars: at most 60 µs per call for 1 kB payloads on one core; at most 50 ms for a hostile payload of 1 MB; linear in the
payload's size. CPU time, best of many runs, since the machine may be shared; traffic is nine tenths healthy. Of one
text 256 KiB are read: those marked `whole` just fit, and cost more than a megabyte of which the rest is cut off.
"""

from __future__ import annotations

import json
import time

from analytics.judge import judge_calls
from analytics.normalise import normalise
from analytics.settings import JudgeSettings
from analytics.spans import CLIENT, ERROR, UNSET, Span, Trace
from telltale.payload.wrappers import MAX_READ

SETTINGS = JudgeSettings()
SECOND = 1_000_000_000
MB = 1_000_000

HITS = json.dumps({"hits": [{"id": f"kb-{n}", "title": "Reset a token", "text": "x" * 70} for n in range(9)]})
ENVELOPE = json.dumps(
    {
        "status": "error",
        "error": {
            "code": "UNAVAILABLE",
            "message": "The calendar does not answer. " * 9,
            "action": "retry_later",
            "retryable": True,
        },
        "hint": "The other calendars of the team are not concerned; nothing was booked. " * 8,
    }
)
PROSE = "Error: HTTP 503 from the calendar backend " + "while it was busy " * 52
KINDS = {
    "healthy object": HITS,
    "healthy text": "A long text. " * 77,
    "envelope": ENVELOPE,
    "error text": PROSE,
    "empty": "[]",
    "python repr": repr(json.loads(HITS)),
}


def whole(head: str, item: str, tail: str) -> str:
    """As many items as fit into what is read of one text."""
    return head + item * ((MAX_READ - len(head) - len(tail)) // len(item)) + tail


HOSTILE = {
    "one word": "Error: " + "a" * MB,
    "many keys": json.dumps({f"key{n}": n for n in range(70_000)}),
    "many errors": json.dumps({"errors": [{"message": "x" * 50}] * 12_000}),
    "quotes": "Error: " + "'" * MB,
    "addresses": "Error: " + "10.1." * (MB // 5),
    "half open": "[" * MB,
    "tags": "<html>" + "<title " * (MB // 7),
    "orders": "Error: " + "ignore all " * (MB // 11),
    "stack": "Error: " + "at x (y" * (MB // 7),
    "empty lists": "[" + "[]," * (MB // 3) + "[]]",
    "empty lists, whole": whole("[", "[],", "[]]"),
    "empty objects, whole": whole("[", '{"a":{}},', "[]]"),
    "many keys, whole": json.dumps({f"key{n}": n for n in range(14_000)}),
    "many blocks, whole": whole('{"content":[', '{"type":"text","text":"{}"},', '{"type":"text","text":""}]}'),
    "many texts, whole": json.dumps({f"key{n}": "Error: x" for n in range(10_000)}),
    "repr, whole": whole("[", "'a',", "]"),
    "layers, whole": json.dumps(json.dumps(json.dumps(whole("[", "[],", "[]]" + " " * 20).strip()))),
}


def one_call(result: str, number: int = 0, *, failed: bool = False) -> list[Span]:
    """A tool span with this result, and the HTTP client span below it."""
    start = number * SECOND
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.id": f"call_{number}",
        "gen_ai.tool.call.arguments": json.dumps({"q": f"reset token {number}", "limit": 5}),
        "gen_ai.tool.call.result": result,
    }
    http = {"http.request.method": "GET", "http.response.status_code": 200, "server.address": "kb.example.com"}
    status = ERROR if failed else UNSET
    tool = Span(
        "a" * 32, f"{number:016x}", "", "execute_tool search", 1, start, start + 9, status, attributes=attributes
    )
    return [
        tool,
        Span("a" * 32, f"c{number:015x}", tool.span_id, "GET", CLIENT, start + 1, start + 8, attributes=http),
    ]


def traffic(calls: int, kinds: list[str]) -> Trace:
    """A trace of as many calls, the kinds of result in turn."""
    spans: list[Span] = []
    for number in range(calls):
        kind = kinds[number % len(kinds)]
        spans += one_call(KINDS[kind], number, failed=kind in ("envelope", "error text"))
    return Trace("default", "a" * 32, spans)


def measure(trace: Trace, runs: int) -> tuple[float, float]:
    """Seconds to normalise and to judge a trace, best of the runs."""
    best = [float("inf"), float("inf")]
    for _ in range(runs):
        start = time.process_time()
        calls = normalise(trace, SETTINGS)
        between = time.process_time()
        judge_calls(trace, calls, SETTINGS)
        end = time.process_time()
        best = [min(best[0], between - start), min(best[1], end - between)]
    return best[0], best[1]


def main() -> None:
    """Print the tables."""
    print(f"{'1 kB payloads, 20 calls a trace':<34}{'normalise':>12}{'judge':>10}{'both':>10}   µs per call")
    mixed = ["healthy object"] * 6 + ["healthy text", "empty", "healthy object", "envelope"]
    mixed += ["healthy object"] * 6 + ["healthy text", "empty", "healthy object", "error text"]
    for name, kinds in [("mixed, 1 in 10 failed", mixed), *((kind, [kind]) for kind in KINDS)]:
        first, second = (seconds / 20 * 1e6 for seconds in measure(traffic(20, kinds), 300))
        print(f"{name:<34}{first:>12.1f}{second:>10.1f}{first + second:>10.1f}")
    print(f"\n{'hostile payloads of up to 1 MB':<34}{'normalise':>12}{'judge':>10}{'both':>10}   ms per call")
    for name, payload in HOSTILE.items():
        trace = Trace("default", "a" * 32, one_call(payload, failed=True))
        first, second = (seconds * 1e3 for seconds in measure(trace, 3))
        print(f"{name:<34}{first:>12.1f}{second:>10.1f}{first + second:>10.1f}")


if __name__ == "__main__":
    main()
