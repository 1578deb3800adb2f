"""What kind of question a tool's name asks: to read, to examine, to change, to run.

A domain's status is the answer when it was asked for (`get_job` → `{"status": "failed"}`), and a failure when the tool
was to bring something about (`send_mail` → `{"status": "failed"}`). Names are split into words at case, dots, dashes
and underscores; the first word that is a verb decides.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import Any

from telltale.payload.words import words

_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


class Verb(StrEnum):
    """What a tool does, as its name tells."""

    READ = "read"
    EXAMINE = "examine"
    CHANGE = "change"
    RUN = "run"
    UNKNOWN = "unknown"


_TABLE = {
    Verb.READ: "get list read show describe find search query lookup look view fetch retrieve poll status count browse"
    " peek tail history info inspect load open watch track monitor wait await download export summarize summarise"
    " explain last latest recent current",
    Verb.EXAMINE: "check validate verify test ping probe lint is has can exists compare diff health healthcheck audit"
    " tests checks linter validation assert analyze analyse evaluate grade scan detect match review",
    Verb.CHANGE: "create add insert update set put post patch delete remove send write book cancel move rename approve"
    " reject submit apply upload deploy publish push commit merge transfer pay charge refund archive assign invite"
    " schedule reserve order buy register sign login start stop restart enable disable install grant revoke close"
    " reopen notify email mail reply comment save store sync import fill click trigger emit make edit replace upsert"
    " clone checkout transition ensure unsubscribe subscribe release provision migrate reset rotate unlock lock"
    " scroll hover drag tap swipe turn toggle play pause broadcast forward resume mute unmute dim",
    Verb.RUN: "run exec execute bash shell terminal command cmd script eval invoke call python powershell sh sql",
}
_VERBS = {word: verb for verb, words in _TABLE.items() for word in words.split()}

_DOCUMENTS = words(
    """
    html page pages url doc docs manual readme guide help web website webpage site link browse browser crawl
    scrape document documents file files wiki article markdown content template raw
    """
)


# Words that are as often the thing as the deed: in `order_status` and `email_search` the later verb decides.
_THINGS = words(
    "order store email mail comment transfer sync schedule reply register import release lock review test book"
)
_LOGS = words("log logs journal console output stdout stderr trace traces events diagnostics compile build tsc make")
_TALES = words("summarize summarise summary incident incidents outage outages postmortem postmortems retrospective")
_EVENTS = words("events trace traces")
_SPEECH = words(
    "ask human chat question think thought thoughts reflect reflection transcribe transcript translate translation joke"
    " quote story poem define dictionary interview survey feedback clarify consult brainstorm message messages comment"
    " comments note notes lyrics headline headlines news clipboard variable env kv key cell field memory recall"
    " preference preferences email emails mail inbox post posts review reviews tweet tweets caption captions subtitle"
    " subtitles text ocr extract reminder reminders todo todos changelog commits"
)
_ERRORS = words("error errors exception exceptions failure failures rejections violations problems fault faults")
_CODES = words("code codes otp pin coupon coupons voucher vouchers invite invites")
_SEEKS = words("find search query lookup look list match resolve")
_WORK = words(
    "job jobs task tasks run runs build builds pipeline pipelines workflow workflows deployment deployments check"
    " checks"
    " ci execution executions transfer transfers import imports export exports delivery deliveries test tests"
)
_REHEARSALS = words("preview draft simulate simulation rehearse plan estimate quote dry")
_REMOVALS = words("delete remove unlink purge drop uninstall clear erase")
_WAITS = words("wait await watch listen poll subscribe")
_STATES = words("status state health progress poll liveness readiness")


_CHECKERS = ("lint", "check")
_SHORTEST_CHECKER = 5
"""Checkers are called after what they look at: `yamllint`, `typecheck`. Shorter words may be any (`flint`)."""


@lru_cache(maxsize=4096)
def verb_of(tool: str) -> Verb:
    """The kind of a tool by its name; UNKNOWN where no word of it is a known verb."""
    found = Verb.UNKNOWN
    for word in _WORDS.findall(tool[:200]):
        low = word.lower()
        verb = _VERBS.get(low) or (Verb.EXAMINE if len(low) > _SHORTEST_CHECKER and low.endswith(_CHECKERS) else None)
        if found is Verb.RUN:
            if verb is Verb.EXAMINE:
                return verb
        elif verb is not None and not (found is Verb.CHANGE and verb is Verb.RUN):
            found = verb
            if low not in _THINGS and verb is not Verb.RUN:
                break
    return found


def deed_name(tool: str, arguments: Any) -> str:
    """A tool's name with the deed that its arguments name, where it has none itself: `get_deployment`.

    So of one tool for all that can be done with a thing (`deployment` with `{"action": "get"}`, `orderTool`); any other
    name as it is.
    """
    if not isinstance(arguments, dict) or _names_its_deed(tool):
        return tool
    for key in _DEEDS:
        deed = arguments.get(key)
        if isinstance(deed, str) and verb_of(deed) is not Verb.UNKNOWN and len(deed) <= _LONGEST_DEED:
            return f"{deed}_{tool}"
    return tool


@lru_cache(maxsize=4096)
def _names_its_deed(tool: str) -> bool:
    """Whether a word of a tool's name is a verb, and not as often the thing (`order`)."""
    return any(low in _VERBS and low not in _THINGS for low in map(str.lower, _WORDS.findall(tool[:200])))


