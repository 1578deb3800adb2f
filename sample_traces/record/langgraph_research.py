"""Records `langgraph_research.jsonl`: a research agent on LangChain/LangGraph, instrumented by OpenInference.

Needs: langchain, langgraph, openinference-instrumentation-langchain, opentelemetry-sdk,
opentelemetry-exporter-otlp-proto-http, opentelemetry-instrumentation-httpx, httpx.
Run: `python sample_traces/record/langgraph_research.py`
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import httpx
from langchain.agents import create_agent
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from openinference.instrumentation import using_attributes
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry import trace
from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor

sys.path.insert(0, str(Path(__file__).resolve().parent))

from recording import HTML_502, Recorder, backend, think

Step = tuple[str, dict[str, Any]] | str
PENDING: list[Step] = []
PLACE = ""

SCRIPTS: dict[str, tuple[str, list[Step]]] = {
    "paper-ada": (
        "Find papers on tool errors and read the first.",
        [("search_papers", {"topic": "tool errors"}), ("read_page", {"page": "p-1"}), "It says that errors are input."],
    ),
    "paper-bo": (
        "Read page p-9.",
        [("read_page", {"page": "p-9"}), "The page is about a gateway."],
    ),
    "paper-cy": (
        "How many citations has p-1?",
        [*[("count_citations", {"paper": "p-1"})] * 5, "I could not find out."],
    ),
    "paper-di": (
        "Papers on llamas in space?",
        [("search_papers", {"topic": "llamas"}), "There are none."],
    ),
    "paper-eli": (
        "Export my notes.",
        [("export_notes", {"form": "pdf"}), "Done."],
    ),
    "paper-flo": (
        "Save a note.",
        [("save_note", {"text": "errors are input"}), "Saved."],
    ),
}
"""Sessions: what the user says, then the model's calls and its last words."""


def library(method: str, path: str) -> tuple[int, Any]:
    """One page sits behind a broken gateway; the citation index is corrupt and says so."""
    if path.startswith("/pages/p-9"):
        return 502, HTML_502
    if path.startswith("/pages"):
        return 200, {"text": "Some tools failed to say that they failed. This page is an article about it."}
    if path.startswith("/citations"):
        return 200, {"ok": False, "error": "the index is corrupt"}
    if path.startswith("/export"):
        time.sleep(1)
        return 200, {}
    if path.startswith("/notes"):
        return 500, {"detail": "disk full"}
    return 200, [{"paper": "p-1", "title": "Errors are model input"}] if "tool" in path else []


def search_papers(topic: str) -> list[dict[str, Any]]:
    """Papers on a topic."""
    response = httpx.get(f"http://{PLACE}/papers", params={"topic": topic}, timeout=5)
    found: list[dict[str, Any]] = response.json() if response.status_code == 200 else []
    return found


def read_page(page: str) -> str:
    """The text of a page."""
    response = httpx.get(f"http://{PLACE}/pages/{page}", timeout=5)
    return str(response.json()["text"]) if response.status_code == 200 else response.text


def count_citations(paper: str) -> dict[str, Any]:
    """How often a paper is cited."""
    counted: dict[str, Any] = httpx.get(f"http://{PLACE}/citations/{paper}", timeout=5).json()
    return counted


def export_notes(form: str) -> str:
    """Write all notes to a file."""
    httpx.post(f"http://{PLACE}/export/{form}", timeout=0.3).raise_for_status()
    return "exported"


def save_note(text: str) -> dict[str, Any]:
    """Keep a note."""
    try:
        httpx.post(f"http://{PLACE}/notes", json={"text": text}, timeout=5).raise_for_status()
    except httpx.HTTPError:
        return {"success": False}  # the bug: why is kept from model and engineer alike
    return {"success": True}


class ScriptedModel(BaseChatModel):
    """Follows the script of the session that is being recorded."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        """The script knows the tools already."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        think(0.8)
        step = PENDING.pop(0)
        if isinstance(step, str):
            message = AIMessage(content=step)
        else:
            call = {"name": step[0], "args": step[1], "id": f"call_{len(messages)}", "type": "tool_call"}
            message = AIMessage(content="", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])


def main() -> None:
    """Record every session."""
    global PLACE
    recorder = Recorder()
    provider = recorder.provider("research-assistant", "3.2.0")
    trace.set_tracer_provider(provider)
    HTTPXClientInstrumentor().instrument()
    LangChainInstrumentor().instrument(tracer_provider=provider)
    with backend(library) as PLACE:
        tools = [search_papers, read_page, count_citations, export_notes, save_note]
        agent = create_agent(ScriptedModel(), tools=tools, name="researcher")
        for session, (asked, steps) in SCRIPTS.items():
            PENDING[:] = steps
            with using_attributes(session_id=session, user_id=session.removeprefix("paper-")):
                try:
                    answer = agent.invoke({"messages": [{"role": "user", "content": asked}]})
                    print(session, answer["messages"][-1].content)
                except httpx.HTTPError as raised:
                    print(session, "the run ended with", type(raised).__name__)
            think(3)
        recorder.write("langgraph_research", {PLACE: "library.example:443"})


if __name__ == "__main__":
    main()
