"""Joins what the model asked for to the calls that have spans, and makes calls of what has none.

An unknown tool or refused arguments leave no tool span in most frameworks: the request stands in the model's answer,
and the refusal in its next messages, or as the failure of the step that should have run the tool.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from itertools import islice

from analytics.conventions.convention import Kind
from analytics.conventions.vocabulary import renamed
from analytics.normalise.aborted import model_follows
from analytics.normalise.conversation import Answered, Asked, Conversation
from analytics.normalise.logical_call import LogicalCall, Mark, Meaning
from analytics.normalise.marks import wrapper_marks
from analytics.normalise.messages import shown
from analytics.normalise.offered import offered
from analytics.normalise.reading import arguments_of
from analytics.normalise.tree import NONE, Tree
from analytics.normalise.values import MISSING, as_text, same_arguments
from analytics.spans import ERROR, Span
from telltale.payload.wrappers import unwrap
from telltale.vocabulary import Payload

LOOK_AHEAD = 16
"""Calls of one tool among which equal arguments are looked for."""

MAX_PREFIXES = 3
"""Prefixes that a tool's name may bear."""

STEPS_UP = 64
"""Levels above a model span at which a failed step is looked for."""

NO_TOOLS = frozenset({"final_answer", "final_result", "(merged tools)"})
"""Names under which frameworks let a model hand in its answer."""


def match(tree: Tree, conversation: Conversation, calls: list[LogicalCall]) -> tuple[dict[int, Asked], list[Asked]]:
    """Which call each request became: by call id, else by name, arguments and order.

    Returns:
        Requests by the place of their call in `calls`, and the requests that no call answers.
    """
    if not conversation.asked:
        return {}, []
    ids = {asked.request.call_id for asked in conversation.asked}
    by_id: dict[str, deque[int]] = defaultdict(deque)
    by_tool: dict[str, deque[int]] = defaultdict(deque)
    strangers: dict[str, deque[int]] = defaultdict(deque)
    for place, call in enumerate(calls):
        by_tool[call.tool].append(place)
        if call.call_id in ids and call.call_id is not None:
            by_id[call.call_id].append(place)
        else:
            strangers[call.tool].append(place)
    names = _spellings(by_tool)
    starts = [tree.spans[index].start_ns for index in tree.models]
    taken: dict[int, Asked] = {}
    alone: list[Asked] = []
    for asked in conversation.asked:
        request = asked.request
        found = _next(by_id.get(request.call_id or ""), taken)
        if found is None:
            named = by_tool if request.call_id is None else strangers
            queue = named.get(_spelled(request.tool, names))
            found = _by_name(asked, queue, calls, taken, _next_model(starts, asked)) if queue else None
        if found is None:
            alone.append(asked)
        else:
            taken[found] = asked
    return taken, alone


def _spellings(tools: Iterable[str]) -> dict[str, str]:
    """Names of tool spans by their own name and by what is left of it without a prefix."""
    names: dict[str, str] = {}
    for tool in tools:
        for rest in _without_prefixes(tool):
            names.setdefault(rest, tool)
    return names | {tool: tool for tool in tools}


def _spelled(tool: str, names: Mapping[str, str]) -> str:
    """The name of a tool span for the name that the model used; either may bear a plugin's or a server's prefix."""
    if tool not in names:
        for rest in _without_prefixes(tool):
            if rest in names:
                return names[rest]
    return names.get(tool, tool)


def _without_prefixes(tool: str) -> Iterable[str]:
    for separator in ("__", "-", ".", "/", "_"):
        rest = tool
        for _ in range(MAX_PREFIXES):
            rest = rest.partition(separator)[2]
            if not rest:
                break
            yield rest


def _next(queue: deque[int] | None, taken: dict[int, Asked]) -> int | None:
    while queue:
        place = queue.popleft()
        if place not in taken:
            return place
    return None


def _next_model(starts: list[int], asked: Asked) -> float:
    at = bisect_left(starts, asked.time_ns)
    return starts[at] if at < len(starts) else float("inf")


def _by_name(
    asked: Asked, queue: deque[int], calls: list[LogicalCall], taken: dict[int, Asked], before: float
) -> int | None:
    """The first call of that tool with equal arguments, else the first that began before the next model call.

    Requests come in order of time: calls that were over before this one was asked for leave the queue for good.
    """
    while queue and (queue[0] in taken or calls[queue[0]].span.end_ns < asked.time_ns - _SKEW_NS):
        queue.popleft()
    arguments = arguments_of(asked.request.arguments)
    first: int | None = None
    for place in islice(queue, LOOK_AHEAD):
        call = calls[place]
        if place in taken or call.span.end_ns < asked.time_ns - _SKEW_NS:
            continue
        if call.arguments is None or asked.request.arguments is None or same_arguments(arguments, call.arguments):
            return place
        if first is None and call.span.start_ns < before:
            first = place
    return first


