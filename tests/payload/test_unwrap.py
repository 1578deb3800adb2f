"""Unwrapping of recorded results: every known encoding and wrapper, and hostile input."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from telltale.payload.wrappers import MAX_DEPTH, MAX_READ, decode, too_deep, unwrap

VALUE = {"status": "ok", "n": 3, "none": None}
TEXT = json.dumps(VALUE)
BLOCK = {"type": "text", "text": TEXT}

SAME_VALUE = {
    "structured": VALUE,
    "json": TEXT,
    "bytes": TEXT.encode(),
    "json in json": json.dumps(TEXT),
    "twice": json.dumps(json.dumps(TEXT)),
    "python repr": str(VALUE),
    "result": json.dumps({"result": TEXT}),
    "result in result": json.dumps({"result": json.dumps({"result": VALUE})}),
    "mcp": json.dumps({"content": [BLOCK], "isError": False}),
    "mcp structured": json.dumps({"content": [BLOCK], "structuredContent": VALUE, "isError": False}),
    "mcp wrapped": json.dumps({"content": [BLOCK], "structured_content": {"result": VALUE}, "is_error": False}),
    "mcp repr": f"meta=None content=[TextContent(type='text', text={TEXT!r}, annotations=None)] isError=False",
    "mcp repr call": f"CallToolResult(meta=None, content=[TextContent(type='text', text={TEXT!r})], isError=False)",
    "json rpc": json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"content": [BLOCK], "isError": False}}),
    "blocks": json.dumps([BLOCK]),
    "one block": json.dumps(BLOCK),
    "bare blocks": json.dumps([{"text": TEXT}]),
    "json block": json.dumps([{"json": VALUE}]),
    "bedrock": json.dumps({"toolUseId": "c1", "status": "success", "content": [{"text": TEXT}]}),
    "langchain": json.dumps({"type": "tool", "data": {"content": TEXT, "tool_call_id": "c1", "status": "success"}}),
    "traceloop": json.dumps(
        {"output": {"lc": 1, "type": "constructor", "kwargs": {"content": TEXT, "tool_call_id": "c1"}}, "kwargs": {}}
    ),
    "langsmith": json.dumps({"output": {"content": TEXT, "status": "success", "tool_call_id": "c1"}}),
    "tool message repr": f"content={TEXT!r} name='x' tool_call_id='c1'",
    "command": json.dumps({"update": {"messages": [{"type": "tool", "content": TEXT, "tool_call_id": "c1"}]}}),
    "llama": json.dumps({"blocks": [{"text": str(VALUE)}], "raw_output": VALUE, "is_error": False}),
    "llama mcp": json.dumps({"content": "x", "raw_output": {"content": [BLOCK], "isError": False}, "is_error": False}),
    "adk": json.dumps({"id": "c1", "name": "x", "response": VALUE}),
    "autogen": json.dumps({"content": TEXT, "name": "x", "call_id": "c1", "is_error": False, "type": "ToolResult"}),
    "autogen, printed": f"content={TEXT!r} name='x' call_id='c1' is_error=False",
    "agentscope": json.dumps({"content": [{**BLOCK, "id": "b1"}], "state": "success", "metadata": {}, "id": "c1"}),
    "agentscope 1": json.dumps(
        {"content": [BLOCK], "metadata": None, "stream": False, "id": "c1", "is_last": True, "is_interrupted": False}
    ),
    "agentscope, with data": json.dumps(
        {"content": [BLOCK, {"type": "data", "source": {"type": "url", "url": "x"}}], "state": "success"}
    ),
    "browser use": json.dumps({"is_done": False, "success": None, "error": None, "extracted_content": TEXT}),
    "semantic kernel": json.dumps({"content_type": "function_result", "id": "c1", "name": "x", "result": TEXT}),
    "gemini content": json.dumps({"parts": [{"function_response": {"name": "x", "response": VALUE}}], "role": "user"}),
    "gemini cli": json.dumps(
        {
            "callId": "c1",
            "responseParts": [
                {
                    "functionResponse": {
                        "id": "c1",
                        "name": "x",
                        "response": {"output": f"<untrusted_data>\n{TEXT}\n</untrusted_data>"},
                    }
                }
            ],
            "resultDisplay": "x",
        }
    ),
    "mcp, blocks printed": json.dumps(
        {"meta": None, "content": [f"type='text' text={TEXT!r} annotations=None meta=None"], "structuredContent": None}
        | {"isError": False}
    ),
    "in a tag": f"<untrusted_context>\n{TEXT}\n</untrusted_context>\n",
    "gemini, printed": f"parts=[Part(function_response=FunctionResponse(name='x', response={VALUE!r}))] role='user'",
    "adk event": json.dumps(
        {"content": {"parts": [{"function_response": {"name": "x", "response": VALUE}}]}, "error_code": None}
    ),
    "mcp of .net": json.dumps({"Content": [{"Type": "text", "Text": TEXT}], "IsError": False}),
    "mcp of java": f"CallToolResult[content=[TextContent[annotations=null, text={TEXT}, meta=null]], isError=false]",
    "n8n": json.dumps([{"json": VALUE, "pairedItem": {"item": 0}}]),
    "kind": json.dumps({"json": {"output": {"kind": "text", "content": TEXT}}}),
    "graph state": json.dumps({"messages": [{"type": "tool", "content": TEXT, "tool_call_id": "c1"}]}),
    "chat message": json.dumps({"role": "tool", "content": TEXT, "tool_responses": []}),
    "text and image": json.dumps([{"type": "text", "text": TEXT}, {"type": "image", "data": "x", "mimeType": "y"}]),
    "haystack": json.dumps({"result": TEXT, "origin": {"id": "c1", "tool_name": "x"}, "error": False}),
    "ai sdk": json.dumps({"type": "json", "value": VALUE}),
    "ai sdk part": json.dumps(
        {"type": "tool-result", "toolCallId": "c1", "toolName": "x", "output": {"type": "json", "value": VALUE}}
    ),
    "genai part": json.dumps({"type": "tool_call_response", "id": "c1", "result": VALUE}),
    "anthropic": json.dumps({"type": "tool_result", "tool_use_id": "c1", "content": [BLOCK], "is_error": False}),
    "remark": TEXT + "\n\n[the same call again]",
}


@pytest.mark.parametrize("name", SAME_VALUE)
def test_every_wrapper_gives_the_tools_own_value(name: str) -> None:
    """However a framework records it, the same value comes out."""
    assert unwrap(SAME_VALUE[name]).value == VALUE


MARKS: dict[str, tuple[Any, list[tuple[str, Any]]]] = {
    "isError": ({"content": [], "isError": True}, [("isError", True)]),
    "claim": ({"content": [], "isError": False}, [("isError", False)]),
    "is_error": ({"result": "boom", "is_error": True}, [("is_error", True)]),
    "tool message": (
        {"type": "tool", "data": {"content": "x", "tool_call_id": "c", "status": "error"}},
        [("tool_message.status", "error")],
    ),
    "tool message without its call": (
        {"output": {"lc": 1, "id": ["ToolMessage"], "kwargs": {"content": "x", "name": "t", "status": "error"}}},
        [("tool_message.status", "error")],
    ),
    "mcp of .net": ({"Content": [], "IsError": True}, [("isError", True)]),
    "bedrock": ({"toolUseId": "c", "status": "error", "content": []}, [("tool_result.status", "error")]),
    "agentscope": ({"content": [BLOCK], "state": "error", "metadata": {}}, [("tool_result.status", "error")]),
    "agentscope 1": (
        {"content": [BLOCK], "stream": True, "is_last": True, "is_interrupted": True},
        [("tool_result.status", "interrupted")],
    ),
    "a state of its own": ({"content": [BLOCK], "state": "open", "id": "c"}, []),
    "ai sdk": ({"type": "error-text", "value": "boom"}, [("output.type", "error-text")]),
    "json rpc": ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "m"}}, [("jsonrpc.error", -32602)]),
    "own key": ({"stdout": "x", "is_error": False}, []),
}


@pytest.mark.parametrize("name", MARKS)
def test_marks_come_from_wrappers_only(name: str) -> None:
    """A wrapper's flag is a mark; a key of the tool's own value is not."""
    sent, marks = MARKS[name]
    assert unwrap(json.dumps(sent)).marks == marks
    assert unwrap(sent).marks == marks


SCALARS = {
    '{:error=>"no station", "code"=>3, :ok=>false}': {"error": "no station", "code": 3, "ok": "false"},
    "": "",
    "   ": "   ",
    "[]": [],
    "{}": {},
    "null": None,
    "None": None,
    "true": True,
    "12": 12,
    '"12"': "12",
    '"null"': "null",
    "NaN": "NaN",
    "-": "-",
    "0012": "0012",
    "3 passed": "3 passed",
    "f(x) = 2": "f(x) = 2",
    "[ERROR] 12:01 boom": "[ERROR] 12:01 boom",
    "[1] a footnote": "[1] a footnote",
    "{'a': 1": "{'a': 1",
    "<Response [200]>": "<Response [200]>",
    '{"a": 1}\n{"a": 2}': '{"a": 1}\n{"a": 2}',
    "('a', 2)": ["a", 2],
    "{'when': datetime.datetime(2026, 3, 10), 'who': <User 1>, 'd': Decimal('1.5')}": {
        "when": [2026, 3, 10],
        "who": "<User 1>",
        "d": "1.5",
    },
    "{'t': \"it's\", 'u': '\\u00e9\\n', 1: {2, 3}, 'e': ()}": {"t": "it's", "u": "é\n", "1": [2, 3], "e": []},
    '["\\ud800"]': ["\ufffd"],
    '["\\ud83d\\ude00"]': ["\U0001f600"],
}


@pytest.mark.parametrize("sent", SCALARS)
def test_scalars_prose_and_reprs(sent: str) -> None:
    """Prose stays prose, quoted text stays text, and plain data is read."""
    assert unwrap(sent).value == SCALARS[sent]


def test_what_stands_beside_the_value_is_kept() -> None:
    """Shown text, a trailing remark, call id and tool name are handed back."""
    found = unwrap({"content": [{"type": "text", "text": "shown"}], "structuredContent": {"a": 1}, "isError": False})
    assert (found.value, found.text) == ({"a": 1}, "shown")
    assert unwrap('{"error": "x"}\n\n[again]').trailing == "[again]"
    found = unwrap({"type": "tool", "data": {"content": "x", "name": "book", "tool_call_id": "c1"}})
    assert (found.call_id, found.tool) == ("c1", "book")


@pytest.mark.parametrize("length", range(1, len(TEXT)))
def test_json_that_ends_in_the_middle_is_cut(length: int) -> None:
    """A prefix of a JSON object is told from prose."""
    assert unwrap(TEXT[:length]).cut


def test_deep_nesting_stays_shallow() -> None:
    """A value never nests deeper than the bound, whichever way it came."""
    for sent in ("[" * 500 + "]" * 500, '{"a":' * 300 + "1" + "}" * 300, "(" * 500 + ")" * 500, "[" * 200_000):
        assert not too_deep(unwrap(sent).value, MAX_DEPTH)
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    assert not too_deep(unwrap(deep).value, MAX_DEPTH)
    assert not too_deep(unwrap({"result": deep}).value, MAX_DEPTH)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["content", "type", "text", "result", "isError", "output", "data", "kwargs", "lc", "x"])
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(JSON | st.text() | st.binary())
@example(b"\xef\xbb\xbf\t")
@example("\ufeff \ufeff ")
def test_never_raises(sent: Any) -> None:
    """Any JSON, text or bytes is taken, as a value, as JSON, as a repr, and cut in the middle."""
    unwrap(sent)
    text = json.dumps(sent) if not isinstance(sent, bytes) else ""
    unwrap(text)
    unwrap(text[: len(text) // 2])
    unwrap(repr(sent))


@settings(max_examples=200, deadline=None)
@given(JSON.filter(lambda value: isinstance(value, dict | list)))
def test_repr_is_read_as_python_would(value: Any) -> None:
    """The repr of plain data gives the data back (numbers that are not numbers excepted)."""
    if "nan" not in repr(value) and "inf" not in repr(value):
        assert unwrap(repr(value)).value == unwrap(value).value


HOSTILE = {
    "open brackets": "[" * 1_000_000,
    "quotes": "{'" + "\\'" * 500_000,
    "nested quotes": '"' + '\\"' * 500_000,
    "wide": "[" + "[]," * 300_000 + "[]]",
    "python wide": "[" + "(1,)," * 200_000 + "]",
    "digits": "9" * 1_000_000,
    "braces prose": "{a" * 300_000,
    "equals": "a=" * 500_000,
    "spaces": " " * 1_000_000 + "{",
    "opaque": "[" + "<" * 1_000_000,
    "open quotes": "['" + "\\'" * 14_000 + "]",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_take_linear_time(name: str) -> None:
    """The longest text takes as long a byte as a tenth of it (a quadratic reader would take ten times longer)."""
    text = HOSTILE[name][:MAX_READ]

    def took(sent: str) -> float:
        best = 1e9
        for _ in range(3):
            begun = time.process_time()
            unwrap(sent)
            best = min(best, time.process_time() - begun)
        return best

    assert took(text) <= 40 * took(text[: len(text) // 10]) + 0.05


@pytest.mark.parametrize("sent", [json.dumps({"k": "x" * MAX_READ}), "Error: " + "x" * MAX_READ], ids=["json", "prose"])
def test_no_more_than_the_receiver_keeps_is_read(sent: str) -> None:
    """A text beyond the bound is not decoded, whatever it is: its beginning is the value, and it counts as cut."""
    found = unwrap(sent)

    assert (found.value, found.cut, found.wrappers) == (sent[:MAX_READ], True, [])
    assert decode(sent) == sent


STRANGE = [
    *("NaN", "[Infinity, -Infinity]", "[1e999]", "[1E400, -0, 0.1, 18446744073709551616]", '{"a": 1, "a": 2}', "[1,]"),
    *(
        '["\\ud800"]',
        '["\\ud83d\\ude00"]',
        '["a\tb"]',
        '{"a": 1}\nremark',
        "[1] x",
        " [1]\u00a0",
        '"\\u0000"',
        "[" * 2000,
    ),
    "[" * 150 + "]" * 150,
]


@settings(max_examples=100, deadline=None)
@given(
    (JSON | st.text(alphabet='[]{}":,\\ud8001e-9.n ', max_size=12)).map(
        lambda v: v if isinstance(v, str) else json.dumps(v)
    )
)
def test_both_decoders_agree(sent: str) -> None:
    """With msgspec and without it, the same texts give the same values, marks and layers."""
    for text in (sent, *STRANGE):
        with pytest.MonkeyPatch.context() as patch:
            fast = unwrap(text)
            patch.setattr(sys.modules["telltale.payload.wrappers.decode"], "_decode_fast", None)
            assert repr(unwrap(text)) == repr(fast)


REPRS = st.text(alphabet="[]{}():,'\"\\\\ 1e.-xun\n", max_size=14) | st.lists(
    st.sampled_from(
        [
            *(
                "{",
                "}",
                "[",
                "]",
                ", ",
                ": ",
                "'a'",
                "'it\\\\'s'",
                '"it\'s"',
                "'say \"x\"'",
                "'\\\\n'",
                '"\\\\/"',
                "b'x'",
            ),
            *(
                "'\\\\ud83d'",
                '"\\\\x41"',
                "None",
                "True",
                "null",
                "false",
                "nan",
                "1",
                "-2.5",
                "1e400",
                "(1,)",
                "(",
                ")",
                "x",
            ),
        ]
    ),
    max_size=9,
).map("".join)


@settings(max_examples=300, deadline=None)
@given(REPRS | st.builds(lambda inner: "{'k': [" + inner + "]}", REPRS) | JSON.map(repr))
def test_plain_reprs_by_way_of_json(sent: str) -> None:
    """The short way from a repr to its data gives what the reader of tokens gives, and takes no more."""
    with pytest.MonkeyPatch.context() as patch:
        fast = unwrap(sent)
        patch.setattr(sys.modules["telltale.payload.wrappers.decode"], "_decode_fast", None)
        assert repr(unwrap(sent)) == repr(fast)
