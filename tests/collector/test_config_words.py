"""A wrong setting is told in the words of a settings file: which one, what it must be, what it is."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from collector.config import Config, ConfigError, load
from collector.config_sections import ToolConfig

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"

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
    ("REDACTION__OFF", "3", "must be a list of texts"),
    ("REDACTION__OFF", "email", 'must be JSON, such as ["a", "b"] or {"a": 1}'),
    ("TOOLS", "{bad", 'must be JSON, such as ["a", "b"] or {"a": 1}'),
    ("API_PORT", "true", "must be a whole number"),
    ("LIMITS__BODY_S", "true", "must be a number"),
    ("DASHBOARD", "yes", "must be true or false"),
    ("HOST", " ", "must be an address or a name of this machine, such as 127.0.0.1"),
    ("ALERTS__DASHBOARD_URL", "javascript:alert(1)", "must be an http:// or https:// address"),
    ("ALERTS__RUNBOOK_URL", "data:text/html,x", "must be an http:// or https:// address"),
]
ANY_ORIGIN = (
    "must be origins such as https://app.example.com or https://*.example.com; any page at all cannot be allowed"
)
IN_THE_FILE = [
    ("api_port = true", "api_port", "must be a whole number (got 'True')"),
    ("[limits]\nbody_s = true", "limits.body_s", "must be a number (got 'True')"),
    ("dashboard = 1", "dashboard", "must be true or false (got '1')"),
    ("[alerts]\nno_data = 'yes'", "alerts.no_data", "must be true or false (got 'yes')"),
    ("[alerts]\ndigest_hour_utc = true", "alerts.digest_hour_utc", "must be a whole number (got 'True')"),
    ("[tools.a]\ncontent = 'yes'", "tools.a.content", "must be true or false (got 'yes')"),
    ("[tools.a]\nmute = ['text.html_pag']", "tools.a.mute", "the nearest is text.html_page"),
    ("[tools.a]\nmute = ['zzzzzz']", "tools.a.mute", "`telltale rules` lists them"),
    ("cors_origins = '*'", "cors_origins.0", ANY_ORIGIN),
    ("cors_origins = ['https://*']", "cors_origins.0", ANY_ORIGIN),
    ("cors_origins = ['https://a.example/path']", "cors_origins.0", ANY_ORIGIN),
    ("[alerts]\nallow_private = true", "alerts.allow_private", 'must be a list of networks such as ["10.0.0.0/8"]'),
    ("[alerts]\nallow_private = ['ten']", "alerts.allow_private", 'must be a list of networks such as ["10.0.0.0/8"]'),
    ("host = ''", "host", "must be an address or a name of this machine"),
    ("[store]\nbackup_folder = '/dev/null'", "store.backup_folder", "/dev/null is no folder"),
    ("[store]\nbackup_folder = 5", "store.backup_folder", "must be a path (got '5')"),
    ("api_port = 5000\notlp_http_port = 5000", "otlp_http_port", "and api_port are both 5000"),
    ("dashboard = true\ndashboard_port = 4318", "otlp_http_port", "and dashboard_port are both 4318"),
]
PRIVATE = ["10.0.0.1", "127.0.0.1:9", "localhost", "2130706433", "[::1]", "[::ffff:10.0.0.1]", "169.254.169.254"]


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


@pytest.mark.parametrize(("text", "key", "must"), IN_THE_FILE, ids=[text for text, _, _ in IN_THE_FILE])
def test_a_wrong_value_in_the_file_is_told_plainly(text: str, key: str, must: str) -> None:
    """A value that could only be a slip is not taken for another: the sentence names the key and what it must be."""
    Path("telltale.toml").write_text(text)
    with pytest.raises(ConfigError) as raised:
        load()
    said = str(raised.value)
    assert said.startswith(key)
    assert must in said
    assert "class '" not in said


@pytest.mark.parametrize("host", PRIVATE)
@pytest.mark.parametrize(("key", "scheme"), [("webhooks", "http"), ("alertmanagers", "https"), ("apprise", "json")])
def test_a_destination_that_no_notice_may_go_to_stops_the_start(key: str, scheme: str, host: str) -> None:
    """Not the first page of a night: the sentence names the setting and what allows it, never the address' secret."""
    Path("telltale.toml").write_text(f"[alerts]\n{key} = ['{scheme}://{host}/my-secret']")
    with pytest.raises(ConfigError, match=rf"{key}\[0\] leads to a private .* allow_private") as raised:
        load()
    assert "my-secret" not in str(raised.value)


def test_a_secret_of_the_wrong_kind_is_not_repeated() -> None:
    """What should have been a list of addresses may hold a token."""
    Path("telltale.toml").write_text("[alerts]\nwebhooks = 'https://hooks.example.com/my-secret'")
    with pytest.raises(ConfigError, match=r"must be a list of texts$"):
        load()


def test_what_may_stand_in_the_file() -> None:
    """Allowed networks, wildcards below a domain, ports that the system chooses, a port of a dashboard that is off."""
    Path("telltale.toml").write_text(
        "api_port = 0\notlp_http_port = 0\ndashboard_port = 4317\n"
        "cors_origins = ['https://*.example.com', 'http://localhost:3000', 'http://localhost:*']\n"
        "[alerts]\nwebhooks = ['http://10.1.2.3/x', 'https://hooks.example.com/x']\nallow_private = ['10.0.0.0/8']\n"
        "apprise = ['tgram://167772161:my-secret/1', 'ntfy://10']\n"
        "[tools.a]\nmute = ['text.html_page']\ncontent = false\n"
    )
    config = load()
    assert str(config.alerts.allow_private[0]) == "10.0.0.0/8"
    assert config.tools["a"].content is False


def test_right_values_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses with and without a path, sizes, levels."""
    for name, value in (("TRACING__ENDPOINT", "https://there:4318/v1/traces"), ("STORE__MEMORY_LIMIT", "1 GiB")):
        monkeypatch.setenv(f"TELLTALE_{name}", value)
    monkeypatch.setenv("TELLTALE_LOG_LEVEL", "debug")
    config = load()
    assert config.tracing.endpoint == "https://there:4318/v1/traces"
    assert (config.store.memory_limit, config.log_level) == ("1 GiB", "debug")


def _settings(section: type[BaseModel], place: str = "") -> Iterator[tuple[str, object]]:
    for name, field in section.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _settings(kind, f"{name}.")
        elif name not in ("tools", "projects"):
            yield place + name, field.default


SETTINGS = [*_settings(Config), *_settings(ToolConfig, "tools.")]


@pytest.mark.parametrize(("setting", "default"), SETTINGS, ids=[setting for setting, _ in SETTINGS])
def test_every_setting_is_on_its_page(setting: str, default: object) -> None:
    """docs/settings.md has a row for each, with its default."""
    name = setting.rpartition(".")[2]
    rows = [line.split("|") for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    [(names, told)] = [(row[1], row[2]) for row in rows if f"`{name}`" in row[1]]
    if isinstance(default, bool | int | float | str):
        shown = [part.strip("` ") for part in told.split("`, `")]
        at = re.findall(r"`(\w+)`", names).index(name)
        assert json.loads(shown[at]) == default
