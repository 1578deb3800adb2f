"""Where a command asks: a database file that no process holds, or a running service."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NoReturn, Protocol

from analytics.api import BadRequestError, Context, NotFoundError, answer
from analytics.api.endpoints import BY_NAME
from analytics.client import ApiClient, ApiError, ApiUnavailable
from analytics.jobs import JudgeJob
from analytics.settings import JudgeSettings
from analytics.store import Store, StoreUnavailable

BAD_USAGE = 2
PROBE_S = 5.0
"""How long a service that nobody named may take to answer."""


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


class _ServiceAnswers(Exception):
    """The file is held by a service that answers; its arguments are that fact, and the address."""


def _place(endpoint: str, path: Mapping[str, str]) -> tuple[str, ...]:
    parts = BY_NAME[endpoint].path.split("/")
    return tuple(path[part.strip("{}").removesuffix(":any")] if part.startswith("{") else part for part in parts)


@contextmanager
def source(db: Path | None, api: str | None) -> Iterator[Source]:
    """The source that `--db` or `--api` names, else `TELLTALE_DB`, else `TELLTALE_API_URL`, else the settings' file,
    else the service that answers where the settings say: one that holds that file, or that runs beside none.

    A file is judged to its end first. Ends the command when there is no answer to be had.
    """
    if db is not None and api is not None:
        fail("name either --db or --api, not both")
    unnamed = db is None and api is None and not os.environ.get("TELLTALE_DB")
    if unnamed:
        api = os.environ.get("TELLTALE_API_URL") or _running_service()
    try:
        with ExitStack() as open_while_asked:
            yield _found(open_while_asked, db, api, unnamed)
    except (ApiError, BadRequestError, NotFoundError) as refused:
        fail(str(refused))


def _found(stack: ExitStack, db: Path | None, api: str | None, unnamed: bool) -> Source:
    if api is None:
        try:
            return stack.enter_context(open_file(db, or_its_service=unnamed))
        except _ServiceAnswers as there:
            fact, api = there.args
            print(f"telltale: {fact}; asking the service at {api}", file=sys.stderr)
    if not api.startswith(("http://", "https://")):
        fail(f"--api must be an http or https address, not {api!r}")
    return ServiceSource(stack.enter_context(_client(api, timeout=60.0)))


def _client(api: str, timeout: float) -> ApiClient:
    return ApiClient(api, timeout=timeout, token=os.environ.get("TELLTALE_API_TOKEN"))


def _running_service() -> str | None:
    """The address of the service beside which a command was given without a word of where to ask; None where the
    settings' file is there. Ends the command when there is neither."""
    settings = _settings()
    if settings.db.exists():
        return None
    api = _own_address(settings)
    if not _answers(settings):
        fail(f"there is no database at {settings.db}, and no service answers at {api}; name a file with --db, or --api")
    print(f"telltale: there is no database at {settings.db}; asking the service at {api}", file=sys.stderr)
    return api


def _answers(settings: Any) -> bool:
    """Whether a service is there; what it refuses, the question itself will say."""
    try:
        with _client(_own_address(settings), timeout=PROBE_S) as client:
            client.get("status")
    except ApiUnavailable:
        return False
    except ApiError:
        pass
    return True


def _settings() -> Any:
    """The settings in force. The arrow collector → analytics forbids an import; the command line joins the rooms at run
    time."""
    config = importlib.import_module("collector.config")
    try:
        return config.load(None)
    except config.ConfigError as wrong:
        fail(str(wrong))


def _own_address(settings: Any) -> str:
    url_host = importlib.import_module("collector.sockets").url_host
    return f"http://{url_host(settings.host)}:{settings.api_port}"


@contextmanager
def open_file(db: Path | None, *, held: str | None = None, or_its_service: bool = False) -> Iterator[FileSource]:
    """A database file with everything in it judged. Ends the command when it cannot be opened.

    Args:
        db: the file; the settings' where None.
        held: for a command that needs the file itself, what to do when a service holds it.
        or_its_service: whether its service may be asked instead.

    Raises:
        _ServiceAnswers: it may, it holds the file, and it answers where the settings say.
    """
    settings = _settings()
    path = db or settings.db
    _refuse_unless_database(path, "" if held else ", or a running service with --api")
    collector = importlib.import_module("collector.store")
    try:
        store: Store = collector.DuckDBStore(path)
    except collector.StoreHeld as owned:
        if or_its_service and _answers(settings):
            raise _ServiceAnswers(owned.fact, _own_address(settings)) from None
        fail(f"{owned.fact}; {held or f'ask that service with --api {_own_address(settings)}'}")
    except StoreUnavailable as unavailable:
        fail(str(unavailable))
    except Exception as error:  # whatever a damaged or foreign file makes the database say
        fail(f"{path} cannot be opened as a Telltale database ({type(error).__name__})")
    judged: JudgeSettings = settings.judge_settings()
    try:
        JudgeJob(store, judged).drain()
        yield FileSource(store, judged)
    finally:
        store.close()


def _refuse_unless_database(path: Path, or_else: str) -> None:
    """A question must never make a database, nor a repair of somebody's notes."""
    if not path.exists():
        fail(f"there is no database at {path}; name one with --db{or_else}")
    if not _is_database(path):
        strange = importlib.import_module("collector.store.opening").is_strange(path)
        fail(
            f"{path} is no DuckDB database; name another file"
            if strange
            else f"{path} is empty or damaged; `telltale serve` repairs it"
        )


def _is_database(path: Path) -> bool:
    """Whether a file bears DuckDB's mark."""
    try:
        with path.open("rb") as file:
            return file.read(12)[8:] == b"DUCK"
    except OSError as wrong:
        fail(f"{path} cannot be read ({wrong.strerror})")


def fail(sentence: str) -> NoReturn:
    """Say why a command cannot be done, and end it with exit code 2."""
    print(f"telltale: {sentence}", file=sys.stderr)
    raise SystemExit(BAD_USAGE)
