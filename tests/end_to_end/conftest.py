"""One `telltale serve` per test, as a process of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from from_outside import Running, end, telltale, wait_until


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Running]:
    """`telltale serve` on an empty store and free ports."""
    ready = tmp_path / "ready.json"
    ports = [f"--{name}-port=0" for name in ("otlp-grpc", "otlp-http", "api")]
    child = telltale("serve", "--db", str(tmp_path / "t.db"), "--ready-file", str(ready), *ports)
    wait_until(lambda: ready.exists() or child.poll() is not None, "the service is ready")
    assert child.poll() is None, "the service did not start"
    yield Running(child, json.loads(ready.read_text()))
    end(child)
