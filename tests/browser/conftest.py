"""A real browser on the real pages over the real service: receivers, judge, store and API, on ports of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from assistant_traffic import Traffic
from browsing import dashboard
from running_service import RunningService

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test of this folder needs the browser, and they run one after the other."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))
            item.add_marker(pytest.mark.timeout(300))


@pytest.fixture(scope="session")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that has seen a day of traffic, some of it failing."""
    service = RunningService(tmp_path_factory.mktemp("busy"))
    service.send(Traffic().day(60))
    yield service
    service.stop()


@pytest.fixture(scope="session")
def pages(busy: RunningService) -> Iterator[str]:
    """The pages over the busy service."""
    with dashboard(busy.api) as address:
        yield address
