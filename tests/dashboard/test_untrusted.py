"""Foreign text is text: held by a reading of the source, and by looking at what the pages send to the browser."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_data import HOSTILE
from streamlit.testing.v1 import AppTest

from dashboard import untrusted

ROOM = Path(__file__).parents[2] / "dashboard"
MARKS = (b"onerror=", b"](http", b"<script", b":red[x]", b"$y$")
"""What is left of the hostile text wherever it stands uncoded."""

SAFE_ELEMENTS = frozenset({"text", "code", "json", "dataframe", "text_input", "text_area"})
"""Elements that show text as it is (and inputs, whose value is never taken for Markdown)."""

MARKDOWN_CALLS = frozenset(
    [
        "markdown",
        "write",
        "html",
        "table",
        "error",
        "warning",
        "info",
        "success",
        "exception",
        "metric",
        "caption",
        "title",
        "header",
        "subheader",
        "toast",
        "badge",
        "tabs",
        "expander",
        "popover",
        "page_link",
        "link_button",
        "button",
        "form_submit_button",
        "download_button",
        "checkbox",
        "toggle",
        "radio",
        "selectbox",
        "multiselect",
        "pills",
        "segmented_control",
        "chat_message",
        "chat_input",
        "status",
        "spinner",
        "latex",
        "image",
        "logo",
        "graphviz_chart",
        "mermaid_chart",
        "plotly_chart",
        "echarts_chart",
        "feedback",
        "menu_button",
        "write_stream",
        "iframe",
    ]
)
OUR_OWN = {
    "app.py": {"HERE"},
    "frame.py": {"label", "group", "place", "help", "known", "options", "refused", "lag"},
    "home.py": {"place"},
    "tables.py": {"seen"},
    "links.py": {"label", "icon", "query", "PLACES", "page"},
    "states.py": {"what", "_NOT_FOUND", "known", "_PROJECTS"},
    "tiles.py": {"label", "value", "basis", "change", "share", "icon", "text"},
    "incident_cards.py": {"known", "state", "_STATE", "label", "present"},
    "incident_openers.py": {"_WHAT"},
    "incident_detail.py": {"who", "_LIFE", "n"},
    "untrusted.py": {"absent", "_CAP", "value", "empty"},
    "evidence.py": {"_NONE"},
    "replay_steps.py": {"label", "place", "icon", "query", "to", "links", "at", "steps", "left_out"},
    "replay_detail.py": {"look", "kind", "mark"},
    "paging.py": {"total", "noun", "shown"},
    "replay.py": {"facts", "label"},
    "silent.py": {"took"},
    "overview.py": {"title", "label", "reach", "calls"},
    "incidents.py": {"title", "state"},
    "senders.py": {"rows"},
    "rules.py": {"rules", "spoke"},
    "correction.py": {"others", "_CODES", "code"},
    "tools_codes.py": {"SHOWN", "matrix", "tools", "total"},
}
"""Names whose value is the project's own text or a number, read and confirmed file by file."""

HARMLESS_KEYWORDS = frozenset(
    [
        "key",
        "icon",
        "on_click",
        "on_change",
        "args",
        "disabled",
        "width",
        "height",
        "border",
        "type",
        "horizontal",
        "gap",
        "help_",
        "anchor",
        "color",
        "query_params",
        "value",
        "persist_state",
        "max_chars",
        "placeholder",
        "options",
        "expanded",
        "text_alignment",
        "vertical_alignment",
        "show_time",
    ]
)


def elements(block: Any) -> Iterator[Any]:
    """All elements below a block of a rendered page."""
    for child in getattr(block, "children", {}).values():
        yield child
        yield from elements(child)


def page_elements(at: AppTest) -> Iterator[tuple[str, bytes]]:
    """Kind and wire form of everything that a page sends."""
    for element in elements(at._tree):
        proto = getattr(element, "proto", None)
        if proto is not None and hasattr(proto, "SerializeToString"):
            yield element.type, proto.SerializeToString()


@pytest.mark.parametrize(
    "name", ["overview", "incidents", "silent", "tools_codes", "sessions", "calls", "senders", "rules", "replay"]
)
def test_hostile_text_stays_text(serve: Any, page: Callable[..., AppTest], name: str) -> None:
    """With hostile text in every field of every answer, no element that reads Markdown or HTML is given any of it."""
    api = serve(80, hostile=HOSTILE).api
    failing = next(call for call in api.calls if call["outcome"] == "silent_failure")
    query = {
        "replay": {"session": failing["session_id"], "span": failing["span_id"]},
        "incidents": {"incident": "inc-1"},
        "calls": {"tool": failing["tool"], "flag": HOSTILE},
    }.get(name, {})

    at = page(name, **query)

    assert not at.exception
    sent = list(page_elements(at))
    assert any(MARKS[0] in wire for kind, wire in sent if kind in SAFE_ELEMENTS), "the hostile text is not on the page"
    leaks = [(kind, mark) for kind, wire in sent for mark in MARKS if kind not in SAFE_ELEMENTS and mark in wire]
    assert leaks == []