_DEEDS = ("action", "operation", "op")
_LONGEST_DEED = 40


@lru_cache(maxsize=4096)
def names_a_wait(tool: str) -> bool:
    """Whether a tool's name says that it waits for something, so that a time-out is one of its answers."""
    return has_word(tool, _WAITS)


@lru_cache(maxsize=4096)
def names_a_state(tool: str) -> bool:
    """Whether a tool's name asks how something is: `get_job_status`, `health`, `process_poll`."""
    return verb_of(tool) is not Verb.CHANGE and any(w.lower() in _STATES for w in _WORDS.findall(tool[:200]))


@lru_cache(maxsize=4096)
def names_logs(tool: str) -> bool:
    """Whether a tool's name says that it hands out logs or what programs print."""
    return has_word(tool, _LOGS)


@lru_cache(maxsize=4096)
def names_events(tool: str) -> bool:
    """Whether of the words for logs a tool's name has only "events" or "trace": a calendar's are no log."""
    held = {word.lower() for word in _WORDS.findall(tool[:200])} & _LOGS
    return bool(held) and held <= _EVENTS


def hands_out_logs(tool: str) -> bool:
    """Whether a tool by its name reads logs, so that an error in what it hands out is an entry."""
    return names_logs(tool) and not names_events(tool) and verb_of(tool) is Verb.READ


@lru_cache(maxsize=4096)
def names_a_log(tool: str) -> bool:
    """Whether a tool's name says that it hands out a log, so that whatever its lines say is data."""
    return any(word.lower() in ("log", "logs", "journal") for word in _WORDS.findall(tool[:200]))


def has_word(name: str, known: frozenset[str]) -> bool:
    """Whether a word of the name is one of these."""
    return any(word.lower() in known for word in _WORDS.findall(name[:200]))


@lru_cache(maxsize=4096)
def names_speech(tool: str) -> bool:
    """Whether a tool's name says that it hands out what somebody said or wrote, so that a sentence is the answer."""
    if verb_of(tool) in (Verb.CHANGE, Verb.RUN):
        return False
    return has_word(tool, _SPEECH)


@lru_cache(maxsize=4096)
def tells_of_incidents(tool: str) -> bool:
    """Whether a tool's name says that it tells what happened: a summary, an incident's report."""
    return verb_of(tool) is Verb.READ and has_word(tool, _TALES)


@lru_cache(maxsize=4096)
def names_errors(name: str) -> bool:
    """Whether a name says that errors are what is asked for: `get_last_error`, the key `last_error`."""
    return has_word(name, _ERRORS)


@lru_cache(maxsize=4096)
def asks_whether(tool: str) -> bool:
    """Whether a tool's name says that it seeks what may not be there: `find_user`, `search`, `lookup`."""
    return has_word(tool, _SEEKS)


