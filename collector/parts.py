"""Where the service takes its parts from the other rooms: one place, so that wiring is read in one place."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from analytics.settings import JudgeSettings
from analytics.store import Store
from collector.config import Config
from collector.intake import Redact


def judge(store: Store, settings: JudgeSettings) -> Callable[[], int] | None:
    """One round of judging; returns how many traces it judged."""
    jobs = _module("analytics.jobs")
    if not hasattr(jobs, "JudgeJob"):
        return None
    run: Callable[[], int] = jobs.JudgeJob(store, settings).run_once
    return run


def redact(config: Config) -> Redact | None:
    """Masks secrets in a batch, in place."""
    module = _module("collector.redact")
    if module is None:
        return None
    redactor = _module("telltale.redaction").Redactor()
    return lambda batch: module.redact_batch(batch, redactor)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None
