"""What the API refuses, and how it says so."""

from __future__ import annotations

import asyncio
import csv
import io
import re
from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from starlette.types import Message
from structlog.testing import capture_logs

from analytics.api import create_app
from analytics.api.context import Endpoint
from analytics.api.endpoints import ENDPOINTS
from analytics.api.query import PARAMETERS
from analytics.client import ApiClient, ApiError, ApiUnavailable
from collector.store import DuckDBStore
from tests.api.scene import HOSTILE

BAD = [
    ("since", "yesterday"),
    ("until", "15"),
    *((name, year) for name in ("since", "until", "as_of") for year in ("0001-01-01T00:00:00+23:59", "9999-12-31")),
    ("limit", "0"),
    ("limit", "10001"),
    ("limit", "many"),
    ("limit", "²"),
    ("cursor", "nonsense"),
    ("outcome", "bad"),
    ("code", "HTTP_500"),
    ("flag", "odd"),
    ("payload", "maybe"),
    ("state", "asleep"),
    ("format", "xml"),
    ("inferred", "perhaps"),
    ("tool", "x" * 2000),
    ("tols", "search"),
]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_wrong_parameter_is_named(client: ApiClient, name: str, value: str) -> None:
    """400 with a sentence that begins with the parameter."""
    with pytest.raises(ApiError) as refused:
        client.get("calls", **{name: value})

    assert refused.value.status == 400
    assert str(refused.value).lstrip("'").startswith(name)


def test_a_parameter_given_twice_is_refused(url: str) -> None:
    """Which one would have been meant?"""
    assert httpx.get(f"{url}/api/v1/calls?tool=a&tool=b").status_code == 400


def test_a_change_needs_json_and_the_header(url: str) -> None:
    """A form or a script of a strange page can send neither."""
    place, body = f"{url}/api/v1/corrections", {"span_id": "x", "outcome": "ok", "who": "me", "why": "so"}
    form = httpx.post(place, data=body, headers={"x-telltale-request": "1"})
    bare = httpx.post(place, json=body)
    broken = httpx.post(place, content=b"{", headers={"content-type": "application/json", "x-telltale-request": "1"})
    other = httpx.put(place, json=body)

    assert [form.status_code, bare.status_code, broken.status_code, other.status_code] == [400, 400, 400, 405]
    assert "content-type" in form.json()["error"]
    assert "x-telltale-request" in bare.json()["error"]


def test_a_sender_that_leaves_amid_its_body_is_no_error(empty: DuckDBStore) -> None:
    """Nothing is changed and nothing is logged as an error: the service did nothing wrong."""
    sent: list[Message] = []
    left = iter([{"type": "http.request", "body": b'{"span', "more_body": True}, {"type": "http.disconnect"}])

    async def receive() -> Message:
        return next(left)

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"content-type", b"application/json"), (b"x-telltale-request", b"1")]
    scope = {"type": "http", "method": "POST", "path": "/api/v1/corrections", "headers": headers, "query_string": b""}
    with capture_logs() as lines:
        asyncio.run(create_app(empty)(scope, receive, send))

    assert sent[0]["status"] == 400
    assert [line["event"] for line in lines if line["log_level"] != "debug"] == []


def test_a_spreadsheet_gets_no_formula(url: str) -> None:
    """CSV cells that would be run are quoted with an apostrophe; the text is otherwise whole."""
    answer = httpx.get(f"{url}/api/v1/groups", params={"format": "csv"})
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    [hostile] = [row["message"] for row in rows if row["tool"] == "fetch_note"]

    assert answer.headers["content-type"].startswith("text/csv")
    assert hostile.startswith("'=HYPERLINK")
    assert HOSTILE[:20] in hostile


