"""A text full of secrets costs no more than its first five hundred: the rest of it is masked as one."""

from __future__ import annotations

import json

import pytest

from telltale.redaction import Redactor
from telltale.redaction.checks import card, iban
from telltale.redaction.keyed_text import MOST_HITS

FULL = {
    "keys without an end": 'password": "',
    "keys": '"password":"a1","token":"b2",',
    "assignments": "password=a1 ",
    "private keys": "-----BEGIN RSA PRIVATE KEY-----",
    "mail": "jane@example.org ",
    "cards": "4111 1111 1111 1111 ",
    "urls": "https://u:p4ss@example.org/ ",
}


@pytest.mark.parametrize("name", FULL)
def test_the_rest_of_a_text_full_of_secrets_is_one_mask(name: str) -> None:
    """No more marks than the bound for each rule, none of the secrets left, the first ones masked one by one."""
    redactor = Redactor()
    text = FULL[name] * 5_000
    masked = redactor.text(text)
    marks = masked.count("[REDACTED:")
    assert MOST_HITS < marks <= 3 * MOST_HITS
    assert redactor.counts.total() <= 3 * MOST_HITS
    assert len(masked) < len(text)
    assert masked.rstrip('"').endswith("]")
    for secret in ('"a1"', '"b2"', "=a1", "BEGIN", "jane@", "1111 1111", "p4ss"):
        assert secret not in masked


def test_up_to_the_bound_each_is_masked_on_its_own() -> None:
    """What stands around and behind five hundred secrets stays readable."""
    text = "".join(f"{n} password=s3cr3t-{n}; " for n in range(MOST_HITS)) + "the end"
    masked = Redactor().text(text)
    assert masked.count("[REDACTED:password:") == MOST_HITS
    assert masked.endswith("; the end")
    assert "s3cr3t" not in masked


def test_json_full_of_secrets_is_masked_to_its_end() -> None:
    """JSON stays JSON up to the bound; beyond, its head does, and no secret is left."""
    fits = json.dumps([{"password": f"s3cr3t-{n}"} for n in range(MOST_HITS)])
    assert len(json.loads(Redactor().text(fits))) == MOST_HITS
    redactor = Redactor()
    masked = redactor.text(json.dumps([{"password": f"s3cr3t-{n}"} for n in range(20 * MOST_HITS)]))
    assert "s3cr3t" not in masked
    assert masked.startswith('[{"password": "[REDACTED:password:')
    assert redactor.counts.total() <= 3 * MOST_HITS


def test_checksums_by_table() -> None:
    """Luhn and modulo 97, with and without separators; one digit off is no number."""
    for number in ("4111 1111 1111 1111", "4111-1111-1111-1111", "4111%201111%201111%201111", "378282246310005"):
        assert card(number) == len(number)
        assert not card(number[:-1] + str((int(number[-1]) + 1) % 10))
    assert iban("GB29 NWBK 6016 1331 9268 19 AB") == len("GB29 NWBK 6016 1331 9268 19")
    assert iban("DE89370400440532013000") == 22
    assert not iban("DE89370400440532013001")
    assert not iban("DE8937040044053201300")
