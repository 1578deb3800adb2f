"""The types that users' checkers see: `guard` keeps parameters and says what comes back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FACE = """
from collections.abc import AsyncIterator, Iterator
from typing import Any, assert_type

import telltale
from telltale import Budget, Envelope, guard


@guard
def plain(day: str) -> list[str]:
    return [day]


@guard(budget=Budget(3))
def configured(day: str, seats: int = 1) -> list[str]:
    return [day]


@guard
async def asynchronous(day: str) -> list[str]:
    return [day]


@guard
def stream(day: str) -> Iterator[int]:
    yield 1


@guard("named")
async def astream(day: str) -> AsyncIterator[int]:
    yield 1


class Calendar:
    @guard
    def book(self, day: str) -> int:
        return 1


async def use() -> None:
    assert_type(plain("x"), dict[str, Any])
    assert_type(configured("x", seats=2), dict[str, Any])
    assert_type(await asynchronous("x"), dict[str, Any])
    assert_type(next(stream("x")), int | dict[str, Any])
    async for item in astream("x"):
        assert_type(item, int | dict[str, Any])
    assert_type(Calendar().book("x"), dict[str, Any])
    with guard("block") as call:
        call.output = 1
    assert_type(call.envelope, dict[str, Any])
    plain(3)  # type: ignore[arg-type]
    configured("x", seats="many")  # type: ignore[arg-type]
    envelope: Envelope = telltale.error("CONFLICT")
    assert_type(telltale.read(envelope), dict[str, Any] | None)
"""


def test_the_public_face_as_a_type_checker_sees_it(tmp_path: Path) -> None:
    """Strict mypy agrees with every line; the ignored errors are real ones, else it would complain of them too."""
    (tmp_path / "face.py").write_text(FACE)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", str(tmp_path / "face.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110, check=False)

    assert done.returncode == 0, done.stdout
