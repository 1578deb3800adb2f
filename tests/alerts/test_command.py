"""`telltale alerts`: list, test, backtest, on a real file, through the real command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from analytics.alerts import AlertSettings, cli
from analytics.alerts.backtest import backtest
from analytics.settings import JudgeSettings
from collector.store import DuckDBStore
from tests.alerts.world import HOUR, MINUTE, NOW, SECOND, Sink, add, call, failing

runner = CliRunner()


def _app() -> typer.Typer:
    app = typer.Typer()
    cli.register(app)
    return app


def _file(tmp_path: Path) -> Path:
    path = tmp_path / "history.duckdb"
    store = DuckDBStore(path)
    calls = [call(at) for at in range(NOW - 12 * HOUR, NOW + 6 * HOUR, 5 * MINUTE)]
    add(store, [*calls, *(failing(NOW + i * SECOND, "PERMISSION_DENIED") for i in range(3))])
    store.close()
    return path


def test_backtest_says_when_it_would_have_fired(tmp_path: Path) -> None:
    """History that was read in long afterwards still tells when a page would have gone out, and when it was over."""
    path = _file(tmp_path)

    result = runner.invoke(
        _app(),
        ["alerts", "backtest", "--db", str(path), "--since", "all", "--until", "2026-09-21T20:00", "--format", "jsonl"],
    )

    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["event"], row["severity"], row["rule"]) for row in rows] == [
        ("firing", "page", "permission_denied"),
        ("resolved", "page", "permission_denied"),
    ]
    assert rows[0]["first_failure"].startswith("2026-09-21T14:13:20")


def test_backtest_writes_and_sends_nothing(store: DuckDBStore, sink: Sink) -> None:
    """What would have fired leaves no row and no notice."""
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED") for i in range(3)])

    events = list(backtest(store, AlertSettings(), JudgeSettings(), from_ns=NOW - HOUR, to_ns=NOW + HOUR))

    assert [event.kind for event in events] == ["firing"]
    assert store.read("SELECT * FROM alert").num_rows == 0
    assert sink.seen == []


def test_test_notice_reaches_the_destination(sink: Sink, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`alerts test` sends to every configured destination and says how each did."""
    monkeypatch.chdir(tmp_path)
    settings = f'[alerts]\nwebhooks = ["{sink.url}"]\nallow_private = ["127.0.0.0/8"]\n'
    (tmp_path / "telltale.toml").write_text(settings, encoding="utf-8")

    good = runner.invoke(_app(), ["alerts", "test"])
    sink.status = 500
    bad = runner.invoke(_app(), ["alerts", "test"])

    assert good.exit_code == 0, good.output
    assert [body["status"] for body in sink.got] == ["test"]
    assert bad.exit_code == 1
    assert "answered 500" in bad.output
    assert "secret" not in bad.output


def test_list_shows_incidents(tmp_path: Path) -> None:
    """`alerts list` answers, also where there is nothing to list."""
    result = runner.invoke(_app(), ["alerts", "list", "--db", str(_file(tmp_path))])

    assert result.exit_code == 0, result.output
    assert "0 incidents" in result.output
