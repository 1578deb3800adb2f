"""Secrets on command lines, as shell tools and process attributes carry them: no key of JSON, no form of their own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from telltale.redaction import RedactionConfig, Redactor
from telltale.redaction.prefilter import with_literals

SECRET = "hunter2-QwErTy-81"

LINES = (
    "mysql --host db --password {} shop",
    "mysql --password={} shop",
    "deploy --db-password '{}' --force",
    'deploy --api-key "{}"',
    "deploy --auth-token={}",
    "deploy --client-secret {}",
    "curl -u admin:{} https://example.org/x",
    "curl -uadmin:{} https://example.org/x",
    "curl -s --user 'jane@example.org:{}' https://example.org/x",
    "curl --proxy-user=svc:{} https://example.org/x",
    '["mysql", "--password", "{}"]',
)

HARMLESS = (
    "docker run -u 1000:1000 -v /data:/data image",
    "the flag --token is missing; see --help",
    "pass --password <PASSWORD> or set --api-key $API_KEY",
    "usage: tool [--secret-key KEY] [--verbose]",
    "git push -u origin main",
    "--key\n--------\nvalue",
    "sort --key=2,3 table",
)


@pytest.fixture(params=["automaton", "literals"])
def redactor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Redactor:
    """A redactor with the RE2 automaton, and one on a machine that has none."""
    if request.param == "literals":
        monkeypatch.setattr("telltale.redaction.redactor.prefilter", with_literals)
    return Redactor(RedactionConfig(key=b"site"))


@pytest.mark.parametrize("line", LINES)
def test_a_secret_of_a_command_line_is_masked(redactor: Redactor, line: str) -> None:
    """As a text, in prose, in JSON, in JSON inside JSON, in a cut payload; the rest of the command stays."""
    line = line.replace("{}", SECRET)
    inner = json.dumps({"command": line})
    places: list[Any] = [line, f"failed: {line}", inner, json.dumps({"body": inner}), {"a": [line]}, inner[:-2]]
    for place in places:
        masked = json.dumps(redactor.value(place))
        assert SECRET not in masked, place
        assert "[REDACTED:password:" in masked
        assert line.split()[0].strip('[",') in masked


@pytest.mark.parametrize("text", HARMLESS)
def test_other_command_lines_stay(redactor: Redactor, text: str) -> None:
    """Flags without a value, placeholders, user and group numbers, words of a sentence."""
    assert redactor.text(text) == text
