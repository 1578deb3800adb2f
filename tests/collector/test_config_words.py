"""A wrong setting is told in the words of a settings file: which one, what it must be, what it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from collector.config import ConfigError, load

WRONG = [
    ("TRACING__ENDPOINT", "nonsense", "must be an address such as http://collector:4318 or grpc://collector:4317"),
    ("TRACING__ENDPOINT", "ftp://there", "must be an address such as http://collector:4318 or grpc://collector:4317"),
    ("TRACING__RATIO", "7", "must be 1 or less"),
    ("TRACING__RATIO", "half", "must be a number"),
    ("API_PORT", "70000", "must be 65535 or less"),
    ("API_PORT", "seven", "must be a whole number"),
    ("RETENTION__SPAN_DAYS", "-1", "must be 0 or more"),
    ("LOG_LEVEL", "loud", "must be 'debug', 'info', 'warning' or 'error'"),
    ("STORE__MEMORY_LIMIT", "lots", "must be a size such as 450MB or 1GiB"),
    ("DASHBOARD", "perhaps", "must be true or false"),
    ("RETENTION", "3", "must be a table"),
    ("REDACTION__OFF", "3", "must be a list"),
]


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("TELLTALE_")]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize(("name", "value", "must"), WRONG, ids=[f"{name}={value}" for name, value, _ in WRONG])
def test_a_wrong_value_is_told_plainly(monkeypatch: pytest.MonkeyPatch, name: str, value: str, must: str) -> None:
    """One sentence, without a word of the library that checks it."""
    monkeypatch.setenv(f"TELLTALE_{name}", value)
    with pytest.raises(ConfigError) as raised:
        load()
    assert str(raised.value) == f"TELLTALE_{name}: {must} (got {value!r})"


def test_right_values_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses with and without a path, sizes, levels."""
    for name, value in (("TRACING__ENDPOINT", "https://there:4318/v1/traces"), ("STORE__MEMORY_LIMIT", "1 GiB")):
        monkeypatch.setenv(f"TELLTALE_{name}", value)
    monkeypatch.setenv("TELLTALE_LOG_LEVEL", "debug")
    config = load()
    assert config.tracing.endpoint == "https://there:4318/v1/traces"
    assert (config.store.memory_limit, config.log_level) == ("1 GiB", "debug")
