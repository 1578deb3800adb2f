"""Where the service takes its parts from the other rooms: one place, so that wiring is read in one place."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from analytics.alerts import AlertJob, build_notifiers
from analytics.settings import JudgeSettings
from analytics.store import Store
from collector.config import Config, ConfigError
from collector.intake import Redact
from collector.redact import BatchRedactor, site_key
from telltale.redaction import Redactor


def judge_job(store: Store, settings: JudgeSettings) -> Any:
    """The job that turns arrivals into verdicts."""
    module = _module("analytics.jobs.judge_job")
    return module.JudgeJob(store, settings) if module else None


def judge_all(store: Store, settings: JudgeSettings) -> int:
    """Judge everything that is stored and not judged yet; returns how many traces."""
    job = judge_job(store, settings)
    return int(job.drain()) if job else 0


def alert_job(store: Store, config: Config) -> AlertJob:
    """The job that evaluates the alert rules and sees notices off.

    Raises:
        ConfigError: a destination cannot be used.
    """
    try:
        notifiers = build_notifiers(config.alerts)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    return AlertJob(store, config.alerts, notifiers, config.judge_settings())


def redactor(config: Config) -> Redactor:
    """What masks secrets, with the site's own key; keeps the counts by kind."""
    return Redactor(config.redaction_config(site_key(config.db)))


def redact(used: Redactor) -> Redact:
    """Masks secrets in a batch, in place."""
    work: Callable[..., None] = BatchRedactor(used)
    return work


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None
