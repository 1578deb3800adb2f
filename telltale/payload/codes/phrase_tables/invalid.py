"""INVALID_ARGUMENT: what is wrong with the request."""

from __future__ import annotations

_THINGS = "field|argument|parameter|option|property|key|code|value|format|type|column|attribute"
_TYPES = "string|number|int|integer|array|object|list|bool|boolean|float|dict"

PHRASES: tuple[tuple[str, str | None], ...] = (
    ("foreign key", r"\bforeign key constraint\b"),
    ("validation", r"validation (?:error|failed)|\d+ validation|failed validation"),
    (
        "required",
        r"\b(?:is|are) required\b|required (?:\W?\w+\W? ){0,3}(?:is|are|was) (?:missing|not)|missing required",
    ),
    ("mandatory ", r"mandatory (?:\w+ ){0,2}(?:parameter|argument|field|input)"),
    ("require", rf"requires? (?:an? |the )?\W?[\w ]{{1,40}}\W? ?(?:{_THINGS})"),
    ("missing ", rf"missing (?:\W?\w+\W? ){{0,3}}(?:required )?(?:{_THINGS})|missing \d+ required"),
    ("must ", r"must (?:be|have|not|match|contain|start|end)\b"),
    (" be ", r"(?:cannot|can't|can not) be (?:empty|blank|null|none|negative|parsed|zero)"),
    ("invalid", r"\binvalid\b"),
    ("malformed", None),
    ("wrong ", rf"\bwrong (?:\w+ )?(?:{_THINGS}|date|number|kind)\b"),
    ("bad ", rf"\bbad (?:\w+ )?(?:{_THINGS}|date|number)\b"),
    ("not ", rf"\b(?:{_THINGS}) ?\W?\w*\W? (?:was |is )?not (?:given|provided|set|specified|supplied)\b"),
    ("illegal ", None),
    ("not one of", None),
    ("not a recogni", None),
    ("at least one ", r"at least one .{1,40}(?:needed|required|must)\b"),
    ("unprocessable", None),
    ("only ", r"\bonly .{1,30} (?:are|is) (?:accepted|supported)\b"),
    ("is empty", None),
    ("be parsed", None),
    (
        "should be ",
        rf"should be (?:an? )?(?:valid )?(?:{_TYPES}|one of|less|greater|at)\b",
    ),
    ("schema", r"(?:not|n't) (?:\w+ )?(?:match|conform|comply|correspond)\w* .{0,30}schema\b"),
    ("declared", r"\bundeclared\b|\bnot (?:been )?declared\b"),
    ("additional properties", None),
    ("parse error", None),
    ("expecting ", None),
    ("is not ", r"\b\w+ is not (?:set|given|specified)\b"),
    ("mandatory", r"\bis mandatory\b"),
    ("syntax error", None),
    ("unsupported", None),
    ("not supported", None),
    (
        " than",
        r"\b(?:cannot|must not|may not) be (?:larger|greater|smaller|less|more|longer|shorter) than\b",
    ),
    ("expected exactly", None),
    ("expected", r"\bexpected\b.{0,80}\bbut (?:none|nothing|no \w+)\b"),
    ("is a directory", None),
    ("converted to", r"\b(?:could not|cannot) be converted to\b"),
    ("cannot query field", None),  # GraphQL's validation
    ("field required", None),
    ("could not convert", None),
    ("unknown ", rf"unknown (?:\w+ ){{0,3}}(?:{_THINGS})\b"),
    (
        "unknown ",
        r"unknown (?:\w+ ){1,2}['\"`][^'\"`]{1,60}['\"`][.:,;] "
        r"(?:known|valid|allowed|available|supported|possible|expected|choose|use|must)\b",
    ),
    ("unexpected ", rf"unexpected (?:\w+ ){{0,2}}(?:{_THINGS}|token|character)\b"),
    ("unrecogni", rf"unrecogni[sz]ed (?:\w+ ){{0,2}}(?:{_THINGS})s?\b"),
    ("valid ", r"\bnot a valid\b"),
    ("not allowed in", None),
    ("exceed", r"exceeds? (?:the )?(?:max|limit|allowed)"),
    ("too ", r"\btoo (?:long|large|many|short|big|small|few)\b"),
    ("out of ", r"out of (?:range|bounds)"),
    ("bad request", None),
    ("parse ", r"(?:cannot|could not|failed to|unable to) parse"),
    (
        "expected ",
        rf"expected (?:an? )?(?:{_TYPES})\b",
    ),
    ("unknown ", r"\bunknown (?!tool|method|function|user|file|host|resource)\w+: \S"),
    ("required property", None),
    ("recipients", r"\bno recipients?\b"),
    ("exactly one of", None),
    ("either ", r"\beither .{1,60}\bor\b.{1,60}\b(?:must|required|needed|should)\b"),
    ("unclosed ", None),
    ("ambiguous", None),
    ("inputs are not permitted", None),
    ("maximum context length", None),
    (
        "context window",
        r"\b(?:exceeds?|larger than|too long for) .{0,40}context window\b|context window (?:exceeded|is too small)",
    ),
    ("empty ", r"^empty (?:query|input|request|body|prompt|text|name|string|message)\b"),
    ("option", r"\b(?:option|flag) \S{1,40} (?:is )?not recogni[sz]ed\b"),
    ("usage: ", r"^\s*usage: "),
    (
        "has to be ",
        r"\bhas to be (?:an? )?(?:\w+ )?(?:string|number|integer|list|object|date|valid|positive"
        r"|unique|between|one of)\b",
    ),
    ("missing ", r"\b(?:is|are) missing (?:the|a|an|its|one) "),
)
