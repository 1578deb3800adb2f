"""Where the service takes its parts from the other rooms: one place, so that wiring is read in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from analytics.alerts import AlertJob, build_notifiers
from analytics.jobs.judge_job import JudgeJob
from analytics.store import Store
from collector.config import Config, ConfigError
from collector.intake import Intake, Redact
from collector.metrics import Metrics
from collector.redact import BatchRedactor, site_key
from collector.sockets import url_host
from collector.store import DuckDBStore
from telltale.redaction import Redactor

if TYPE_CHECKING:
    from collector.tracing import SelfTracing


def judge_job(store: Store, config: Config) -> JudgeJob:
    """The job that turns arrivals into verdicts."""
    return JudgeJob(store, config.judge_settings())


def alert_job(store: Store, config: Config) -> AlertJob:
    """The job that evaluates the alert rules and sees notices off.

    Raises:
        ConfigError: a destination cannot be used.
    """
    settings = config.alerts
    if "dashboard_url" not in settings.model_fields_set:  # links lead to the dashboard beside this service
        address = f"http://{url_host(config.host)}:{config.dashboard_port}"
        settings = settings.model_copy(update={"dashboard_url": address})
    try:
        notifiers = build_notifiers(settings)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    return AlertJob(store, settings, notifiers, config.judge_settings())


def self_tracing(config: Config, version: str) -> SelfTracing | None:
    """What traces the service itself, where an endpoint is configured; its modules are loaded only then."""
    if config.tracing.endpoint is None:
        return None
    from collector.tracing import SelfTracing

    return SelfTracing(config.tracing, version)


def intake(store: DuckDBStore, metrics: Metrics, tracing: SelfTracing | None, **more: Any) -> Intake:
    """The queue between the receivers and the store; `more` as `Intake` takes it."""
    if tracing is None:
        return Intake(store, metrics, **more)
    from collector.tracing import TracedIntake

    traced = TracedIntake(tracing.store(store), metrics, **more)
    traced.tracing = tracing
    return traced


def redactor(config: Config) -> Redactor:
    """What masks secrets, with the site's own key; keeps the counts by kind."""
    try:
        key = site_key(config.db)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    return Redactor(config.redaction_config(key))


def redact(used: Redactor) -> Redact:
    """Masks secrets in a batch, in place."""
    work: Callable[..., None] = BatchRedactor(used)
    return work
