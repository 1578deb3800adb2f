"""Secrets in the forms in which programs write them down: whatever the form, none of the secret is left."""

from __future__ import annotations

import json
from typing import Any

import pytest

from telltale.redaction import Redactor

SECRET = "hunter2Zq9"
LONG = SECRET * 4


def inside(value: Any) -> str:
    """A value as JSON inside the text of a result over MCP."""
    return json.dumps({"content": [{"type": "text", "text": json.dumps(value)}]})


TEXTS = {
    "a list under a key, in JSON inside JSON": inside({"password": [SECRET]}),
    "an object under a key, in JSON inside JSON": inside({"credentials": {"user": "bob", "code": SECRET}}),
    "an object after prose": "Response: " + json.dumps({"credentials": {"user": "bob", "code": SECRET}}),
    "a list after prose": "Response: " + json.dumps({"cookies": [f"sid={SECRET}"]}),
    "a list in a repr": str({"password": [SECRET], "a": None}),
    "a tuple in a repr": str({"password": (SECRET,)}),
    "an object in a repr": str({"credentials": {"user": "bob", "code": SECRET}, "x": True}),
    "an object in cut JSON": json.dumps({"credentials": {"user": "bob", "code": SECRET}, "rest": "x" * 50})[:-10],
    "a list that was cut": json.dumps({"password": ["a", SECRET]})[:-3],
    "lines of JSON": json.dumps({"cookies": [f"sid={SECRET}"]}) + "\n" + json.dumps({"b": 1}),
    "an escaped separator": f'{{"url":"https://h/p?token\\u003d{SECRET}"}}',
    "an escaped ampersand": inside({"a": 1}).replace("1", f'\\"https://h/p?x=1\\\\u0026token={SECRET}\\"'),
    "an escaped ampersand in cut JSON": f'{{"url":"https://h/p?x=1\\u0026token={SECRET}","rest":"aaa',
    "an escaped letter in the key": f'{{"pass\\u0077ord":"{SECRET}"}}',
    "what only begins like a mark": json.dumps({"password": f"[REDACTED:x] {SECRET}"}),
    "a mark and something behind it": json.dumps({"password": f"[REDACTED:password:0a1b2c3d] {SECRET}"}),
    "what only begins like a mark, in text": f'password: "[REDACTED:x] {SECRET}"',
    "an element": f"<password>{SECRET}</password>",
    "an element that was cut": f"<user><password>{SECRET}",
    "an element with attributes": f'<wsse:Password Type="x">{SECRET}</wsse:Password>',
    "an element of CDATA": f"<password><![CDATA[{SECRET}]]></password>",
    "an attribute of an element": f'<user password="{SECRET}"/>',
    "a field of a form": f'<input name="password" value="{SECRET}">',
    "a header of HAR": json.dumps({"headers": [{"name": "Authorization", "value": f"Token {SECRET}"}]}),
    "a header of HAR in cut JSON": json.dumps([{"name": "Authorization", "value": f"Token {SECRET}"}, 1])[:-3],
    "an attribute of OTLP": json.dumps({"key": "db.password", "value": {"stringValue": SECRET}}),
    "pairs of headers": json.dumps([["authorization", f"Token {SECRET}"], ["cookie", f"sid={SECRET}"]]),
    "pairs of bytes": str([(b"authorization", f"Token {SECRET}".encode())]),
    "arguments in JSON": json.dumps(["psql", "--password", SECRET]),
    "a block of YAML": f"password: |\n  {SECRET}\nuser: bob",
    "a hash of Ruby": f':password=>"{SECRET}"',
    "no space": f"password:{SECRET}",
    "braces of a connection string": f"Server=h;Pwd={{a;{SECRET}}};Timeout=3",
    "three quotes": f'password = """{SECRET}"""',
    "many spaces": '"password"' + " " * 12 + f': "{SECRET}"',
    "several": json.dumps({"passwords": [SECRET], "api_keys": [SECRET], "secrets": [SECRET], "passcode": SECRET}),
    "an address with an at sign": f"postgres://u:ab@{SECRET}@h/db",
    "an address with a slash": f"postgres://u:ab/{SECRET}@h/db",
    "an address with a hash": f"redis://u:ab#{SECRET}@h/0",
    "a signature of shared access": f"https://x.blob.example.net/c?sv=2020&sig={LONG}%3D",
    "SQL on a user": f"ALTER USER x IDENTIFIED BY '{SECRET}'",
    "SQL on a role": f"CREATE ROLE x WITH LOGIN PASSWORD '{SECRET}'",
    "sshpass": f"sshpass -p '{SECRET}' ssh host",
    "mysql -p": f"mysql --host db -u root -p{SECRET} shop",
}
VALUES = {
    "arguments": ["psql", "--password", SECRET],
    "many arguments": ["psql", "-h", "db", "-p", "5432", "-U", "bob", "--password", SECRET, "shop"],
    "flat headers": ["Host", "h", "Authorization", f"Token {SECRET}"],
    "a pair": ("authorization", f"Token {SECRET}"),
    "a named value": {"name": "api_key", "value": SECRET},
    "a named object": {"key": "password", "value": {"stringValue": SECRET}},
}
INNOCENT = [
    json.dumps({"allowed_headers": ["authorization", "content-type", "cookie", "accept"]}),
    json.dumps(["id", "password", "created_at"]),
    json.dumps({"usage": {"tokens": 15, "total_tokens": 120}}),
    json.dumps({"name": "color", "value": "red"}),
    json.dumps({"name": "password_policy", "value": "strict"}),
    json.dumps({"password": {}, "secrets": [], "cookies": None}),
    "def login(password: str, user:str) -> None: ...",
    "interface Login { password:string; token:string }",
    "Use <PASSWORD> or <TOKEN> in its place, then run it",
    "Caf\\u00e9 \\u003cb\\u003e is \\u0026 stays",
    '{"html": "\\u003cp\\u003ePlease enter your secret ingredients\\u003c/p\\u003e"}',
    "https://host:8080/path@x",
    "the password 'must' be changed",
]


@pytest.mark.parametrize("name", TEXTS)
def test_no_form_keeps_the_secret(name: str) -> None:
    """As a text, and as a text deep in a value; a second look changes nothing."""
    redactor = Redactor()
    for masked in (redactor.text(TEXTS[name]), json.dumps(redactor.value({"a": [TEXTS[name]]}))):
        assert SECRET not in masked
        assert "[REDACTED:" in masked
    once = redactor.text(TEXTS[name])
    assert redactor.text(once) == once


@pytest.mark.parametrize("name", [n for n, text in TEXTS.items() if text[0] in "{[" and "cut" not in n])
def test_what_was_json_stays_json(name: str) -> None:
    """Whatever is masked in it."""
    try:
        before = json.loads(TEXTS[name])
    except ValueError:
        return  # lines, and reprs
    assert type(json.loads(Redactor().text(TEXTS[name]))) is type(before)


@pytest.mark.parametrize("name", VALUES)
def test_no_value_keeps_the_secret(name: str) -> None:
    """In lists and objects of an attribute; what stands around stays."""
    masked = Redactor().attributes({"x": VALUES[name]})
    assert SECRET not in str(masked)
    assert str(masked).count("REDACTED") == 1


@pytest.mark.parametrize("text", INNOCENT)
def test_what_looks_like_it_stays(text: str) -> None:
    """Names of headers and columns, counts, types, placeholders."""
    assert Redactor().text(text) == text
