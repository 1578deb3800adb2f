"""From one trace to its logical tool calls."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from analytics.conventions.vocabulary import PROTOCOLS
from analytics.normalise.aborted import mark_aborted
from analytics.normalise.adopted import adopted
from analytics.normalise.context import Context, model_of
from analytics.normalise.conversation import Answered, Asked, read_conversation
from analytics.normalise.inferred import infer, match
from analytics.normalise.logical_call import LogicalCall, Meaning
from analytics.normalise.losses import forget_elided, is_scrubbed, note_losses
from analytics.normalise.marks import span_marks, wrapper_marks
from analytics.normalise.merge import groups
from analytics.normalise.messages import shown
from analytics.normalise.parts import parts_of
from analytics.normalise.reading import ToolSpan, arguments_of
from analytics.normalise.records import add_records
from analytics.normalise.tree import Tree, build
from analytics.normalise.turns import turn_starts
from analytics.normalise.upstream import upstream_of
from analytics.normalise.values import MISSING, as_text
from analytics.settings import JudgeSettings
from analytics.spans import Span, Trace
from telltale.payload.wrappers import uncollected, unwrap
from telltale.vocabulary import Payload


def normalise(trace: Trace, settings: JudgeSettings) -> list[LogicalCall]:
    """The logical tool calls of a trace, in order of start.

    Pure, linear in the number of spans, and never raises: what cannot be read is left out. The same spans give the
    same calls with the same ids in whatever order, batches and copies they come. `settings` is not needed to tell
    which spans are calls; it is here so that a maintainer's facts may come in without another signature.
    """
    del settings
    if len(trace.spans) < _LONG:
        return _normalise(trace)
    with uncollected():
        return _normalise(trace)


_LONG = 1_000
"""Spans from which a trace is read without garbage collection, which would walk all that was read so far each time."""


def _normalise(trace: Trace) -> list[LogicalCall]:
    tree = build(trace)
    if not tree.tools and not tree.models:
        return []
    context = Context(tree, trace.logs)
    members = groups(tree)
    if _content_off(tree):
        for group in members:
            forget_elided(group)
    reached, responses = upstream_of(tree)
    reached.update(adopted(tree))
    calls = [_call(group, reached, responses) for group in members]
    _add_parts(tree, calls, members)
    add_records(calls, trace.logs)
    turns_began = turn_starts(tree)
    wanted = {call.call_id: call.span.start_ns for call in calls if call.call_id is not None}
    conversation = read_conversation(tree, trace.logs, wanted)
    asked, alone = match(tree, conversation, calls)
    for place, call in enumerate(calls):
        if place in asked:
            _take_request(tree, call, asked[place])
            _tell(call, conversation.answer(asked[place].request.call_id or call.call_id, asked[place].turn))
        else:
            _tell(call, conversation.answer(call.call_id))
        _place(call, context, members[place][0].index, turns_began)
        note_losses(call, members[place])
    mark_aborted(tree, calls, members)
    turns = {place: request.turn for place, request in asked.items()}
    known = {(call.call_id, turns.get(place, 0)) for place, call in enumerate(calls)}
    inferred = infer(tree, conversation, alone, known)
    indices = {tree.spans[index].span_id: index for index in tree.models}
    for call in inferred:
        _place(call, context, indices.get(call.span.span_id, 0), turns_began)
    return sorted(calls + inferred, key=_order)


def _add_parts(tree: Tree, calls: list[LogicalCall], members: list[list[ToolSpan]]) -> None:
    """Add the inner spans that are steps of the call itself: they say how it ended, and are nothing that it reached."""
    parts = parts_of(tree)
    for call, group in zip(calls, members, strict=True) if parts else ():
        for member in group:
            part = parts.get(member.index)
            if part is not None:
                call.members.append(part)
                call.marks += span_marks(part, member.plan)
                call.upstream = [span for span in call.upstream if span is not part]


def _order(call: LogicalCall) -> int:
    """Calls in order of start; one without a span was asked for when its model span ended."""
    return call.span.end_ns if call.inferred else call.span.start_ns


def _content_off(tree: Tree) -> bool:
    """ADK schema 1 with content off writes `{}` for the model's request too, which is never empty otherwise."""
    return any(tree.spans[index].attributes.get("gcp.vertex.agent.llm_request") == "{}" for index in tree.models)


def _call(group: list[ToolSpan], reached: dict[int, list[Span]], responses: dict[int, list[Span]]) -> LogicalCall:
    if len(group) > 1:
        return _call_of_sides(group, reached, responses)
    side = group[0]
    span = side.span
    call = LogicalCall(f"{span.trace_id}-{span.span_id}", span, [span], side.tool, side.plan.convention, side.call_id)
    call.sources = side.sources
    _read_result(call, side, responses.get(side.index, []))
    if side.arguments is not MISSING:
        _take_arguments(call, side.arguments, side.sources["arguments"])
    call.marks += span_marks(span, side.plan)
    call.upstream = reached.get(side.index, [])
    return call


