"""The whole service in this process, on a temporary store and free ports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
from from_outside import wait_until

from collector.config import Config
from collector.service import Service


class RunningService:
    """The whole service on a temporary store."""

    def __init__(self, folder: Path, api_port: int = 0) -> None:
        db = folder / "telltale.db"
        self._service = Service(Config(db=db, otlp_grpc_port=0, otlp_http_port=0, api_port=api_port))
        self._service.start()
        self.api = self._service.urls.api
        self.otlp = self._service.urls.otlp_http

    def send(self, requests: list[dict[str, Any]]) -> None:
        """Send export requests and wait until all their tool calls are judged."""
        calls = 0
        with httpx.Client(base_url=self.otlp, timeout=60) as http:
            for request in requests:
                http.post("/v1/traces", json=request).raise_for_status()
                spans = request["resourceSpans"][0]["scopeSpans"][0]["spans"]
                calls += sum(span["name"].startswith("execute_tool") for span in spans)
        wait_until(lambda: self.ask("calls", since="all", limit=1)["total"] >= calls, "the calls are judged")

    def ask(self, path: str, **params: Any) -> dict[str, Any]:
        """Ask the API."""
        answer = httpx.get(f"{self.api}/api/v1/{path}", params=params, timeout=60)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    def stop(self) -> None:
        """Stop it and let go of its files."""
        self._service.stop()
