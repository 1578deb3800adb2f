"""Verdicts change only together with `RULES_VERSION`, so that a stored row tells which rules judged it.

`data/verdicts.json` keeps the rules and the verdicts of one version. When a rule comes, goes or judges otherwise,
raise `RULES_VERSION` in `analytics/calls.py` and run `python tests/judge/test_rules_version.py` to record them anew. A
new case needs no new version: what is not recorded is not compared.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

from analytics.calls import RULES_VERSION
from analytics.judge.rules import ALL_RULES, LATER_RULES

HERE = Path(__file__).parent
RECORD = HERE / "data" / "verdicts.json"
SESSION = ("session.", "agent.")
"""Rules of the calls around a call: they come in a later pass, and their rows are written again with every new call."""


def verdicts() -> dict[str, str]:
    """The verdict on every labelled call, by case and span: outcome, code and the rules it rests on."""
    spec = importlib.util.spec_from_file_location("labelled_cases", HERE / "test_cases.py")
    assert spec is not None
    assert spec.loader is not None
    cases = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(cases)
    found: dict[str, str] = {}
    for name in ("reports.jsonl", "own.jsonl"):
        for case in cases.load(name):
            for span_id, call in sorted(cases.judged(case).items()):
                rules = [rule for rule in call.rules if not rule.startswith(SESSION)]
                place = f"{name.partition('.')[0]} {case['id']} {span_id.lstrip('0') or '0'}"
                found[place] = " ".join([call.outcome, call.code or "-", *rules])
    return found


def rules() -> dict[str, str]:
    """Every rule of a verdict with how sure a hit is; what other sessions say is added to rows of any version."""
    return {rule.id: rule.confidence.value for rule in ALL_RULES.values() if rule.id not in LATER_RULES}


def recorded() -> Any:
    """What was recorded of the last version."""
    return json.loads(RECORD.read_text("utf-8"))


def test_the_rules_are_those_of_this_version() -> None:
    """A rule comes, goes or changes its confidence only with a new version."""
    record = recorded()

    assert record["rules_version"] == RULES_VERSION, "raised, but not recorded (see above)"
    assert rules() == record["rules"], "the rules changed: raise RULES_VERSION and record them"


def test_the_verdicts_are_those_of_this_version() -> None:
    """A labelled call is judged otherwise only with a new version."""
    now, record = verdicts(), recorded()["verdicts"]

    changed = {place: (then, now[place]) for place, then in record.items() if now.get(place, then) != then}
    assert not changed, f"verdicts changed: raise RULES_VERSION and record them: {changed}"


def main() -> None:
    """Records the rules and verdicts of this version; refuses where they changed and the version did not."""
    now: dict[str, Any] = {"rules_version": RULES_VERSION, "rules": rules(), "verdicts": verdicts()}
    if RECORD.exists():
        then = recorded()
        same = all(now["verdicts"].get(place, verdict) == verdict for place, verdict in then["verdicts"].items())
        if then["rules_version"] >= RULES_VERSION and not (same and then["rules"] == now["rules"]):
            raise SystemExit("The rules or verdicts changed: raise RULES_VERSION in analytics/calls.py first.")
    RECORD.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
