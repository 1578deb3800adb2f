"""When the store takes its log into the file: what counts as rest."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from collector.store import drain as module
from collector.store.backlog import Backlog
from collector.store.drain import Drain, Pace


def test_a_judge_that_writes_is_no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rest begins when the log stops growing, whoever wrote it, and when no rows wait."""
    clock = [100.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock[0], time=lambda: clock[0]))
    nothing: Any = None
    drain = Drain(nothing, nothing, nothing, Backlog(1), Pace(idle_s=2.0))

    def at_rest(after_s: float, log: int) -> bool:
        clock[0] += after_s
        return drain._at_rest(log)

    assert [at_rest(1.5, size) for size in (10, 20, 30, 40)] == [False] * 4
    assert not at_rest(1.5, 40)
    assert at_rest(1.5, 40)
    drain._backlog.rows = 5
    assert not at_rest(10, 40)
    drain._backlog.rows = 0
    assert not at_rest(1.5, 40)
    assert at_rest(1.5, 40)
