"""Secrets by value and by key are masked wherever they stand; everything else is left as it was."""

from __future__ import annotations

import json
import time
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import CLEAN, KEYED, NEEDLE, PLANTED

from telltale.redaction import INTERNALS, PATTERNS, SECRETS, RedactionConfig, Redactor, find_internals
from telltale.redaction.keys import kind_of_attribute, kind_of_key
from telltale.redaction.patterns import SECRET_PATTERNS
from telltale.redaction.prefilter import with_literals


@pytest.fixture(params=["automaton", "literals"])
def redactor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Redactor:
    """A redactor with the RE2 automaton, and one on a machine that has none."""
    if request.param == "literals":
        monkeypatch.setattr("telltale.redaction.redactor.prefilter", with_literals)
    return Redactor(RedactionConfig(key=b"site"))


def needle(name: str) -> str:
    """What must not be left of a planted secret."""
    return NEEDLE.get(name, PLANTED[name])


def test_there_are_at_least_forty_planted_secrets() -> None:
    """The list that all tests of redaction share is complete."""
    assert len(PLANTED) >= 40


@pytest.mark.parametrize("name", PLANTED)
def test_a_secret_is_masked_wherever_it_stands(redactor: Redactor, name: str) -> None:
    """Plain, in prose, in JSON, in JSON inside JSON, deep in a structure, as a key, after a cut-off start of JSON."""
    secret, gone = PLANTED[name], needle(name)
    inner = json.dumps({"note": f"use {secret} today"})
    places: list[Any] = [
        secret,
        f"please use {secret}, thanks",
        f"({secret})",
        inner,
        json.dumps({"body": inner}),
        json.dumps({"body": json.dumps({"again": inner})}),
        {"a": [{"b": {"c": secret}}]},
        '{"a": "' + secret,
    ]
    for place in places:
        masked = redactor.value(place)
        text = masked if isinstance(masked, str) else json.dumps(masked)
        assert gone not in text, place
        assert json.dumps(gone)[1:-1] not in text, place
        assert "[REDACTED:" in text
    assert gone not in json.dumps(redactor.attributes({"x": secret, f"k {secret}": 1}))


@pytest.mark.parametrize("name", [n for n in PLANTED if "spaced" not in n and "pem" not in n])
def test_a_url_encoded_secret_is_masked(redactor: Redactor, name: str) -> None:
    """As it stands in the query of a logged URL."""
    encoded = quote(PLANTED[name], safe="")
    masked = redactor.text(f"GET /v1/x?q=1&value={encoded}&y=2")
    assert quote(needle(name), safe="") not in masked
    assert masked.endswith("&y=2")


@pytest.mark.parametrize("key", KEYED)
def test_the_value_of_a_secret_key_is_masked(redactor: Redactor, key: str) -> None:
    """In attributes, JSON text, nested JSON text, a cut text, a repr, and where the value is a structure."""
    value = KEYED[key]
    assert value not in json.dumps(redactor.attributes({key: value, "n": 1}))
    assert value not in json.dumps(redactor.attributes({key: [value, value]}))
    body = {"user": "jane", "nested": {key: value}}
    text = json.dumps(body)
    for form in (
        text,
        json.dumps({"body": text}),
        json.dumps([json.dumps({"b": text})]),
        text[: text.index(value) + 3],
    ):
        masked = redactor.text(form)
        assert value[:3] not in masked.rpartition(key.rpartition(".")[2])[2], form
        assert "jane" in masked
    assert value not in redactor.text(repr(body))
    assert value not in json.dumps(redactor.value({key: {"deep": [value]}}))


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Digest opaque-value more",
        "Cookie: sid=opaque-value; theme=dark",
        "X-Api-Key: opaque-value",
        "password=opaque-value&user=jane",
        "password%3Dopaque-value",
        "Server=db;User Id=svc;Password=opaque-value;Timeout=3",
        "call(password='opaque-value', user='jane')",
        'DB_PASSWORD="opaque-value" ./run',
        "password: opaque-value",
        "AccountName=x;AccountKey=opaque-value==;EndpointSuffix=y",
    ],
)
def test_headers_queries_and_settings_are_masked(redactor: Redactor, text: str) -> None:
    """Keys count without JSON around them as well."""
    assert "opaque-value" not in redactor.text(text)


