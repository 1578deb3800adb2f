"""Where a command asks: a database file that no process holds, or a running service."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, Protocol

from analytics.api import BadRequestError, Context, NotFoundError, answer
from analytics.api.endpoints import BY_NAME
from analytics.client import ApiClient, ApiError
from analytics.jobs import JudgeJob
from analytics.settings import JudgeSettings
from analytics.store import Store, StoreUnavailable

BAD_USAGE = 2
DEFAULT_DB = Path("telltale.db")


class Source(Protocol):
    """Answers the endpoints of the API, over HTTP or without it."""

    default_since: str
    """Where a range begins when nobody says."""

    def ask(self, endpoint: str, given: Mapping[str, str], **path: str) -> dict[str, Any]:
        """The answer of one endpoint (its name in `analytics.api.endpoints`)."""

    def tell(self, endpoint: str, given: Mapping[str, str], body: Mapping[str, Any], **path: str) -> dict[str, Any]:
        """Send a change."""


class FileSource:
    """A database file of this process."""

    default_since = "all"

    def __init__(self, store: Store, settings: JudgeSettings) -> None:
        self.store = store
        self.settings = settings
        self._context = Context(store, settings)

    def ask(self, endpoint: str, given: Mapping[str, str], **path: str) -> dict[str, Any]:
        """The answer of one endpoint."""
        return answer(self._context, endpoint, given, path=path, default_since=self.default_since)

    def tell(self, endpoint: str, given: Mapping[str, str], body: Mapping[str, Any], **path: str) -> dict[str, Any]:
        """Send a change."""
        return answer(self._context, endpoint, given, path=path, body=body, default_since=self.default_since)


class ServiceSource:
    """A running service."""

    default_since = "24h"

    def __init__(self, client: ApiClient) -> None:
        self._client = client

    def ask(self, endpoint: str, given: Mapping[str, str], **path: str) -> dict[str, Any]:
        """The answer of one endpoint."""
        return self._client.get(*_place(endpoint, path), **given)

    def tell(self, endpoint: str, given: Mapping[str, str], body: Mapping[str, Any], **path: str) -> dict[str, Any]:
        """Send a change."""
        return self._client.post(*_place(endpoint, path), body=dict(body), **given)


def _place(endpoint: str, path: Mapping[str, str]) -> tuple[str, ...]:
    parts = BY_NAME[endpoint].path.split("/")
    return tuple(path[part.strip("{}").removesuffix(":path")] if part.startswith("{") else part for part in parts)


@contextmanager
def source(db: Path | None, api: str | None) -> Iterator[Source]:
    """The source that `--db` or `--api` names, else `TELLTALE_DB`, else `TELLTALE_API_URL`, else ./telltale.db.

    A file is judged to its end first. Ends the command when there is no answer to be had.
    """
    if db is not None and api is not None:
        fail("name either --db or --api, not both")
    if db is None and api is None and not os.environ.get("TELLTALE_DB"):
        api = os.environ.get("TELLTALE_API_URL") or None
    try:
        if api is not None:
            if not api.startswith(("http://", "https://")):
                fail(f"--api must be an http or https address, not {api!r}")
            with ApiClient(api, timeout=60.0, token=os.environ.get("TELLTALE_API_TOKEN")) as client:
                yield ServiceSource(client)
        else:
            with open_file(db) as file:
                yield file
    except (ApiError, BadRequestError, NotFoundError) as refused:
        fail(str(refused))


@contextmanager
def open_file(db: Path | None) -> Iterator[FileSource]:
    """A database file with everything in it judged. Ends the command when it cannot be opened."""
    path = db or Path(os.environ.get("TELLTALE_DB") or DEFAULT_DB)
    if not path.exists():
        fail(f"there is no database at {path}; name one with --db, or a running service with --api")
    # The arrow collector → analytics forbids an import here; the command line joins the rooms at run time.
    if not _is_database(path):
        strange = importlib.import_module("collector.store.opening").is_strange(path)
        fail(
            f"{path} is no DuckDB database; name another file"
            if strange
            else f"{path} is empty or damaged; `telltale serve` repairs it"
        )
    collector = importlib.import_module("collector.store")
    config = importlib.import_module("collector.config")
    try:
        settings: JudgeSettings = config.load(None).judge_settings()
        store: Store = collector.DuckDBStore(path)
    except config.ConfigError as wrong:
        fail(str(wrong))
    except StoreUnavailable as held:
        text = str(held)
        fail(text if "--api" in text else f"{text}; ask the service that holds it with --api")
    except Exception as error:  # whatever a damaged or foreign file makes the database say
        fail(f"{path} cannot be opened as a Telltale database ({type(error).__name__})")
    try:
        JudgeJob(store, settings).drain()
        yield FileSource(store, settings)
    finally:
        store.close()


def _is_database(path: Path) -> bool:
    """Whether a file bears DuckDB's mark: a question must never make a repair of somebody's notes."""
    try:
        with path.open("rb") as file:
            return file.read(12)[8:] == b"DUCK"
    except OSError as wrong:
        fail(f"{path} cannot be read ({wrong.strerror})")


def fail(sentence: str) -> NoReturn:
    """Say why a command cannot be done, and end it with exit code 2."""
    print(f"telltale: {sentence}", file=sys.stderr)
    raise SystemExit(BAD_USAGE)
