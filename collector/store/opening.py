"""Opening a file that may be damaged: tried in a child process first, repaired, and the damage kept aside.

A damaged write-ahead log can abort the process that replays it, so after an unclean stop a child opens the file first.
Its clean close also takes the log into the file. Only known signs of damage lead to a repair; anything else (no
permission, no space, a newer format) is an error as it stands, and the file is not touched.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb

from analytics.store import StoreUnavailable
from collector.store.database import STORAGE_VERSION, Limits, connect, create, quoted
from collector.store.migration import up_to_date
from collector.store.recovery import Recovery

_HELD = re.compile(r"\(PID (\d+)\)")
_BYTE = re.compile(r"byte position (\d+)")
_DAMAGE = (
    "Failure while replaying WAL",
    "Corrupt WAL",
    "Corrupt database file",
    "Could not read enough bytes",
    "not a valid DuckDB database file",
    "checksum",
)
_CRASHED = "the process that opened it crashed"
_CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE)
"""Signals that damage raises in the process that reads it; a SIGKILL is somebody else's doing and proves nothing."""

_MAGIC, _MAGIC_AT = b"DUCK", 8
"""DuckDB's main header: eight bytes of checksum, then these (its storage format since 0.2)."""

_LONGEST_TRIAL_S = 300

_TRIAL = """
import sys
import duckdb
try:
    duckdb.connect(sys.argv[1], config={"memory_limit": sys.argv[2], "threads": int(sys.argv[3])}).close()
except duckdb.Error as error:
    sys.stderr.write(str(error))
    sys.exit(3)
"""


class StoreHeld(StoreUnavailable):
    """Another process owns the file.

    Attributes:
        fact: which file, and who holds it, for a caller with other advice than a reader gets.
    """

    def __init__(self, fact: str, advice: str = "") -> None:
        super().__init__(f"{fact}; {advice}" if advice else fact)
        self.fact = fact


def wal_of(path: Path) -> Path:
    """DuckDB's write-ahead log of a database file."""
    return Path(f"{path}.wal")


def marker_of(path: Path) -> Path:
    """Left beside the file when a read met damage while running: the next opening salvages what is readable."""
    return Path(f"{path}.damaged")


def open_repaired(path: Path, limits: Limits, recovery: Recovery) -> duckdb.DuckDBPyConnection:
    """Open the file, made where it does not exist, repaired where it is damaged.

    Raises:
        StoreHeld: another process owns it.
        StoreUnavailable: it cannot be opened for another reason than damage; the file is untouched.
    """
    missing = missing_folder(path)
    if missing:
        raise StoreUnavailable(missing)
    if path.is_dir():
        raise StoreUnavailable(f"{path} is a folder, not a database file")
    if is_strange(path):
        raise StoreUnavailable(f"{path} is no DuckDB database, and nothing was changed in it; name another file")
    recovery.unclean = wal_of(path).exists() and wal_of(path).stat().st_size > 0
    if path.exists() and path.stat().st_size == 0:
        path.unlink()  # the name was reserved and never filled
    if not path.exists():
        if recovery.unclean:
            _set_aside(wal_of(path), recovery)
        create(path)
    if recovery.unclean:
        _repair(path, limits, recovery)
    try:
        connection = connect(path, limits)
    except duckdb.Error as error:
        _refuse_unless_damage(path, str(error))
        _rebuild(path, recovery)
        connection = connect(path, limits)
    if marker_of(path).exists():
        connection = _salvage(path, limits, connection, recovery)
    return up_to_date(path, limits, connection, recovery)


def missing_folder(path: Path) -> str | None:
    """What to say where the folder of a database file is not there; it is never made, since it is most often a slip of
    the hand, and spans would go where nobody looks for them.
    """
    folder = path.absolute().parent
    return None if folder.is_dir() else f"there is no folder {folder} for {path.name}; make it, or name another file"


def is_strange(path: Path) -> bool:
    """Whether a file was never a database of ours: it is somebody's, and neither repaired nor set aside.

    A damaged one is known by DuckDB's magic bytes, or by what a service left beside it: its journal, or its word that
    a read met damage.
    """
    if not path.exists() or path.stat().st_size == 0 or marker_of(path).exists():
        return False
    with path.open("rb") as file:
        head = file.read(_MAGIC_AT + len(_MAGIC))
    return head[_MAGIC_AT:] != _MAGIC and not any(Path(f"{path}.journal").glob("*"))