def test_hostile_address(serve: Any, page: Callable[..., AppTest]) -> None:
    """A link with hostile parameters is not shown as anything but text either."""
    serve(20)

    at = page("calls", since=HOSTILE, outcome=HOSTILE, code=HOSTILE, tool=HOSTILE, project=HOSTILE)

    assert not at.exception
    leaks = [kind for kind, wire in page_elements(at) if kind not in SAFE_ELEMENTS and MARKS[0] in wire]
    # An option's own value is never sent to the browser, only the name that we give it.
    assert leaks == []


def calls_in(path: Path) -> Iterator[tuple[ast.Call, str]]:
    """Calls of Streamlit elements in a file, on `st` or on a container."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node, node.func.attr


def foreign(node: ast.AST, own: set[str]) -> Iterator[str]:
    """What in an expression could be foreign text: all but literals, our own words, and names on the list."""
    if isinstance(node, ast.Call):
        root = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        named = root.id if isinstance(root, ast.Name) else ""
        if named in {"words", "len", "int", "str", "frozenset", "freshness", "_icon", "_verdict", "_absent", "list"}:
            if named == "str":
                yield from (part for argument in node.args for part in foreign(argument, own))
            return
        if isinstance(node.func, ast.Attribute) and node.func.attr in {"join", "strip"}:
            yield from foreign(node.func.value, own)
            yield from (part for argument in node.args for part in foreign(argument, own))
            return
        yield ast.unparse(node)
        return
    if isinstance(node, ast.Name):
        if node.id not in own:
            yield node.id
        return
    if isinstance(node, ast.Subscript | ast.Attribute):
        root = node.value
        while isinstance(root, ast.Subscript | ast.Attribute):
            root = root.value
        if isinstance(root, ast.Call):
            yield from foreign(root, own)
        elif not (isinstance(root, ast.Name) and root.id in own):
            yield ast.unparse(node)
        return
    for child in ast.iter_child_nodes(node):
        yield from foreign(child, own)


@pytest.mark.parametrize("path", sorted(ROOM.rglob("*.py")), ids=lambda path: path.name)
def test_no_markdown_element_takes_foreign_text(path: Path) -> None:
    """In the source, an element that reads Markdown is given literals, our own words or listed names, nothing else."""
    own = OUR_OWN.get(path.name, set())
    found = []
    for call, name in calls_in(path):
        if name == "link":  # links.link(page, label, query): the label is read as Markdown
            given = [call.args[1]]
        elif name in MARKDOWN_CALLS:
            given = [*call.args, *(k.value for k in call.keywords if k.arg not in HARMLESS_KEYWORDS)]
        else:
            continue
        found += [f"line {call.lineno}: {name}({part})" for argument in given for part in foreign(argument, own)]
    assert found == []


@pytest.mark.parametrize("path", sorted(ROOM.rglob("*.py")), ids=lambda path: path.name)
def test_no_way_around(path: Path) -> None:
    """No HTML, no component, no link, image or Markdown column: text columns and our own page links only."""
    source = path.read_text(encoding="utf-8")
    for word in (
        "unsafe_allow",
        "st.html",
        "st.components",
        "st.iframe",
        "LinkColumn",
        "ImageColumn",
        "MarkdownColumn",
    ):
        assert word not in source


def test_plain_is_one_visible_line() -> None:
    """Line ends, control characters and direction overrides become visible; long text is cut and says so."""
    assert untrusted.plain("a\nb") == "a ⏎ b"
    assert untrusted.plain("a\u202egpj.exe\x00") == "a\ufffdgpj.exe\ufffd"
    assert untrusted.plain("x" * 500, 10) == "x" * 10 + "…"
    assert untrusted.plain(None) == ""


def test_nothing_is_said_in_words() -> None:
    """A message without content says what it is; one with content, or none at all, is left alone."""
    assert untrusted.message("[]") == "[] (an empty list)"
    assert untrusted.message("") == "an empty text"
    assert untrusted.message("forbidden") == "forbidden"
    assert untrusted.message(None) == ""


def test_payload_is_laid_out() -> None:
    """JSON is indented; what is not JSON, or nests too deep, is left as it was sent."""
    assert untrusted.indented('{"a":1}') == '{\n  "a": 1\n}'
    assert untrusted.indented("{not json") == "{not json"
    deep = "[" * 30_000
    assert untrusted.indented(deep) == deep
