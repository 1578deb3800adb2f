"""What the package shows: its public names, the contract command, and what each adapter says without its framework."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import telltale
from telltale._command import main
from telltale._contract_command import run
from telltale.vocabulary import Action, Code

ADAPTERS = {
    "adk": "google-adk",
    "mcp": "mcp",
    "fastmcp": "fastmcp",
    "langchain": "langchain",
    "openai_agents": "openai-agents",
    "pydantic_ai": "pydantic-ai",
    "crewai": "crewai",
}


def test_all_is_what_is_there() -> None:
    """`__all__` and the package agree, and every public name has a docstring."""
    shown = {name for name, value in vars(telltale).items() if not name.startswith("_")}
    modules = {name for name in shown if type(getattr(telltale, name)).__name__ == "module"} | {"annotations"}

    assert set(telltale.__all__) == shown - modules
    assert [name for name in telltale.__all__ if not getattr(telltale, name).__doc__] == []


def test_wire_names_are_documented_and_unique() -> None:
    """Every wire name is a constant with a docstring under it, spelt once."""
    source = Path(str(importlib.import_module("telltale.names").__file__)).read_text(encoding="utf-8").splitlines()
    constants = [number for number, line in enumerate(source) if ": Final" in line]
    values = [value for name, value in vars(telltale.names).items() if name.isupper()]

    assert all(source[number + 1].startswith('"""') for number in constants)
    assert len(constants) == len(values) == len(set(values))


@pytest.mark.parametrize(("module", "framework"), ADAPTERS.items())
def test_an_adapter_without_its_framework_says_one_clear_sentence(module: str, framework: str) -> None:
    """What is missing and how to install it."""
    extra = module.replace("_", "-")

    with pytest.raises(ModuleNotFoundError) as caught:
        importlib.import_module(f"telltale.{module}")

    assert str(caught.value).startswith(f"telltale.{module} needs {framework}: pip install 'telltale-otel[{extra}]' (")
    assert "\n" not in str(caught.value)


def test_import_stays_light() -> None:
    """`import telltale` brings nothing but the standard library and the OpenTelemetry API."""
    code = (
        "import sys; import telltale; "
        "print(*sorted({n.partition('.')[0] for n in sys.modules} - set(sys.stdlib_module_names)), "
        "*[n for n in sys.modules if n.startswith(('opentelemetry.sdk', 'opentelemetry.exporter', 'asyncio.'))])"
    )
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    allowed = {"telltale", "opentelemetry", "typing_extensions", "__main__", "importlib_metadata", "zipp"}

    assert [name for name in found if name not in allowed and not name.startswith(("_", "sitecustomize"))] == []


def test_the_contract_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Codes, actions and both schemas, for machines."""
    assert run([]) == 0
    shown = json.loads(capsys.readouterr().out)

    assert shown == telltale.contract()
    assert [code["code"] for code in shown["codes"]] == list(Code)
    assert [action["action"] for action in shown["actions"]] == list(Action)
    assert shown["schemas"].keys() == {"envelope", "tool_error"}


def test_the_contract_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    """The same for people, with the paragraph for the agent's instruction."""
    assert run(["--format", "text"]) == 0
    shown = capsys.readouterr().out

    for word in (*Code, *Action, "300 characters"):
        assert word in shown


def test_bad_usage_of_the_contract_command_is_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    """As everywhere."""
    with pytest.raises(SystemExit) as left:
        run(["--format", "yaml"])

    assert left.value.code == 2
    assert "invalid choice" in capsys.readouterr().err


def test_the_command_names_its_release(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`telltale --version` needs nothing but the installed package."""
    monkeypatch.setattr(sys, "argv", ["telltale", "--version"])
    main()

    assert capsys.readouterr().out == f"telltale {metadata.version('telltale-otel')}\n"


def test_the_help_lists_every_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`telltale contract` stands among the others, though it runs without them."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setattr(sys, "argv", ["telltale", "--help"])
    with pytest.raises(SystemExit) as left:
        main()

    shown = capsys.readouterr().out
    assert left.value.code == 0
    assert "contract" in shown
    assert "The envelope's JSON Schemas" in shown
    assert "report" in shown


@pytest.mark.parametrize("before", [[], ["--"]])
def test_the_contract_command_takes_its_own_options(
    before: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """However it is reached."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setattr(sys, "argv", ["telltale", *before, "contract", "--format", "text"])
    with pytest.raises(SystemExit) as left:
        main()

    assert left.value.code == 0
    assert capsys.readouterr().out.startswith("Codes\n")


def test_schemas_hold_the_closed_words() -> None:
    """The published schema and the vocabulary cannot drift apart."""
    error = telltale.schema()["oneOf"][1]["properties"]["error"]["properties"]

    assert error["code"]["enum"] == list(Code)
    assert error["action"]["enum"] == list(Action)
    assert error["message"]["maxLength"] == 300
    with pytest.raises(ValueError, match="is not a valid Dialect"):
        telltale.schema("xml")


def test_the_instruction_names_every_action_once() -> None:
    """One sentence each."""
    instruction = telltale.agent_instruction()

    assert [instruction.count(f"- {action.value}: ") for action in Action] == [1] * len(Action)