def _repair(path: Path, limits: Limits, recovery: Recovery) -> None:
    """Try the opening in a child until it succeeds: cut the log where it breaks, then do without it, then anew."""
    for attempt in (_cut_wal, _drop_wal, _rebuild):
        problem = _trial(path, limits)
        if problem is None:
            return
        _refuse_unless_damage(path, problem)
        if attempt is _cut_wal:
            _cut_wal(path, problem, recovery)
        elif attempt is _drop_wal:
            _drop_wal(path, recovery)
        else:
            _rebuild(path, recovery)


def _trial(path: Path, limits: Limits) -> str | None:
    """None where a child could open and close the file, else what was wrong."""
    command = [sys.executable, "-P", "-c", _TRIAL, str(path), limits.memory_limit, str(limits.threads)]
    try:
        child = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST_TRIAL_S, check=False)  # noqa: S603
    except subprocess.TimeoutExpired as error:
        raise StoreUnavailable(f"{path} did not open within {_LONGEST_TRIAL_S} s") from error
    if child.returncode == 0:
        return None
    return _CRASHED if -child.returncode in _CRASHES else child.stderr or f"exit code {child.returncode}"


def _refuse_unless_damage(path: Path, problem: str) -> None:
    held = _HELD.search(problem)
    if held or "Conflicting lock" in problem:
        owner = f"PID {held[1]}" if held else "another process"
        raise StoreHeld(f"{path} is held by {owner}", "ask that service with --api, or stop it")
    if problem != _CRASHED and not any(sign in problem for sign in _DAMAGE):
        raise StoreUnavailable(f"{path} cannot be opened: {problem}")


def _cut_wal(path: Path, problem: str, recovery: Recovery) -> None:
    """Keep the prefix of the log that is whole: DuckDB names the byte where the first damaged entry starts."""
    wal, at = wal_of(path), _BYTE.search(problem)
    if not wal.exists() or at is None or int(at[1]) == 0:
        return
    kept = _corrupt_name(wal)
    shutil.copy2(wal, kept)
    recovery.quarantined.append(kept)
    recovery.wal_cut_at = int(at[1])
    with wal.open("r+b") as file:
        file.truncate(recovery.wal_cut_at)


def _drop_wal(path: Path, recovery: Recovery) -> None:
    if wal_of(path).exists():
        _set_aside(wal_of(path), recovery)
        recovery.wal_given_up = True


def _rebuild(path: Path, recovery: Recovery) -> None:
    """Set the file aside and begin an empty one; the journal fills it with what it still holds."""
    for file in (wal_of(path), path):
        if file.exists():
            _set_aside(file, recovery)
    recovery.rebuilt = True
    create(path)


def _set_aside(file: Path, recovery: Recovery) -> Path:
    kept = _corrupt_name(file)
    file.rename(kept)
    recovery.quarantined.append(kept)
    return kept


def _corrupt_name(file: Path) -> Path:
    return file.with_name(f"{file.name}.corrupt-{time.time_ns() // 1_000_000}")


def _salvage(
    path: Path, limits: Limits, connection: duckdb.DuckDBPyConnection, recovery: Recovery
) -> duckdb.DuckDBPyConnection:
    """Copy every table that can be read whole into a new file; the judge starts again where a verdict table is lost."""
    connection.close()
    fresh = path.with_name(f"{path.name}.salvage")
    for leftover in (fresh, wal_of(fresh)):
        leftover.unlink(missing_ok=True)
    session = duckdb.connect(":memory:", config={"memory_limit": limits.memory_limit, "threads": limits.threads})
    try:
        session.execute(f"ATTACH '{quoted(path)}' AS old (READ_ONLY)")
        session.execute(f"ATTACH '{quoted(fresh)}' AS fresh (STORAGE_VERSION '{STORAGE_VERSION}')")
        found = session.execute("SELECT table_name, sql FROM duckdb_tables() WHERE database_name = 'old'").fetchall()
        session.execute("USE fresh")
        for table, definition in sorted(found):
            session.execute(definition)
            try:
                session.execute(f'INSERT INTO fresh."{table}" FROM old."{table}"')
                recovery.salvaged_tables.append(table)
            except duckdb.Error:
                recovery.lost_tables.append(table)
        if any(not table.startswith(("span", "log")) for table in recovery.lost_tables):
            session.execute("DELETE FROM fresh.job_state WHERE name = 'judge'")
        session.execute("CHECKPOINT fresh")
    finally:
        session.close()
    for file in (wal_of(path), path):
        if file.exists():
            _set_aside(file, recovery)
    fresh.rename(path)
    marker_of(path).unlink(missing_ok=True)
    recovery.rebuilt = True
    return connect(path, limits)