@pytest.mark.parametrize("text", CLEAN)
def test_a_clean_text_comes_back_as_it_was(redactor: Redactor, text: str) -> None:
    """No false hit; the same object, not a copy."""
    assert redactor.text(text) is text
    assert not redactor.counts


@pytest.mark.parametrize(
    "value",
    [
        {"number": 4111111111111111, "other": [378282246310005, 17]},
        {"cvv": 123, "ok": 4, "inner": {"pwd": "x y", "list": [{"token": "abc"}]}},
        {"text": "password=abc&x=1", "next_page_token": "t-1", "deep": [[["Bearer abcdefgh12345678abcdef"]]]},
    ],
)
def test_json_stays_json(redactor: Redactor, value: dict[str, Any]) -> None:
    """A masked payload can still be parsed and has its structure, and so has a cut one up to its cut."""
    text = json.dumps(value)
    masked = redactor.text(text)
    assert masked != text
    assert json.loads(masked).keys() == value.keys()
    cut = redactor.text(text + ', {"rest')
    assert json.JSONDecoder().raw_decode(cut)[0].keys() == value.keys()


def test_convention_names_are_not_secrets(redactor: Redactor) -> None:
    """Session ids and token counts stay: they are what the product counts by."""
    attributes = {
        "session.id": "s-1",
        "gen_ai.usage.input_tokens": 512,
        "gen_ai.conversation.id": "c-1",
        "gen_ai.token.type": "input",
        "llm.token_count.prompt": 12,
        "gen_ai.tool.call.id": "call_1",
        "enduser.id": "u-1",
    }
    assert redactor.attributes(attributes) == attributes
    assert kind_of_attribute("gen_ai.password") is None
    assert kind_of_attribute("db.connection_string") == "connection_string"


def test_every_key_name_passes_the_first_look(redactor: Redactor) -> None:
    """No key rule is lost because the prefilter does not know its name."""
    from telltale.redaction import keys

    for name in (*keys._WHOLE, *(f"my_{ending}" for ending in keys._ENDINGS)):
        assert kind_of_key(name), name
        if name != "xamzsignature":
            assert "opaque" not in redactor.text(json.dumps({name: "opaque"})), name


def test_equal_secrets_have_equal_marks() -> None:
    """The same key gives the same mark for the same secret, another key another; the mark tells nothing else."""
    first, again, other = (Redactor(RedactionConfig(key=key)) for key in (b"a", b"a", b"b"))
    marks = [redactor.text(PLANTED["github_p"]) for redactor in (first, again, other)]
    assert marks[0] == marks[1] != marks[2]
    assert marks[0].startswith("[REDACTED:github_token:")
    assert first.counts == {"github_token": 1}


def test_a_kind_can_be_switched_off() -> None:
    """A site that needs mail addresses in the clear keeps them."""
    redactor = Redactor(RedactionConfig(off=frozenset({"email", "password"})))
    assert redactor.text("al@ex.io") == "al@ex.io"
    assert redactor.value({"password": "opaque"}) == {"password": "opaque"}


def test_extra_keys_are_masked() -> None:
    """A site names its own secret keys."""
    redactor = Redactor(RedactionConfig(extra_keys=frozenset({"mrn"})))
    assert "A-17" not in redactor.text('{"mrn": "A-17"}')
    assert redactor.attributes({"mrn": "A-17"})["mrn"].startswith("[REDACTED:key:")


def test_allow_list_mode_keeps_structure_and_what_is_listed() -> None:
    """Values of all other attributes are masked whole; unknown names fail closed."""
    redactor = Redactor(RedactionConfig(allow=("my.field", "ok.*")))
    sent = {"gen_ai.tool.name": "search", "gen_ai.tool.call.result": "text", "my.field": "x", "ok.y": 1, "new": ["z"]}
    kept = redactor.attributes(sent)
    assert {name: value for name, value in kept.items() if value == sent[name]} == {
        "gen_ai.tool.name": "search",
        "my.field": "x",
        "ok.y": 1,
    }
    assert kept["gen_ai.tool.call.result"].startswith("[REDACTED:not_allowed:")


