"""The conformance table: every row is shown by a test or argued."""

from __future__ import annotations

import re
from pathlib import Path

import grpc
import pytest

from analytics.store import StoreUnavailable
from collector.decode import DecodeError, TooManyRecordsError
from collector.errors import as_refusal, forbidden, overloaded, throttled, unauthenticated
from collector.receiver.grpc_server import _options
from tests.collector.running import config_for

TABLE = Path(__file__).parents[2] / "collector" / "receiver" / "CONFORMANCE.md"


def rows() -> set[int]:
    return {int(number) for number in re.findall(r"^\| (\d+) \|", TABLE.read_text(), re.MULTILINE)}


def shown() -> set[int]:
    """Rows that tests of this folder name."""
    texts = [path.read_text() for path in Path(__file__).parent.glob("test_*.py")]
    marks = [numbers for text in texts for numbers in re.findall(r"mark\.otlp\(([\d, ]+)\)", text)]
    return {int(number) for numbers in marks for number in numbers.split(",")}


def argued() -> set[int]:
    part = TABLE.read_text().partition("## Argued")[2]
    return {int(number) for number in re.findall(r"^- (\d+):", part, re.MULTILINE)}


def test_every_row_is_shown_or_argued() -> None:
    """The table has all 85 rows, and none stands alone."""
    assert rows() == set(range(1, 86))
    assert rows() - shown() - argued() == set()


@pytest.mark.otlp(7)
def test_the_message_limit_follows_the_settings(tmp_path: Path) -> None:
    """`limits.grpc_message_bytes` reaches the server."""
    config = config_for(tmp_path, limits={"grpc_message_bytes": 20 * 1024 * 1024})
    options = dict(_options(config.limits.grpc_message_bytes))
    assert options["grpc.max_receive_message_length"] == 20 * 1024 * 1024


@pytest.mark.otlp(10, 46, 47)
@pytest.mark.parametrize(
    ("error", "code", "http", "retryable"),
    [
        (DecodeError("x"), grpc.StatusCode.INVALID_ARGUMENT, 400, False),
        (TooManyRecordsError("x"), grpc.StatusCode.RESOURCE_EXHAUSTED, 413, False),
        (StoreUnavailable("x"), grpc.StatusCode.UNAVAILABLE, 503, True),
        (RuntimeError("x"), grpc.StatusCode.UNAVAILABLE, 503, True),
        (overloaded(), grpc.StatusCode.UNAVAILABLE, 503, True),
        (throttled("x", 3), grpc.StatusCode.RESOURCE_EXHAUSTED, 429, True),
        (unauthenticated(), grpc.StatusCode.UNAUTHENTICATED, 401, False),
        (forbidden("x"), grpc.StatusCode.PERMISSION_DENIED, 403, False),
    ],
)
def test_one_module_maps_errors_to_codes(error: Exception, code: grpc.StatusCode, http: int, retryable: bool) -> None:
    """Each error has one code in each protocol, and a delay exactly when trying again may help."""
    refusal = as_refusal(error)
    assert (refusal.grpc_code, refusal.http_status) == (code, http)
    assert (refusal.retry_after_s is not None) == retryable
    assert as_refusal(refusal) is refusal
