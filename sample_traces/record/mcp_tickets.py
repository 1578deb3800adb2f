"""Records `mcp_tickets.jsonl`: a support agent and the MCP server behind it, with FastMCP's spans and our middleware.

Needs: fastmcp, opentelemetry-sdk, opentelemetry-exporter-otlp-proto-http, opentelemetry-instrumentation-httpx, httpx,
and this project on PYTHONPATH.
Run: `PYTHONPATH=. python sample_traces/record/mcp_tickets.py`
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import httpx
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError as McpToolError
from opentelemetry import trace
from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor
from opentelemetry.trace import SpanKind

sys.path.insert(0, str(Path(__file__).resolve().parent))

from recording import Recorder, backend, think

from telltale import Code, ToolError
from telltale.fastmcp import TelltaleMiddleware

AGENT = "support"
tracer = trace.get_tracer("support-desk")
Step = tuple[str, dict[str, Any]]
PLACE = ""

SCRIPTS: dict[str, list[tuple[str, list[Step], str]]] = {
    "desk-101": [
        ("Where is my ticket T-7?", [("find_ticket", {"number": "T-7"})], "It is open, with Ines."),
        ("How do I reset my router?", [("search_articles", {"words": "reset router"})], "There is no article on that."),
    ],
    "desk-102": [
        ("Any article on invoices?", [("search_articles", {"words": "invoice"})], "Yes: Reading your invoice."),
        ("And on moving house?", [("search_articles", {"words": "moving house"})], "There is none yet."),
    ],
    "desk-103": [
        ("Refund my order 55.", [("refund", {"order": "55"})], "I may not refund; I have asked a colleague."),
    ],
    "desk-104": [
        ("Close T-9.", [("close_ticket", {"number": "T-9"})], "That did not work; somebody will look at it."),
    ],
    "desk-105": [
        ("Text me the status of T-7.", [("send_message", {"to": "+351", "text": "T-7 is open"})],
         "I will send it in half a minute."),
        ("Is T-7 still open?", [("find_ticket", {"number": "T-7"})], "Yes."),
    ],
    "desk-106": [
        ("How do I reset my router?", [("search_articles", {"words": "reset router"})], "I found nothing."),
        ("Then close T-12.", [("close_ticket", {"number": "T-12"}), ("shut_ticket", {"number": "T-12"})],
         "I could not close it."),
    ],
}  # fmt: skip
"""Sessions: what the user says, the calls that the model makes, what it says then."""


def helpdesk(method: str, path: str) -> tuple[int, Any]:
    """The search cluster is down for long words, refunds are forbidden, messages are rate limited."""
    if path.startswith("/articles") and "router" in path:
        return 503, {"detail": "no shard available"}
    if path.startswith("/articles") and "invoice" in path:
        return 200, [{"title": "Reading your invoice"}]
    if path.startswith("/refunds"):
        return 403, {"detail": "role support may not refund"}
    if path.startswith("/messages"):
        return 429, {"detail": "slow down"}
    if path.startswith("/tickets"):
        return 200, {"number": "T-7", "state": "open", "owner": "Ines"}
    return 200, []


server = FastMCP("tickets", middleware=[TelltaleMiddleware()])


@server.tool
async def find_ticket(number: str) -> dict[str, Any]:
    """One ticket."""
    async with httpx.AsyncClient() as http:
        found: dict[str, Any] = (await http.get(f"http://{PLACE}/tickets/{number}")).json()
        return found


@server.tool
async def search_articles(words: str) -> list[dict[str, Any]]:
    """Articles of the help centre."""
    async with httpx.AsyncClient() as http:
        response = await http.get(f"http://{PLACE}/articles", params={"q": words})
    return response.json() if response.status_code == 200 else []  # the bug: an outage told as emptiness


@server.tool
async def refund(order: str) -> dict[str, Any]:
    """Give the money back."""
    async with httpx.AsyncClient() as http:
        response = await http.post(f"http://{PLACE}/refunds/{order}")
    if response.status_code == 403:
        raise ToolError(Code.PERMISSION_DENIED, "This agent may not refund. A person of the billing team can.")
    return {"refunded": True}


@server.tool
async def send_message(to: str, text: str) -> dict[str, Any]:
    """Send a text message."""
    async with httpx.AsyncClient() as http:
        (await http.post(f"http://{PLACE}/messages", json={"to": to, "text": text})).raise_for_status()
    return {"sent": True}


@server.tool
async def close_ticket(number: str) -> dict[str, Any]:
    """Close a ticket."""
    states: dict[str, str] = {}
    return {"number": number, "state": states[number]}  # the bug: a KeyError that nobody expected


async def turn(client: Client[Any], session: str, asked: str, steps: list[Step], said: str) -> None:
    """One user turn under `invoke_agent`, with a model that follows the script."""
    messages: list[dict[str, Any]] = [{"role": "user", "parts": [{"type": "text", "content": asked}]}]
    agent = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": AGENT,
        "gen_ai.conversation.id": session,
        "user.id": f"customer-{session[-1]}",
    }
    with tracer.start_as_current_span(f"invoke_agent {AGENT}", attributes=agent):
        for number, (name, arguments) in enumerate(steps):
            wish = {"type": "tool_call", "id": f"call_{number}", "name": name, "arguments": arguments}
            chat(session, messages, {"role": "assistant", "parts": [wish], "finish_reason": "tool_call"})
            try:
                answer = await client.call_tool(name, arguments, raise_on_error=False)
                response = "".join(block.text for block in answer.content)
            except McpToolError as refused:
                response = str(refused)
            part = {"type": "tool_call_response", "id": f"call_{number}", "response": response}
            messages.append({"role": "tool", "parts": [part]})
        chat(session, messages, {"role": "assistant", "parts": [{"type": "text", "content": said}]})
    print(session, asked, "->", said)


def chat(session: str, messages: list[dict[str, Any]], answer: dict[str, Any]) -> None:
    """One model call under its span."""
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "scripted-1",
        "gen_ai.conversation.id": session,
        "gen_ai.input.messages": json.dumps(messages),
    }
    with tracer.start_as_current_span("chat scripted-1", kind=SpanKind.CLIENT, attributes=attributes) as span:
        think(0.8)
        span.set_attribute("gen_ai.output.messages", json.dumps([answer]))
    messages.append(answer)


async def converse() -> None:
    """Every session against the same server."""
    async with Client(server) as client:
        for session, turns in SCRIPTS.items():
            for asked, steps, said in turns:
                await turn(client, session, asked, steps, said)
                think(2)


def main() -> None:
    """Record every session."""
    global PLACE
    recorder = Recorder()
    trace.set_tracer_provider(recorder.provider("support-desk", "0.9.0"))
    HTTPXClientInstrumentor().instrument()
    with backend(helpdesk) as PLACE:
        asyncio.run(converse())
        recorder.write("mcp_tickets", {PLACE: "helpdesk.example:443"})


if __name__ == "__main__":
    main()
