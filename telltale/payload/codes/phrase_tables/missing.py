"""NOT_FOUND: what is not there."""

from __future__ import annotations

PHRASES: tuple[tuple[str, str | None], ...] = (
    ("not known to ", None),
    ("unavailable tool", None),  # one that the run does not have
    (" not in ", r"\bnot in (?:the |your |its )?(?:toolset|tool ?list|registry|catalog|allow-?list)\b"),
    (" with ", r"\bno \w+ with (?:\w+ )?(?:id|number|name|key|code|slug|title|e-?mail)\b"),
    ("results for", r"\bno (?:\w+ )?results for\b"),
    (" match", r"\bno \w+ match(?:es|ed) "),
    (" near ", r"\bno \w+ near\b"),
    ("does not match any", None),
    ("not found", None),
    ("no such", None),
    ("no file or directory", None),
    (" exist", r"\bdo(?:es)?(?: not|n't) exist"),
    ("missing", r"\b(?:is|are) missing(?! (?:the|a|an|its|one) | (?:\w+ )?(?:required|argument|parameter|field))\b"),
    ("has no ", None),
    ("not registered", None),
    ("defined", r"\b(?:function|tool|method)\b.{0,20}(?:n't| not) defined\b"),
    ("be found", None),
    ("not a known", None),
    ("removed", r"\b(?:has been|have been|was|were) removed\b"),
    ("no results", None),
    ("unknown", r"\bunknown\W*$"),
    ("deleted", r"\b(?:has been|have been|was|were) (?:already )?deleted\b"),
    (" gone", r"\bis gone\b"),
    ("locate ", r"(?:could not|cannot|couldn't|unable to|failed to) locate\b"),
    ("no ", r"\bno (?:rows|records|results|entries|documents|items) (?:in|found|returned|match)"),
    ("no match", None),
    ("there ", r"\bthere (?:is|are|was|were) no \w+ [\w'\"`.#-]+"),
    (
        "no ",
        r"\bno (?:\w+ ){1,3}(?:found|named|called|matching|with (?:that|the|given|this|id|name|key))\b"
        r"|\bno (?:pending|matching|existing) \w+",
    ),
    ("0 ", r"\b0 (?:\w+ ){1,2}(?:found|matched)\b"),
    ("find", r"(?:could not|cannot|couldn't|unable to) find\b"),
    (
        "unknown ",
        r"unknown (?:\w+ )?(?:id|name|tool|user|file|host|table|resource|index|collection|database|document"
        r"|record|project|repository|account|customer|order|item|entity|dataset|bucket|queue|topic|channel)\b",
    ),
    # The same standard phrases in other languages: a thing that is not there, time that ran out
    (" gefunden", r"\bnicht gefunden\b"),
    (" encontrad", r"\b(?:no|não) encontrad"),
    ("introuvable", None),
    (" trovat", r"\bnon trovat"),
    (" найден", r"\bне найден"),
    ("不存在", None),
    ("找不到", None),
    ("未找到", None),
    ("見つかりません", None),
    ("찾을 수 없", None),
    (" moved", r"\b(?:page|site|document|resource|project|repository|file)\b.{0,40}\b(?:was|has|been) moved\b"),
    ("missing file", None),
    ("missing ", r"\b(?:document|record|row|entry|index|file|key)s? (?:is |are )?missing\b"),
    ("unknown revision", None),
    ("did not match", r"\bdid not match any\b"),
    ("unrecogni", r"\bunrecogni[sz]ed (?:command|tool|function|method|symbol|ticker|city|place|location|name|host)\b"),
    (
        "not recogni",
        r"\b(?:city|place|location|symbol|ticker|command|host|country|airport"
        r"|station)\b.{0,40} not recogni[sz]ed\b",
    ),
    ("delisted", None),
    ("not part of", None),
    ("could not resolve to ", None),
    ("not listed", None),
    ("not known", r"\bis not known\b"),
    ("registered", r"\bno \w+ (?:is )?registered\b"),
)
