"""What is looked at and is no secret: few looks at each text, each of them cheap, and none let through for it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telltale.redaction import SECRETS, Pattern, RedactionConfig, Redactor
from telltale.redaction.checks import card, iban
from telltale.redaction.keys import _ENDINGS, _WHOLE, kind_of_key
from telltale.redaction.redactor import MOST_LOOKED_AT

NO_CARD = "4111 1111 1111 1112 "
CARD = "4111 1111 1111 1111"


def test_the_looks_at_one_text_are_bounded() -> None:
    """Beyond the bound nothing is looked at any more, whatever the text's length."""
    looks = 0

    def no(_found: str) -> int:
        nonlocal looks
        looks += 1
        return 0

    pattern = Pattern("never", SECRETS, shape="Q[0-9]", literals=("q",), regex="Q[0-9]", accept=no)
    redactor = Redactor(RedactionConfig(extra_patterns=(pattern,)))
    redactor.text("Q1 " * 150_000)
    assert MOST_LOOKED_AT < looks <= 2 * MOST_LOOKED_AT + 2  # once for the first mark, once more around it


@pytest.mark.parametrize("no_secret", [NO_CARD, "DE89 3704 0044 0532 0130 01; "])
def test_what_nobody_looked_at_is_masked_as_one(no_secret: str) -> None:
    """The rest of such a text is one mark, counted, and a secret in the rest is gone with it."""
    redactor = Redactor()
    text = no_secret * (MOST_LOOKED_AT + 500)
    masked = redactor.text(f"{text}{CARD} the end")
    assert masked.startswith(no_secret * MOST_LOOKED_AT)
    assert CARD not in masked
    assert masked.endswith("]")
    assert redactor.counts.total() == 1


def test_up_to_the_bound_a_text_is_left_as_it_is() -> None:
    """Thousands of long numbers are a table, and one card among them is masked alone."""
    text = NO_CARD * (MOST_LOOKED_AT - 1)
    assert Redactor().text(text) == text
    masked = Redactor().text(f"{text}{CARD} the end")
    assert masked.startswith(text)
    assert masked.endswith("] the end")


_ENTRIES = st.one_of(
    st.sampled_from([CARD, NO_CARD, 4111111111111111, 4111111111111112, "DE89370400440532013000", "jane@example.org"]),
    st.sampled_from(["password: hunter2", "x\n4111 1111", "1111 1111", True, None, 1.5, 7, "", "[REDACTED:card:0]"]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_ENTRIES, min_size=8, max_size=20))
def test_one_look_at_a_list_sees_what_a_look_at_each_sees(entries: list[Any]) -> None:
    """Long lists come out as their entries do alone."""
    config = RedactionConfig(key=b"site")
    assert Redactor(config).value(entries) == [Redactor(config).value(entry) for entry in entries]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of what was read as JSON."""
    found: list[int] = []
    loads = json.loads

    def counted(text: str, **more: Any) -> Any:
        found.append(len(text))
        return loads(text, **more)

    monkeypatch.setattr("telltale.redaction.redactor.json.loads", counted)
    return found


def test_json_with_one_secret_is_read_once(read: list[int]) -> None:
    """Where only whole values were masked, a second walk would find nothing: there is none."""
    text = json.dumps({**{f"key{n}": f"value {n}" for n in range(20_000)}, "password": "hunter2xyz"})
    masked = Redactor().text(text)
    assert "hunter2xyz" not in masked
    assert read == [len(text)]


def test_a_mark_is_no_key(read: list[int]) -> None:
    """That a mark reads `token:` gives the rules for keys nothing to do."""
    masked = Redactor().text(json.dumps({"note": "gh" + "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "n": 1}))
    assert "[REDACTED:github_token:" in masked
    assert read == []


def test_text_inside_json_is_walked_until_nothing_changes() -> None:
    """What was masked inside a string may have hidden something: the second walk stays."""
    body = json.dumps({"note": "password=hunter2xyz secret: abcdefgh", "n": 1})
    masked = Redactor().text(body)
    assert json.loads(masked)["n"] == 1
    assert "hunter2xyz" not in masked
    assert "abcdefgh" not in masked


@pytest.mark.parametrize("last", ["null", "true", '""', '"[REDACTED:password:00000000]"', "0"])
def test_a_secret_under_a_key_that_comes_twice_is_gone(last: str) -> None:
    """Readers of JSON see the last value only; the one before it must not stay in the text unseen."""
    masked = Redactor().text(f'{{"a": [{{"password": "hunter2xyz", "password": {last}}}], "b": 1}}')
    assert "hunter2xyz" not in masked
    assert json.loads(masked)["b"] == 1


def _kind_by_the_rules(key: str) -> str | None:
    """The rules of `kind_of_key` as they are written down, without a shorter way."""
    if len(key) > 128:
        return None
    folded = re.sub("[^a-z0-9]+", "", re.split("[./]", key.lower())[-1])
    return _WHOLE.get(folded) or next((kind for end, kind in _ENDINGS.items() if folded.endswith(end)), None)


_NAMES = st.sampled_from([*_WHOLE, "monkey", "ord", "ken", "\u212aey", "ß", "x"])
_KEYS = st.lists(st.one_of(_NAMES, st.sampled_from([".", "/", "_", "-", " ", "é", "1"])), max_size=5)


@settings(max_examples=300, deadline=None)
@given(_KEYS.map("".join), st.booleans())
def test_the_short_way_to_a_key_is_the_rule(key: str, upper: bool) -> None:
    """Any key, with separators, letters of other scripts, in capitals: the same kind as by the rule."""
    key = key.upper() if upper else key
    assert kind_of_key(key) == _kind_by_the_rules(key)


@settings(max_examples=300, deadline=None)
@given(st.from_regex(r"\A(?:4[0-9]{15}|3[47][0-9]{13}|36[0-9]{12}|9[0-9]{15})\Z"))
def test_the_digit_of_luhn_by_table(digits: str) -> None:
    """As the standard's rule says, digit by digit."""
    doubled = [int(d) * (1 + n % 2) for n, d in enumerate(reversed(digits))]
    valid = sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0
    assert bool(card(digits)) is (valid and digits[0] != "9")


@settings(max_examples=200, deadline=None)
@given(st.from_regex(r"\A(?:GB|DE)[0-9]{2}[A-Z0-9]{18}\Z"), st.booleans())
def test_the_remainder_of_an_account_number(text: str, digits_only: bool) -> None:
    """As the standard's rule says: the check digits that it gives pass, any others do not."""
    account = re.sub("[A-Z]", "7", text[4:]) if digits_only else text[4:]
    value = int("".join(str(int(c, 36)) for c in f"{account}{text[:2]}00"))
    right = f"{98 - value % 97:02d}"
    assert iban(text[:2] + right + account) == len(text)
    assert bool(iban(text[:4] + account)) is (int(text[2:4]) % 97 == int(right) % 97)
