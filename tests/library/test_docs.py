"""The library's page: its code runs as it stands, its table is the contract, and its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import telltale

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_pages_code_runs(tmp_path: Path) -> None:
    """All blocks, one after the other, in a fresh interpreter; the last one as a test file."""
    script = "\n".join(BLOCKS[:-1]).replace("http://localhost:4318", "http://127.0.0.1:9")
    (tmp_path / "page.py").write_text(script + "\nimport os; os._exit(0)\n")
    done = subprocess.run(
        [sys.executable, "page.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")

    (tmp_path / "test_page.py").write_text(
        "\n".join(BLOCKS[:1]).replace("telltale.instrument(", "dict(") + "\n" + BLOCKS[-1]
    )
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_page.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert tested.returncode == 0, tested.stdout
    assert "3 passed" in tested.stdout


def test_the_pages_table_is_the_contract() -> None:
    """Codes, actions, retryable and HTTP status as `telltale contract` has them."""
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \| (yes|no) \| (\d+) \|$", PAGE, re.MULTILINE)
    found = [(code, action, retry == "yes", int(status)) for code, action, retry, status in rows]

    assert found == [
        (code["code"], code["action"], code["retryable"], code["http_status"]) for code in telltale.contract()["codes"]
    ]


def test_what_the_page_names_exists() -> None:
    """Public names and files."""
    for name in set(re.findall(r"\btelltale\.([a-z_]+)\(", PAGE)):
        assert hasattr(telltale, name), name
    for path in re.findall(r"\]\((\.\./[\w/.]+)\)", PAGE):
        assert (ROOT / "docs" / path).exists(), path
    for framework in ("adk", "mcp", "fastmcp", "langgraph", "openai_agents", "pydantic_ai", "crewai"):
        assert (ROOT / "examples" / f"{framework}_agent.py").exists()
