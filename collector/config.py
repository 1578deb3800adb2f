"""Settings: the defaults, `telltale.toml`, `TELLTALE_*` variables, flags; each overrides those before it.

A wrong setting stops the start with a sentence that names the key. Nothing else in the service reads the environment.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
from pydantic import Field
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from analytics.settings import JudgeSettings, ToolSettings
from collector.access.hosts import is_loopback
from collector.config_kinds import FileName, Host, Origin, Strict
from collector.config_nearest import nearest_beside
from collector.config_sections import (
    AlertsConfig,
    JudgeConfig,
    LimitsConfig,
    RedactionSection,
    RetentionConfig,
    StoreConfig,
    TlsConfig,
    ToolConfig,
    TracingConfig,
)
from collector.config_words import wrong
from telltale.redaction import RedactionConfig

PREFIX = "TELLTALE_"
DEFAULT_FILE = Path("telltale.toml")

Port = Annotated[int, Field(ge=0, le=65535)]
"""A TCP port; 0 lets the system choose."""


_SECRETS = ("alerts.webhooks", "alerts.alertmanagers", "alerts.apprise", "tracing.headers")
"""Settings whose values may hold a secret: no sentence repeats them."""


class ConfigError(Exception):
    """A setting is wrong; the text names the key and says what is wrong with it."""


class Config(BaseSettings, Strict):
    """All settings of the service."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True, env_ignore_empty=True
    )

    db: FileName = Path("telltale.db")
    host: Host = "127.0.0.1"
    otlp_grpc_port: Port = 4317
    otlp_http_port: Port = 4318
    api_port: Port = 4319
    dashboard_port: Port = 8501
    dashboard: bool = False
    insecure: bool = False
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    cors_origins: Annotated[tuple[Origin, ...], NoDecode] = ()
    cors_headers: Annotated[tuple[str, ...], NoDecode] = ()
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    ready_file: Path | None = None
    tls: TlsConfig = TlsConfig()
    limits: LimitsConfig = LimitsConfig()
    store: StoreConfig = StoreConfig()
    retention: RetentionConfig = RetentionConfig()
    judge: JudgeConfig = JudgeConfig()
    redaction: RedactionSection = RedactionSection()
    tools: dict[str, ToolConfig] = Field(default_factory=dict)
    alerts: AlertsConfig = AlertsConfig()
    tracing: TracingConfig = TracingConfig()

    @pydantic.field_validator("allowed_hosts", "cors_origins", "cors_headers", mode="before")
    @classmethod
    def _comma_separated(cls, value: Any) -> Any:
        """Variables name lists with commas; the file uses TOML arrays."""
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @pydantic.model_validator(mode="after")
    def _ports_apart(self) -> Config:
        """0 lets the system choose, any other port can be had once."""
        taken: dict[int, str] = {}
        for name in ("otlp_grpc_port", "otlp_http_port", "api_port", *(("dashboard_port",) if self.dashboard else ())):
            port = getattr(self, name)
            if port and port in taken:
                raise ValueError(f"{taken[port]} and {name} are both {port}")
            taken[port] = name
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags, then variables, then the file that `load` names."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, _file_in_use)

    def judge_settings(self) -> JudgeSettings:
        """What the judge is told."""
        tools = {name: ToolSettings(**dict(tool)) for name, tool in self.tools.items()}
        return JudgeSettings(tools=tools, retry_storm_calls=self.judge.retry_storm_calls)

    def redaction_config(self, key: bytes) -> RedactionConfig:
        """What is masked; `key` is the site's own for the marks."""
        section = self.redaction
        return RedactionConfig(key=key, off=section.off, extra_keys=section.extra_keys, allow=section.allow)

    def on_loopback(self) -> bool:
        """Whether all ports stay on this machine."""
        return is_loopback(self.host)


_file_in_use: Path | None = None


def load(file: Path | None = None, **flags: Any) -> Config:
    """The settings of one start. `telltale.toml` in the working folder is read where no file is named.

    Args:
        file: a settings file.
        flags: values from the command line; None means not given.

    Raises:
        ConfigError: a setting is wrong, unknown, or the file cannot be read.
    """
    global _file_in_use  # noqa: PLW0603 - pydantic-settings asks a class method for its sources
    if file is not None and not file.is_file():
        raise ConfigError(f"--config: there is no file {file}")
    _file_in_use = file or (DEFAULT_FILE if DEFAULT_FILE.is_file() else None)
    given = {key: value for key, value in flags.items() if value is not None}
    try:
        return Config(**given)
    except pydantic.ValidationError as error:
        raise ConfigError(_sentence(error, given)) from None
    except SettingsError as error:
        raise ConfigError(_undecoded(error)) from None
    except ValueError as error:  # TOML that cannot be parsed
        raise ConfigError(f"{_file_in_use}: {error}") from None
    finally:
        _file_in_use = None


def _sentence(error: pydantic.ValidationError, given: dict[str, Any]) -> str:
    first = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        near = nearest_beside(Config, first["loc"])
        variable = _source(key, given).startswith(PREFIX)
        meant = "" if near is None else PREFIX + "__".join(near).upper() if variable else ".".join(near)
        return f"{_source(key, given)}: there is no such setting" + (f"; the nearest name is {meant}" if meant else "")
    if not key:  # of settings that do not go together
        return wrong(first)
    secret = isinstance(first["input"], dict) or key.startswith(_SECRETS)
    got = "" if secret else f" (got {str(first['input'])[:60]!r})"
    return f"{_source(key, given)}: {wrong(first)}{got}"


def _undecoded(error: SettingsError) -> str:
    """A list or table in a variable is written as JSON; the sentence names the variable that is not."""
    text = getattr(error.__cause__, "doc", None)
    named = [name for name, value in os.environ.items() if value == text and name.upper().startswith(PREFIX)]
    if not named:
        return str(error)
    return f'{named[0]}: must be JSON, such as ["a", "b"] or {{"a": 1}} (got {str(text)[:60]!r})'


def _source(key: str, given: dict[str, Any]) -> str:
    """Where the value came from, in the words that the maintainer used."""
    if key.split(".", maxsplit=1)[0] in given:
        return "--" + key.replace("_", "-")
    variable = PREFIX + key.replace(".", "__").upper()
    if any(name.upper() == variable for name in os.environ):
        return variable
    return f"{key} in {_file_in_use}" if _file_in_use else key
