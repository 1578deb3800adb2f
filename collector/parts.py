"""Where the service takes its parts from the other rooms: one place, so that wiring is read in one place."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from analytics.settings import JudgeSettings
from analytics.store import Store
from collector.config import Config
from collector.intake import Redact
from collector.redact import BatchRedactor, site_key
from telltale.redaction import Redactor


def judge(store: Store, settings: JudgeSettings) -> Callable[[], int] | None:
    """One round of judging; returns how many traces it judged."""
    jobs = _module("analytics.jobs")
    if not hasattr(jobs, "JudgeJob"):
        return None
    run: Callable[[], int] = jobs.JudgeJob(store, settings).run_once
    return run


def judge_all(store: Store, settings: JudgeSettings) -> int:
    """Judge everything that is stored and not judged yet; returns how many traces."""
    run = judge(store, settings)
    total = 0
    while run is not None and (done := run()):
        total += done
    return total


def redact(config: Config) -> Redact:
    """Masks secrets in a batch, in place, with the site's own key."""
    return BatchRedactor(Redactor(config.redaction_config(site_key(config.db))))


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None
