"""The pytest plugin: fixtures for captured spans, and one test run per guarded tool.

Loaded by every pytest run where the package is installed: it brings the library's light part and no SDK before a test
asks for a fixture.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from telltale.testing import SpanCapture


class Hooks:
    """Hooks that a project's conftest.py may implement."""

    @pytest.hookspec
    def pytest_telltale_tools(self) -> Any:
        """Tools to check besides those that `guard` decorated: an iterable of guarded tools of the adapters."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Make the hooks known."""
    pluginmanager.add_hookspecs(Hooks)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes `guarded_tool` once for every guarded tool known when it is collected."""
    if "guarded_tool" not in metafunc.fixturenames:
        return
    from telltale.testing import registered_tools

    tools = list(registered_tools())
    for more in metafunc.config.hook.pytest_telltale_tools():
        tools.extend(more or ())
    ids = [str(getattr(tool, "name", None) or getattr(tool, "__name__", tool)) for tool in tools]
    metafunc.parametrize("guarded_tool", tools, ids=ids)


@pytest.fixture
def telltale_spans() -> Iterator[SpanCapture]:
    """The spans that the library emits in this test, with fixed ids, clock and reference ids."""
    from telltale.testing import SpanCapture

    with SpanCapture().active() as capture:
        yield capture