def _call_of_sides(
    group: list[ToolSpan], reached: dict[int, list[Span]], responses: dict[int, list[Span]]
) -> LogicalCall:
    """The call that several spans tell of: each gives what it has, the outermost first."""
    outer = group[0]
    carrier = next((member for member in group if member.result is not MISSING), outer)
    named = next((member for member in group if member.plan.convention not in PROTOCOLS), outer)
    call = LogicalCall(
        id=f"{outer.span.trace_id}-{outer.span.span_id}",
        span=carrier.span,
        members=[member.span for member in group],
        tool=named.tool,
        convention=named.plan.convention,
        call_id=next((member.call_id for member in group if member.call_id is not None), None),
    )
    call.sources = dict(named.sources)
    _read_result(call, carrier, [span for member in group for span in responses.get(member.index, ())])
    with_arguments = next((member for member in group if member.arguments is not MISSING), None)
    if with_arguments is not None:
        _take_arguments(call, with_arguments.arguments, with_arguments.sources["arguments"])
    for member in group:
        call.marks += span_marks(member.span, member.plan)
    upstream = {span.span_id: span for member in group for span in reached.get(member.index, ())}
    call.upstream = sorted(upstream.values(), key=lambda span: (span.start_ns, span.span_id))
    return call


def _read_result(call: LogicalCall, carrier: ToolSpan, responses: list[Span]) -> None:
    sent, source, span_id = carrier.result, carrier.sources.get("result", ""), carrier.span.span_id
    if responses and (sent is MISSING or source.startswith("omitted")):
        span = responses[-1]
        sent, source, span_id = span.attributes["mcp.response.value"], "mcp.response.value", span.span_id
    if sent is MISSING:
        return
    _take_result(call, sent, source, span_id)
    if "result" in carrier.cut and call.payload is not Payload.ABSENT:
        call.payload = Payload.TRUNCATED


def _take_result(call: LogicalCall, sent: Any, source: str, span_id: str) -> None:
    found = unwrap(sent)
    call.result, call.result_text, call.wrappers = found.value, as_text(sent), found.wrappers
    call.sources["result"] = source
    call.marks += wrapper_marks(found.marks, span_id)
    if call.call_id is None and found.call_id is not None:
        call.call_id, call.sources["call_id"] = found.call_id, source
    if found.text is not None:
        call.told = found.text
    if is_scrubbed(found.value):
        call.payload = Payload.ABSENT
    else:
        call.payload = Payload.TRUNCATED if found.cut else Payload.CAPTURED


def _take_arguments(call: LogicalCall, sent: Any, source: str) -> None:
    call.arguments, call.arguments_text = arguments_of(sent), as_text(sent)
    call.sources["arguments"] = source


def _take_request(tree: Tree, call: LogicalCall, asked: Asked) -> None:
    """Add what the model's own request shows: the call id, the arguments where no span has them, the model."""
    request = asked.request
    if call.call_id is None and request.call_id is not None:
        call.call_id, call.sources["call_id"] = request.call_id, asked.source
    if request.arguments is not None and (call.arguments_text is None or _unnamed(call, request.arguments)):
        _take_arguments(call, request.arguments, asked.source)
    if asked.index >= 0:
        call.model = model_of(tree.spans[asked.index])


def _unnamed(call: LogicalCall, requested: Any) -> bool:
    """Whether a span holds a tool's one argument without its name (LangChain's callback), which the request has."""
    return not isinstance(call.arguments, dict | list) and isinstance(arguments_of(requested), dict)


def _tell(call: LogicalCall, answered: Answered | None) -> None:
    """Add what a later message shows of the call: the text for the model, flags, and the result where none stood."""
    if answered is None or answered.response.content is MISSING:
        return
    content = answered.response.content
    call.sources["told"] = answered.source
    if call.payload is Payload.ABSENT and not any(mark.name == "event.exception" for mark in call.marks):
        _take_result(call, content, answered.source, answered.span_id)
        call.told = shown(content) if call.told is None else call.told
        return
    if isinstance(content, str):
        call.told = content
        return
    found = unwrap(content)
    call.answer = found
    known = {mark.name for mark in call.marks}
    for mark in wrapper_marks(found.marks, answered.span_id):
        if mark.meaning is not Meaning.CLAIMED_OK and mark.name not in known:
            call.marks.append(mark)


def _place(call: LogicalCall, context: Context, index: int, turns_began: list[int]) -> None:
    """Session, turn, user, agent, model, service and release of a call; the calling side's, where there are two."""
    placed = context.place(index)
    if placed.session is not None:
        call.session_id, call.session_source = placed.session
    if turns_began:
        began = call.span.start_ns if len(call.members) < 2 else min(member.start_ns for member in call.members)
        call.turn = max(1, bisect_right(turns_began, began))
    if placed.user is not None:
        call.user, call.sources["user"] = placed.user
    if placed.agent is not None:
        call.agent, call.sources["agent"] = placed.agent
    if call.model is None:
        call.model = context.model(index)
    resource = context.tree.spans[index].resource
    call.service = _name(resource.get("service.name"))
    call.release = _name(resource.get("service.version")) or _name(call.span.attributes.get("langfuse.release"))


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