@lru_cache(maxsize=4096)
def names_work(tool: str) -> bool:
    """Whether a tool's name says that it looks up work that was done elsewhere and has an end of its own: `get_job`."""
    return verb_of(tool) is Verb.READ and has_word(tool, _WORK)


@lru_cache(maxsize=4096)
def names_a_code(tool: str) -> bool:
    """Whether a tool's name says that a code is what it gives: `generate_otp`, `get_country_code`."""
    return has_word(tool, _CODES)


@lru_cache(maxsize=4096)
def names_failed_tests(key: str) -> bool:
    """Whether a key counts tests that failed: `numFailedTests`, `failed_tests`, `testsFailed`."""
    held = {word.lower() for word in _WORDS.findall(key[:60])}
    return not held.isdisjoint(_TESTS) and not held.isdisjoint(_FAILED)


_TESTS = words("test tests")
_FAILED = words("failed failing failures")


@lru_cache(maxsize=4096)
def names_output(tool: str) -> bool:
    """Whether a tool's name says that it hands out what another run printed: `TaskOutput`, `get_job_logs`."""
    return any(word.lower() in ("output", "outputs", "log", "logs", "result") for word in _WORDS.findall(tool[:200]))


@lru_cache(maxsize=4096)
def names_a_removal(tool: str) -> bool:
    """Whether a tool's name says that it removes something, so that what is not there is as it should be."""
    return has_word(tool, _REMOVALS)


@lru_cache(maxsize=4096)
def stops(tool: str) -> bool:
    """Whether a tool's name says that it brings something to an end, so that what does not run is as it should be."""
    return has_word(tool, _STOPS)


_STOPS = words("stop close kill shutdown terminate disconnect end quit exit logout")


@lru_cache(maxsize=4096)
def names_the_deed(name: str, state: str) -> bool:
    """Whether a name asks for the state itself, so that it is no failure: `cancel_order` and `cancelled`."""
    stem = state.lower()[:_STEM]
    return len(stem) == _STEM and any(
        low.startswith(stem) or (len(low) >= _SHORTEST_DEED and stem.startswith(low))
        for low in map(str.lower, _WORDS.findall(name[:200]))
    )


_NEW_DEEDS = words(
    "create add insert send submit book publish post pay charge transfer upload deploy order buy register invite assign"
    " schedule reserve grant apply merge commit push write save store place deliver"
)


@lru_cache(maxsize=4096)
def names_a_making(tool: str) -> bool:
    """Whether a tool's name says that something new comes of it: not `mute_alert`, not `restart_service`."""
    return has_word(tool, _NEW_DEEDS)


@lru_cache(maxsize=4096)
def names_a_new_deed(tool: str, state: str) -> bool:
    """Whether a flag's name is what the tool was to do, and that is a deed which is not done already: `sent`."""
    low = state.lower().removeprefix("is_").removeprefix("was_")
    for found in _WORDS.findall(tool[:200]):
        verb = found.lower()
        if verb in _NEW_DEEDS:
            return low in (verb + "ed", verb + "d", verb + verb[-1] + "ed", _IRREGULAR.get(verb, ""))
    return False


_IRREGULAR = {
    "send": "sent",
    "pay": "paid",
    "buy": "bought",
    "write": "written",
    "apply": "applied",
}
_STEM = 5
_SHORTEST_DEED = 4


@lru_cache(maxsize=4096)
def names_a_rehearsal(tool: str) -> bool:
    """Whether a tool's name says that nothing is really done: `preview_mail`, `draft_reply`."""
    return has_word(tool, _REHEARSALS)


@lru_cache(maxsize=4096)
def names_its_thing(tool: str, key: str) -> bool:
    """Whether a key is the thing that a tool is named after: `booking` of `create_booking`."""
    low = key.lower()
    return any(word.lower() == low and word.lower() not in _VERBS for word in _WORDS.findall(tool[:200]))


@lru_cache(maxsize=4096)
def names_documents(tool: str) -> bool:
    """Whether a tool's name says that it hands out documents or pages."""
    return has_word(tool, _DOCUMENTS)