def test_the_document_lists_every_endpoint(url: str) -> None:
    """OpenAPI names each path, its parameters and the bodies of changes."""
    assert httpx.get(f"{url}/api/v1/").json()["openapi"] == "/api/v1/openapi.json"
    document = httpx.get(f"{url}/api/v1/openapi.json").json()

    assert document["openapi"].startswith("3.1")
    assert "/api/v1/sessions/{id}/replay" in document["paths"]
    assert set(document["paths"]["/api/v1/corrections"]) == {"get", "post"}
    names = {each["name"] for each in document["paths"]["/api/v1/calls"]["get"]["parameters"]}
    assert {"since", "tool", "outcome", "limit", "cursor"} <= names


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda each: each.name)
def test_a_path_lists_what_it_uses_and_refuses_the_rest(url: str, endpoint: Endpoint) -> None:
    """A filter that did nothing would be taken for an answer: 400, and the sentence names those that work."""
    place = re.sub(r"\{.*?\}", "x", endpoint.path)
    told = httpx.get(f"{url}/api/v1/openapi.json").json()["paths"]
    listed = told["/api/v1/" + endpoint.path.replace(":any", "")][endpoint.method.lower()]["parameters"]
    assert {each["name"] for each in listed if each["in"] == "query"} == set(endpoint.filters)
    for name in PARAMETERS:
        sent = {"method": endpoint.method, "url": f"{url}/api/v1/{place}", "params": {name: ""}}
        if endpoint.method == "POST":
            sent |= {"json": {}, "headers": {"x-telltale-request": "1"}}
        answer = httpx.request(**sent)
        if name in endpoint.filters:
            assert "does nothing here" not in answer.text
        else:
            assert answer.status_code == 400
            assert (
                answer.json()["error"] == f"{name!r} does nothing here; there are {', '.join(sorted(endpoint.filters))}"
            )


def test_health_is_answered(url: str) -> None:
    """For probes."""
    assert httpx.get(f"{url}/healthz").json() == {"status": "ok"}


def test_a_correction_is_remembered_and_applied(client: ApiClient) -> None:
    """The verdict changes everywhere at once, and the rule's precision says so."""
    [call] = client.get("calls", tool="fetch_note")["rows"]
    body = {"span_id": call["span_id"], "outcome": "ok", "who": "sre", "why": "a test note"}
    made = client.post("corrections", body=body)

    assert (made["judged"], made["outcome"], made["corrected"]) == ("unstructured_error", "ok", 1)
    [after] = client.get("calls", tool="fetch_note")["rows"]
    assert (after["outcome"], after["confidence"]) == ("ok", "certain")
    assert client.get("overview", tool="fetch_note")["failures"] == 0
    assert client.get("corrections")["total"] == 1
    precision = {row["rule"]: row["precision"] for row in client.get("rules")["rows"]}[made["rule"]]
    assert (precision["numerator"], precision["denominator"]) == (0, 1)
    back = client.post("corrections", body={**body, "outcome": "unstructured_error"})
    assert back["corrected"] == 1
    assert client.get("overview", tool="fetch_note")["failures"] == 1


@pytest.mark.parametrize("missing", ["span_id", "outcome", "who", "why"])
def test_a_correction_needs_all_its_parts(client: ApiClient, missing: str) -> None:
    """The refusal names the part."""
    body = {"span_id": "x", "outcome": "ok", "who": "sre", "why": "because"}
    del body[missing]
    with pytest.raises(ApiError, match=missing) as refused:
        client.post("corrections", body=body)

    assert refused.value.status == 400


def test_nobody_there_is_unavailable() -> None:
    """A service that does not answer is told apart from one that refuses."""
    with ApiClient("http://127.0.0.1:9", timeout=2.0) as client, pytest.raises(ApiUnavailable, match="no service"):
        client.get("overview")


def test_another_kind_of_server_is_told_apart() -> None:
    """What is no Telltale service gives a sentence, not a traceback."""
    page = httpx.MockTransport(lambda _: httpx.Response(200, text="<html>hello</html>"))
    with ApiClient("http://other.test", transport=page) as client, pytest.raises(ApiError, match="not a Telltale"):
        client.get("overview")


def test_a_fault_inside_is_told_without_its_text(empty: DuckDBStore, capsys: pytest.CaptureFixture[str]) -> None:
    """500 with a sentence; neither the answer nor the log repeats what the exception said."""

    def broken() -> Mapping[str, Any]:
        raise RuntimeError("token=abc123")

    async def asked() -> httpx.Response:
        inside = httpx.ASGITransport(create_app(empty, status=broken), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=inside, base_url="http://api.test") as client:
            return await client.get("/api/v1/status")

    answer = asyncio.run(asked())

    assert answer.status_code == 500
    assert "error" in answer.json()
    logged = capsys.readouterr()
    assert "RuntimeError" in logged.out + logged.err
    assert "abc123" not in answer.text + logged.out + logged.err