def test_a_blob_is_replaced() -> None:
    """Base64 above a kilobyte goes; a long word below stays."""
    redactor = Redactor()
    assert redactor.text("x " + "QUJD" * 300 + " y").startswith("x [REDACTED:blob:")
    assert redactor.text("QUJD" * 200) == "QUJD" * 200


HOSTILE = {
    "jwt": "eyJ" * 20_000,
    "jwt dots": "eyJa." * 12_000,
    "mail": "a" * 120_000,
    "mails": "a.b@" * 30_000,
    "keys": "sk-" * 40_000,
    "url": "://a:" * 24_000,
    "url userinfo": "://" + ":a" * 60_000,
    "url escapes": "://" + "%41" * 40_000,
    "digits": "4" * 120_000,
    "quoted keys": '"password":' * 10_000,
    "open quote": '{"password": "' + '\\"' * 50_000,
    "pem": "-----BEGIN PRIVATE KEY-----" * 4_000,
    "iban": "DE89" * 30_000,
    "bearer": "bearer " * 15_000,
    "assignments": "password =" * 12_000,
    "backslashes": "\\" * 120_000,
    "sql": "select a " * 12_000,
    "frames": " at a.b" * 15_000,
    "hosts": "a." * 60_000,
    "deep": '{"password":' * 20_000,
    "brackets": "[" * 100_000 + '"password": "x"',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear_in_the_text(name: str) -> None:
    """Twice the text takes about twice the time, for texts that make a backtracking engine take their square.

    The bound is loose (five times, with a floor) since the machine is shared; a quadratic rule would take minutes here.
    """
    for pattern in PATTERNS:
        import re

        regex = re.compile(pattern.regex)
        started = time.process_time()
        regex.sub("", HOSTILE[name])
        assert time.process_time() - started < 2.0, pattern.kind
    redactor = Redactor(RedactionConfig(profiles=frozenset({SECRETS, INTERNALS})))
    started = time.process_time()
    redactor.text(HOSTILE[name])
    assert time.process_time() - started < 4.0


PIECES = st.one_of(
    st.text(max_size=20),
    st.sampled_from([*PLANTED.values(), *CLEAN, *KEYED, '"', '": "', "\\", "=", ":", "@", "%3D", "{", "[", "\n"]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=8).map("".join))
def test_masking_is_stable_and_engines_agree(text: str) -> None:
    """Masking a masked text changes nothing; both prefilters lead to the same text."""
    automaton = Redactor(RedactionConfig(key=b"site"))
    literals = Redactor(RedactionConfig(key=b"site"))
    views = [(pattern.shape, pattern.literals) for pattern in SECRET_PATTERNS]
    from telltale.redaction.keys import KEY_LITERALS, KEY_SHAPE

    literals._hits = with_literals([*views, (KEY_SHAPE, KEY_LITERALS)])
    masked = automaton.text(text)
    assert literals.text(text) == masked
    assert automaton.text(masked) == masked


INTERNAL_TEXTS = {
    "stack_trace": 'Traceback (most recent call last):\n  File "/srv/app/x.py", line 3, in go',
    "sql": "syntax error in SELECT * FROM users WHERE id = 3",
    "internal_host": "connect to db-1.prod.internal:5432 refused",
    "path": "no such file: /home/svc/app/config.yaml",
    "exception_class": "psycopg2.errors.OperationalError raised",
    "address": "<Thing object at 0x7f3a2c1d4e50>",
}


@pytest.mark.parametrize("kind", INTERNAL_TEXTS)
def test_internals_are_found(kind: str) -> None:
    """Each kind of internal is found under its name and masked in the model-facing profile only."""
    text = INTERNAL_TEXTS[kind]
    assert kind in {finding.kind for finding in find_internals(text)}
    assert f"[REDACTED:{kind}:" in Redactor(RedactionConfig(profiles=frozenset({INTERNALS}))).text(text)
    assert Redactor().text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "The date must be after today.",
        "Select a seat from the list.",
        "The booking API is unavailable; try again in 30 s.",
        "Version 10.2.1 of the fare rules applies.",
        "Use and/or search https://example.org/usr/x",
        "Update your address; set a new date.",
        "The value at row 3 (12:30) is missing",
    ],
)
def test_plain_messages_hold_no_internals(text: str) -> None:
    """Ordinary sentences for a model are left alone."""
    assert find_internals(text) == []
