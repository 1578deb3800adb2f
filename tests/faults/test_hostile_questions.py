"""SQL and nonsense in every parameter of the API (fault 28): an answer or a refusal, and nothing changed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from collector.service import Service
from tests.collector.otlp import traces
from tests.collector.running import DEADLINE_S, config_for, post, wait_for

PATHS = ("overview", "calls", "tools", "tools-codes", "silent", "sessions", "groups", "incidents", "report", "senders")
PARAMETERS = (
    *("project", "since", "until", "tool", "agent", "code", "outcome", "service", "release", "session", "user"),
    *("limit", "cursor", "flag", "payload", "inferred", "recovered", "format", "sort", "flagged"),
)
PARTS = (
    *(
        "'",
        '"',
        "''",
        "`",
        ";",
        "--",
        "/*",
        "*/",
        "\\",
        "%",
        "_",
        "$1",
        "$project",
        "{span}",
        "{}",
        "\0",
        "\n",
        "😀",
        "(",
    ),
    *("DROP TABLE call", "1=1", " OR ", " UNION SELECT ", "read_text('/etc/passwd')", "ATTACH 'x'", "SELECT", "NULL"),
    *("'; COPY call TO '/dev/null'; --", "../../etc/passwd", "1e400", "-1", "NaN", "\u202e", "a" * 3000, "default"),
)
REQUESTS = 500


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with a few judged calls."""
    running = Service(config_for(tmp_path_factory.mktemp("service")))
    running.start()
    post(running, traces(20).SerializeToString())
    wait_for(lambda: state(running)["calls"] == 20)
    yield running
    running.stop()


def state(service: Service) -> dict[str, object]:
    """Tables, and rows of those that questions read."""
    assert service.store is not None
    store = service.store
    tables = store.read("SELECT table_name, sql FROM duckdb_tables() ORDER BY 1").to_pylist()
    calls = store.read("SELECT count(*) AS n FROM call")["n"][0].as_py()
    return {"tables": tables, "calls": calls, "rollup": store.read("FROM rollup_hour ORDER BY ALL").to_pylist()}


@pytest.mark.timeout(300)
def test_five_hundred_hostile_parameters(service: Service, tmp_path: Path) -> None:
    """200, 400 or 404, never a 500; no text of the database's errors; schema and counts as before."""
    chance, before = random.Random(28), state(service)
    with httpx.Client(base_url=service.urls.api + "/api/v1", timeout=DEADLINE_S) as client:
        for _ in range(REQUESTS):
            text = "".join(chance.choices(PARTS, k=chance.randint(1, 4)))
            path = chance.choice((*PATHS, f"calls/{quote(text[:200], '')}", f"sessions/{quote(text[:200], '')}/replay"))
            params = dict.fromkeys(chance.sample(PARAMETERS, chance.randint(1, 3)), text)
            answer = client.get(path, params=params)
            assert answer.status_code in (200, 400, 404), (path, params, answer.text[:300])
            assert "duckdb" not in answer.text.lower(), (path, params)
    assert state(service) == before
