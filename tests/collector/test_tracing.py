"""The service traces itself: off by default, never in a loop, never in the way."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from analytics.store import StoreUnavailable
from collector.intake import Intake
from collector.service import Service
from collector.tracing import SCOPE, SelfTracing, TracedIntake
from tests.collector.otlp import traces
from tests.collector.running import config_for, environment, post, wait_for


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def own_spans(service: Service) -> Counter[str]:
    """Names of the service's own spans in its own store."""
    assert service.store is not None
    sql = "SELECT name FROM {span} AS s WHERE scope_name = $scope"
    return Counter(service.store.read(sql, {"scope": SCOPE})["name"].to_pylist())


def test_it_is_off_by_default(service: Service) -> None:
    """No span is made, the intake is the plain one, and none of the SDK's tracing is loaded."""
    assert service._tracing is None
    assert type(service._intake) is Intake
    code = (
        "import sys; from pathlib import Path; from collector.service import Service; "
        "from tests.collector.running import config_for; "
        "s = Service(config_for(Path(sys.argv[1]))); s.start(); s.stop(); "
        "assert 'collector.tracing' not in sys.modules and 'opentelemetry.sdk.trace' not in sys.modules"
    )
    with_folder = [sys.executable, "-c", code, str(service.config.db.parent / "other")]
    (service.config.db.parent / "other").mkdir()
    done = subprocess.run(with_folder, check=False, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.timeout(300)
def test_its_own_spans_in_its_own_store_make_no_more(tmp_path: Path) -> None:
    """Receiving, appending, judging and a checkpoint of foreign spans are there; its own spans lead to nothing."""
    port = free_port()
    tracing = {"endpoint": f"http://127.0.0.1:{port}"}
    running = Service(config_for(tmp_path, otlp_http_port=port, tracing=tracing))
    running.start()
    try:
        assert isinstance(running._intake, TracedIntake)
        assert running._tracing is not None
        assert running.store is not None
        assert post(running, traces(3).SerializeToString()).status_code == 200
        wait_for(lambda: running._judge.watermark >= 3)
        running.store.checkpoint()

        def all_there() -> Counter[str] | None:
            running._tracing.flush(5000)  # type: ignore[union-attr]
            found = own_spans(running)
            return found if {"receive", "append", "judge", "checkpoint"} <= found.keys() else None

        found = wait_for(all_there)
        for _ in range(3):  # what its own spans gave rise to would come now
            running._tracing.flush(5000)
            wait_for(lambda: running._lag.seconds(running._judge.watermark, time.time()) == 0)
        assert own_spans(running) == found
        assert (found["receive"], found["append"]) == (1, 1)
    finally:
        running.stop()


def test_an_endpoint_that_does_not_answer_is_in_nobodys_way(tmp_path: Path) -> None:
    """Requests are answered, and the stop does not wait for it."""
    running = Service(config_for(tmp_path, tracing={"endpoint": f"http://127.0.0.1:{free_port()}"}))
    running.start()
    assert post(running, traces().SerializeToString()).status_code == 200
    started = time.monotonic()
    running.stop()
    assert time.monotonic() - started < 5 * 5  # the bar is 5 s; five times that on a busy machine


class Kept(SpanExporter):
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.spans += spans
        return SpanExportResult.SUCCESS


def test_a_failure_is_told_by_its_type_alone(tmp_path: Path) -> None:
    """No text of an exception, no part of a payload; and a sampled-out trace sends nothing."""
    settings = config_for(tmp_path, tracing={"endpoint": "http://127.0.0.1:9"}).tracing
    exporter = Kept()
    tracing = SelfTracing(settings, "1", exporter)
    with pytest.raises(StoreUnavailable), tracing.span("append"):
        raise StoreUnavailable("secret words")
    tracing.flush(5000)
    [span] = exporter.spans
    assert span.attributes == {"error.type": "StoreUnavailable"}
    assert not span.events
    assert "secret" not in span.to_json()
    silent = SelfTracing(settings.model_copy(update={"ratio": 0.0}), "1", exporter)
    with silent.span("append"):
        pass
    silent.flush(5000)
    assert len(exporter.spans) == 1
    tracing.close()
    silent.close()
