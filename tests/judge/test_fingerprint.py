"""What makes two failures of a tool one kind."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analytics.judge.fingerprint import fingerprint, normalised


def test_what_changes_from_call_to_call_is_left_out() -> None:
    """Numbers, paths, ids and quoted parts are no part of the kind; letters are, whatever their case."""
    assert normalised("No order 4711 in /srv/a for 'Ada'") == "no order * in * for *"
    assert fingerprint("t", "X", "HTTP 503 from api-2", None) == fingerprint("t", "X", "http 404 from api-7", None)


@given(st.text(alphabet="ab1/ '\"\t\n-", max_size=100))
def test_the_script_makes_no_difference(message: str) -> None:
    """A message of plain ASCII is read as it is beside a letter of another script."""
    assert normalised("é " + message) == f"é {normalised(message)}".rstrip()
