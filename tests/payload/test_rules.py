"""Every payload rule by its examples: what must trigger it, and what comes near and must not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from telltale.payload import PAYLOAD_RULES, Asked, Reading, Says, read_payload, unwrap

EXAMPLES: dict[str, dict[str, list[dict[str, Any]]]] = json.loads(
    (Path(__file__).parent / "data" / "rules.json").read_text("utf-8")
)


def cases(kind: str) -> list[Any]:
    """One pytest case per example."""
    return [
        pytest.param(rule, example, id=f"{rule}-{n}")
        for rule, kinds in EXAMPLES.items()
        for n, example in enumerate(kinds[kind])
    ]


def read(example: dict[str, Any]) -> Reading:
    """Reads an example as the tool and the arguments named in it returned it."""
    asked = Asked(example.get("tool", "tool"), example.get("arguments"), example.get("content"))
    value = example["result"]
    if example.get("unwrap"):
        value = unwrap(json.dumps(value)).value
    return read_payload(value, asked)


def test_every_rule_has_examples() -> None:
    """No rule without at least two examples that trigger it and two near-misses, and no examples without a rule."""
    assert EXAMPLES.keys() == PAYLOAD_RULES.keys()
    assert all(len(kinds["triggers"]) >= 2 and len(kinds["near_misses"]) >= 2 for kinds in EXAMPLES.values())


@pytest.mark.parametrize(("rule", "example"), cases("triggers"))
def test_triggers(rule: str, example: dict[str, Any]) -> None:
    """The example triggers its rule."""
    reading = read(example)

    if rule == "payload.envelope":
        assert reading.envelope is not None
        assert reading.envelope.compliant
    else:
        meant = {Says.SUCCESS} if rule == "payload.success" else {Says.FAILED, Says.HIDDEN}
        assert rule in {found.rule for found in reading.findings if found.says in meant}, reading.findings


@pytest.mark.parametrize(("rule", "example"), cases("near_misses"))
def test_near_misses(rule: str, example: dict[str, Any]) -> None:
    """The near-miss triggers neither its rule nor, unless the example says so, any other."""
    reading = read(example)

    if rule == "payload.envelope":
        assert reading.envelope is None or not reading.envelope.compliant
    if rule == "payload.success":
        assert reading.finding(Says.SUCCESS) is None
    assert reading.failed is bool(example.get("fails")), reading.findings


HEALTHY = json.loads((Path(__file__).parent / "data" / "healthy.json").read_text("utf-8"))


@pytest.mark.parametrize("example", HEALTHY, ids=[f"{n}-{each['tool']}" for n, each in enumerate(HEALTHY)])
def test_healthy_results(example: dict[str, Any]) -> None:
    """Ordinary good answers of ordinary tools, full of dark words and numbers, trigger nothing."""
    reading = read(example)

    assert not reading.failed, reading.findings


FAILING = json.loads((Path(__file__).parent / "data" / "failing.json").read_text("utf-8"))


@pytest.mark.parametrize("example", FAILING, ids=[f"{n}-{each['tool']}" for n, each in enumerate(FAILING)])
def test_failing_results(example: dict[str, Any]) -> None:
    """Customary answers of tools, programs and services that failed, in a line or two, are each read as a failure."""
    reading = read(example)

    assert reading.failed


def wrapped(example: dict[str, Any]) -> dict[str, Any]:
    """The same call, answered through a guard that knew of no failure."""
    return example | {"result": {"status": "ok", "output": unwrap(example["result"]).value}}


@pytest.mark.parametrize("example", FAILING, ids=[f"{n}-{each['tool']}" for n, each in enumerate(FAILING)])
def test_failing_results_in_an_envelope(example: dict[str, Any]) -> None:
    """A failure that a tool returned as its output is the same failure inside the envelope that calls it a success."""
    bare, reading = read(example), read(wrapped(example))

    assert reading.failed
    assert reading.finding(Says.SUCCESS) is not None
    assert reading.code is bare.code


@pytest.mark.parametrize("example", HEALTHY, ids=[f"{n}-{each['tool']}" for n, each in enumerate(HEALTHY)])
def test_healthy_results_in_an_envelope(example: dict[str, Any]) -> None:
    """A good answer stays good inside an envelope."""
    reading = read(wrapped(example))

    assert not reading.failed, reading.findings
