"""What a person says of a verdict, on the replay's step and in the list of what was said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest

Page = Callable[..., AppTest]


def test_correct_a_verdict(serve: Any, page: Page) -> None:
    """A wrong verdict can be said to be wrong from the step, with an outcome, a name and a reason."""
    api = serve().api
    call = next(call for call in api.calls if call["outcome"] == "silent_failure")
    at = page("replay", session=call["session_id"], span=call["span_id"])
    at.session_state["correction.open"] = True
    at.run()

    at.get("segmented_control")[0].set_value("ok")
    at.text_input(key="correction.who").set_value("ada")
    at.text_area(key="correction.why").set_value("an empty list is normal here")
    at.form_submit_button[0].click().run()

    assert not at.exception
    said = {"span_id": call["span_id"], "outcome": "ok", "who": "ada", "why": "an empty list is normal here"}
    assert api.told == [("/api/v1/corrections", said)]
    assert at.success


def test_correct_a_code_and_take_it_back(serve: Any, page: Page) -> None:
    """The code alone may be wrong; a call that was corrected offers the way back, which keeps who and why too."""
    api = serve().api
    call = next(call for call in api.calls if call["outcome"] == "silent_failure")
    call["rules"] = [*call["rules"], "correction"]
    place = {"session": call["session_id"], "span": call["span_id"]}

    def filled() -> AppTest:
        at = page("replay", **place)
        at.session_state["correction.open"] = True
        at.run()
        at.text_input(key="correction.who").set_value("ada")
        at.text_area(key="correction.why").set_value("so")
        return at

    at = filled()
    at.form_submit_button[0].click().run()
    assert api.told == []
    assert at.warning[-1].value.startswith("An outcome or a code")

    at = filled()
    at.selectbox(key="correction.code").set_value("NOT_FOUND")
    at.form_submit_button[0].click().run()
    filled().form_submit_button[1].click().run()

    said = {"who": "ada", "why": "so"}
    assert api.told == [
        ("/api/v1/corrections", {"span_id": call["span_id"], "code": "NOT_FOUND", **said}),
        (f"/api/v1/corrections/{call['span_id']}/undo", said),
    ]


def test_a_correction_that_was_taken_back_stays_readable(serve: Any, page: Page) -> None:
    """The list names who took it back and why."""
    serve()

    [said] = page("rules").dataframe[1].value.to_dict("records")

    assert (said["corrected to"], said["taken back"].split(": ")[1].strip()) == ("✓ ok", "It was another tool.")
