"""`telltale ingest`: recorded OTLP files into a database file or a running service."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from analytics.alerts.wording import count
from analytics.store import StoreUnavailable
from collector import logs, parts
from collector.config import Config, ConfigError, load
from collector.files.finding import Found, NotReadable, find
from collector.files.reading import Problem, read
from collector.files.targets import EndpointTarget, StoreTarget, Tally, Target
from collector.store import DuckDBStore, StoreHeld

ALL_TAKEN, PART_REFUSED, NOTHING_USABLE = 0, 1, 2
_SHOWN = 20
STDIN = Path("-")


def ingest(
    paths: Annotated[
        list[Path], typer.Argument(help="Files or folders; - reads from standard input.", metavar="PATH…")
    ],
    db: Annotated[Path | None, typer.Option(help="Database file to write into.", show_default="telltale.db")] = None,
    endpoint: Annotated[str | None, typer.Option(help="Send to a running service: its OTLP/HTTP address.")] = None,
    token: Annotated[str | None, typer.Option(help="Ingest token for --endpoint.", envvar="TELLTALE_TOKEN")] = None,
    config: Annotated[Path | None, typer.Option(help="Settings file.", envvar="TELLTALE_CONFIG")] = None,
) -> None:
    """Read recorded OTLP: JSON lines (also the OTel Collector's file exporter), protobuf, .gz, .zst, folders.

    Exit codes: 0 all taken, 1 a part was refused (the rest is kept), 2 bad usage or nothing usable.
    """
    logs.configure("warning")
    if db is not None and endpoint is not None:
        raise SystemExit(_say("name either --db or --endpoint, not both"))
    if endpoint is not None and not endpoint.startswith(("http://", "https://")):
        raise SystemExit(_say(f"--endpoint must be an http or https address, not {endpoint!r}"))
    try:
        settings = load(config, db=db)
        files = find(path for path in paths if path != STDIN)
    except (ConfigError, NotReadable) as error:
        raise SystemExit(_say(str(error))) from None
    if STDIN not in paths and not files:
        raise SystemExit(_say("the folders hold no recordings (.json, .jsonl, .pb, …, also .gz and .zst)"))
    tally = Tally()
    try:
        with _target(settings, endpoint, token, tally) as target:
            _feed(target, paths, files, tally)
            judged = target.finish()
    except StoreHeld as error:
        raise SystemExit(_say(f"{error.fact}; give the files to that service with --endpoint, or stop it")) from None
    except StoreUnavailable as error:
        raise SystemExit(_say(str(error))) from None
    except ConnectionError as error:
        raise SystemExit(_say(str(error))) from None
    raise SystemExit(_report(tally, judged))


@contextmanager
def _target(settings: Config, endpoint: str | None, token: str | None, tally: Tally) -> Iterator[Target]:
    """The service at `endpoint`, or a store of this process, closed at the end."""
    if endpoint is not None:
        yield EndpointTarget(endpoint, tally, token=token)
        return
    store = DuckDBStore(settings.db)
    try:
        yield StoreTarget(store, tally, parts.redact(parts.redactor(settings)), parts.judge_job(store, settings))
    finally:
        store.close()


def _feed(target: Target, paths: list[Path], files: list[Found], tally: Tally) -> None:
    with _progress(sum(found.size for found in files)) as advance:
        if STDIN in paths:
            _feed_one(target, sys.stdin.buffer, "standard input", tally)
        for found in files:
            with found.path.open("rb") as stream:
                _feed_one(target, stream, str(found.path), tally)
            advance(found.size)


def _feed_one(target: Target, stream: IO[bytes], name: str, tally: Tally) -> None:
    for piece in read(stream, name):
        if isinstance(piece, Problem):
            tally.problem(piece.where, piece.why)
        else:
            target.send(piece)


class _Advance:
    """Moves the bar by bytes read; does nothing where there is no terminal."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._task = progress.add_task("ingest", total=total or None) if progress else None

    def __call__(self, count: int) -> None:
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task, count)


@contextmanager
def _progress(total: int) -> Iterator[_Advance]:
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Advance(None, total)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Advance(progress, total)


def _report(tally: Tally, judged: int | None) -> int:
    """Say what was taken, name what was not, and return the exit code."""
    taken = tally.spans + tally.logs
    parts_of = [count(tally.spans, "span"), count(tally.logs, "log record")]
    if tally.duplicates:
        parts_of.append(f"{tally.duplicates} of them known already")
    if judged is not None:
        parts_of.append(f"{count(judged, 'trace')} judged")
    print(f"Taken: {', '.join(parts_of)}")
    if tally.metrics:
        print(f"Not kept: {count(tally.metrics, 'metric')} (this service stores traces and logs)")
    for note, number in sorted(tally.notes.items()):
        print(f"Note: {number} {note}")
    for problem in tally.problems[:_SHOWN]:
        print(f"Refused: {_printable(problem.where)}: {_printable(problem.why)}", file=sys.stderr)
    if len(tally.problems) > _SHOWN:
        print(f"Refused: {len(tally.problems) - _SHOWN} more", file=sys.stderr)
    if tally.refused:
        print(f"Refused in all: {tally.refused}", file=sys.stderr)
    if not taken:
        return NOTHING_USABLE
    return PART_REFUSED if tally.refused else ALL_TAKEN


def _printable(text: str) -> str:
    """File names may hold anything; a terminal must not obey it."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _say(sentence: str) -> int:
    print(f"telltale ingest: {sentence}", file=sys.stderr)
    return NOTHING_USABLE