_SKEW_NS = 1_000_000_000
"""Clocks of model and tool spans may differ by this much."""


def infer(
    tree: Tree, conversation: Conversation, alone: list[Asked], known: set[tuple[str | None, int]]
) -> list[LogicalCall]:
    """Calls without a span of their own: those that were answered, or whose step failed right after the request.

    A call id and turn in `known` is a call already; asked for twice, it is that call as another span saw it.
    """
    known = {key for key in known if key[0] is not None}
    by_id = {span.span_id: span for span in tree.spans} if any(asked.index == NONE for asked in alone) else {}
    starts = [tree.spans[index].start_ns for index in tree.models]
    tools: dict[str, frozenset[str]] = {}
    calls = []
    for number, asked in enumerate(alone):
        if asked.request.tool in NO_TOOLS or (asked.request.call_id, asked.turn) in known:
            continue
        answered = _answer(conversation, asked)
        failure = NONE if answered is not None else _failed_step(tree, starts, asked)
        span = tree.spans[asked.index] if asked.index != NONE else by_id.get(asked.span_id)
        if span is None or (answered is None and failure == NONE):
            continue
        call = _call(asked, span, number)
        if answered is not None:
            _give_answer(call, answered)
        else:
            _give_failure(tree, starts, call, asked, failure)
        if span.span_id not in tools:
            tools[span.span_id] = offered(span) if asked.index != NONE else frozenset()
        if tools[span.span_id] and asked.request.tool not in tools[span.span_id]:
            call.marks.append(Mark("tool.unknown", call.tool, span.span_id, Meaning.FAILED))
        calls.append(call)
        if call.call_id is not None:
            known.add((call.call_id, asked.turn))
    return calls


def _answer(conversation: Conversation, asked: Asked) -> Answered | None:
    call_id = asked.request.call_id
    if call_id is not None:
        return conversation.answer(call_id, asked.turn)
    waiting = conversation.by_tool.get(asked.request.tool)
    return waiting.popleft() if waiting else None


def _failed_step(tree: Tree, starts: list[int], asked: Asked) -> int:
    """The step, turn or agent around the request that failed with no later model call in it; `NONE` without one."""
    if asked.index == NONE:
        return NONE
    at = tree.parent[asked.index]
    for _ in range(STEPS_UP):
        if at == NONE or tree.kinds[at] is Kind.TOOL:
            return NONE
        if tree.failed(at):
            return NONE if model_follows(tree, starts, asked.time_ns, at) else at
        if tree.kinds[at] is Kind.AGENT:
            return NONE
        at = tree.parent[at]
    return NONE


def _call(asked: Asked, span: Span, number: int) -> LogicalCall:
    request = asked.request
    call = LogicalCall(
        id=f"{span.trace_id}-{span.span_id}-{_key(asked, number)}",
        span=span,
        members=[span],
        tool=renamed(request.tool, span.scope_name),
        convention="messages",
        call_id=request.call_id,
        inferred=True,
    )
    call.sources["tool"] = asked.source
    if request.arguments is not None:
        call.arguments, call.arguments_text = arguments_of(request.arguments), as_text(request.arguments)
        call.sources["arguments"] = asked.source
    return call


def _key(asked: Asked, number: int) -> str:
    """Tells the calls of one model span apart: by the model's call id, else by their order."""
    request = asked.request
    if request.call_id is None:
        return str(number)
    text = f"{request.call_id}\0{request.tool}\0{asked.turn}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def _give_answer(call: LogicalCall, answered: Answered) -> None:
    content = answered.response.content
    if content is MISSING:
        call.lost.append("result")
        return
    found = unwrap(content)
    call.result, call.result_text = found.value, as_text(content)
    call.payload, call.wrappers = Payload.CAPTURED, found.wrappers
    call.told = shown(content)
    call.marks = wrapper_marks(found.marks, answered.span_id)
    call.sources["result"] = answered.source


def _give_failure(tree: Tree, starts: list[int], call: LogicalCall, asked: Asked, step: int) -> None:
    """The failure of the step stands for the call's own; its run is over unless a model was called again in it."""
    span = tree.spans[step]
    for event in span.events:
        if event.name == "exception":
            value = {
                "type": event.attributes.get("exception.type"),
                "message": event.attributes.get("exception.message"),
            }
            call.marks.append(Mark("event.exception", value, span.span_id, Meaning.FAILED))
            break
    if span.status_code == ERROR:
        call.marks.append(Mark("span.status", span.status_message, span.span_id, Meaning.FAILED))
    run = step
    for _ in range(STEPS_UP):
        if tree.parent[run] == NONE or tree.kinds[run] is Kind.AGENT:
            break
        run = tree.parent[run]
    call.run_aborted = not model_follows(tree, starts, asked.time_ns, run)
