"""PERMISSION_DENIED: who may not, who is not signed in, what a policy forbids."""

from __future__ import annotations

_SECRETS = "api.?key|token|jwt|credentials?|password|session|sign-?in|log-?in|login|licen[cs]e"

PHRASES: tuple[tuple[str, str | None], ...] = (
    (
        "_",
        r"\b(?:invalid_(?:grant|client|token|auth|api_?key|credentials?)|unauthorized_client|access_denied"
        r"|insufficient_scope|not_authed|token_revoked)\b",
    ),  # RFC 6749 §5.2, RFC 6750 §3.1, and what services made of them
    ("permission for ", r"\brequired '[\w.]+' permission for\b"),
    ("invalid grant", None),
    ("session ", r"\bsession (?:has |is )?(?:expired|no longer valid)\b"),
    ("accepted", r"(?:username|password|credentials?|token)\W.{0,30}not accepted"),
    (
        "permission",
        r"permission denied|permission \S{1,80} (?:was )?denied|^(?:\W|error\b)*(?:\([\w.-]+\) )?permissions error\b"
        r"|insufficient permission|not have .{0,20}permission|missing permission",
    ),
    ("access", r"access (?:is |was )?denied|not have access|no access\b"),
    ("not ", r"\bnot (?:allowed to|permitted|authori[sz]ed|authenticated|logged in|signed in)\b"),
    ("n't own", None),
    (" to ", r"\b(?:need|have|must|required) to (?:be )?(?:sign|log)(?:ed|ged)?[ -]?in\b"),
    ("is ", r"\bis (?:restricted|private|protected)\b"),
    ("granted", r"(?:not|n't) (?:been )?granted\b"),
    ("consent required", None),
    ("lack", r"\blacks? (?:the )?(?:\w+ )?(?:permission|scope|role|right|privilege)"),
    ("only ", r"\bonly (?:the |an? )?(?:\w+ )?(?:owner|admin|administrator|author|creator)s? (?:can|may)\b"),
    (
        "no ",
        rf"\bno (?:\w+ )?(?:{_SECRETS}) (?:was |were |are |is )?(?:provided|given|found|set|configured|supplied)\b",
    ),
    ("not accessible", None),
    ("bad credentials", None),
    ("revoked", rf"\b(?:{_SECRETS}) (?:has been|was|is) revoked\b"),
    ("not a member", None),
    (
        "require",
        r"\brequires? (?:an? |the )?(?:\w+ ){0,2}(?:admin|administrator|owner|login|sign-?in|authenti|authori)",
    ),
    (
        "signature",
        r"signature (?:verification failed|does ?n[o']t match|is invalid|mismatch)|signaturedoesnotmatch",
    ),
    ("login required", None),
    ("account ", r"\baccount (?:is |was |has been )?(?:suspended|disabled|deactivated|locked|blocked)\b"),
    ("have the ", r"(?:not|n't) have the (?:[\w:.'\"-]+ ){0,2}(?:scope|role|permission|right|privilege)"),
    ("unauthori", r"unauthori[sz]ed"),
    ("unauthenticated", None),
    ("forbidden", None),
    ("authenticat", r"authenticat(?:ion|e) (?:has )?(?:failed|is required|required|error)"),
    ("insufficient ", r"insufficient (?:scope|privilege|right)"),
    ("read-only", None),
    (
        "ed by ",
        r"\b(?:denied|rejected|refused|blocked|vetoed|prevented) by (?:\w+ ){0,3}"
        r"(?:polic(?:y|ies)|gates?|guards?|guardrails?|filters?|firewall|rules?|hooks?|sandbox|moderation)\b",
    ),
    ("outside ", r"outside (?:of )?the (?:workspace|sandbox|allowed|project)"),
    ("please ", r"please (?:log|sign) ?in|please (?:re-?)?authenticate"),
    (
        "valid",
        rf"\b(?:{_SECRETS})s? (?:is |was |are )?(?:not valid|no longer valid|invalid)\b"
        rf"|invalid (?:[\w.]+[- ])?(?:{_SECRETS})",
    ),
    ("expired", rf"\b(?:{_SECRETS}) (?:is |was |has |are |have )?expired\b|expired (?:{_SECRETS})"),
    ("is ", rf"\b(?:{_SECRETS}) is (?:missing|required|not (?:set|provided|found))\b"),
    (
        "missing",
        rf"missing (?:{_SECRETS}|authori[sz]ation)\b|\bauthori[sz]ation (?:\w+ )?(?:is |was )?missing",
    ),
    ("violat", r"\bviolat\w{2,4} [^.\n]{0,60}\b(?:polic(?:y|ies)|guidelines|terms)\b"),
    ("could not read ", r"\bcould not read (?:username|password) for\b"),  # git without credentials
    (" may not ", r"\b(?:role|user|account|group|caller|you)\b[^.\n]{0,30} may not (?!be\b)"),
    (
        "blocked by",
        r"\bblocked by (?:\w+ ){0,2}(?:compliance|polic(?:y|ies)|admin\w*|security|organi[sz]ation|moderation)\b",
    ),
    ("logged in", r"\bbe (?:logged|signed) in\b"),
    ("sign in to", r"\b(?:sign|log) in to (?:continue|proceed|view|access)\b"),
    (
        "permission",
        r"\b(?:not enough|insufficient|without the (?:right|required|necessary)) permissions?\b"
        r"|\bpermissions? .{0,40}\b(?:refused|required|needed)\b",
    ),
    (" right", r"(?:not|n't) have (?:\w+ )?rights?\b|\bno rights?\b"),
    ("missing ", r"\bmissing (?:\w+ )?(?:scopes?|roles?|permissions?|privileges?)\b"),
    ("incorrect ", r"\bincorrect (?:api.?key|password|credentials?|username|pin|passphrase)\b"),
    ("signature ", r"\bsignature (?:has )?expired\b|\binvalid signature\b"),
    ("signature", r"\binvalid signature\b"),
    (
        " not allowed",
        r"\b(?:ip|address|origin|host|domain|user|role|write|tool|method|operation|action|call"
        r"|access) (?:\w+ )?(?:is |are )?not allowed\b(?! in the)",
    ),
    ("listed", r"\bnot (?:white|allow)-?listed\b"),
    ("csrf", r"\bcsrf\b.{0,30}\b(?:missing|invalid|failed|mismatch)"),
    (
        "required",
        r"\b(?:mfa|2fa|two-factor|multi-factor|captcha|re-?authentication|authentication"
        r"|authorization|approval) (?:is )?required\b",
    ),
    ("authentication", r"\bre-?authentication (?:is )?(?:needed|failed|required)"),
    (" disabled", r"\b(?:write|admin|remote|shell|network) access (?:is |has been )?disabled\b"),
    (" only", r"^(?:owners?|admins?|administrators?|members?|staff) only\b"),
    (
        "not in ",
        r"\b(?:bot|app|user|account|role) is not in (?:the )?(?:channel|group|workspace|team|sudoers"
        r"|organi[sz]ation)\b",
    ),
    ("token revoked", None),
    (
        "credentials",
        r"\b(?:default )?credentials (?:are |were )?(?:not (?:configured|found|set|available|loaded)"
        r"|missing|required)|(?:load|find|obtain) (?:the )?(?:\w+ )?credentials\b"
        r"|\bno (?:\w+ )?credentials\b",
    ),
    (
        "environment variable",
        r"\b\w*(?:key|token|secret|password|credentials?)\w*\b.{0,40}\benvironment variable\b"
        r"|environment variable.{0,40}\b\w*(?:key|token|secret|password)\w*\b",
    ),
    ("bot ", r"\bbot (?:was |is )?(?:detected|detection|check|challenge)\b"),
    (
        "denied",
        r"\b(?:has|have) been denied\b|\bdenied (?:write|read|network|file|access|the (?:write|read|request))\b",
    ),
    ("permission", r"\b(?:do|does)(?:n't| not) have (?:the )?permissions?\b"),
    ("n't have permission", None),
    ("rights ", r"\brights (?:are |were )?(?:needed|required|missing)\b"),
    ("not installed on ", r"\bapp (?:is |was )?not installed on\b"),
    ("verification failed", r"\b(?:host key|captcha|identity|token|signature) verification failed\b"),
    ("password is required", None),
    (
        "sandbox",
        r"\bnot (?:allowed|permitted|possible) (?:in|inside|from) (?:the |a )?(?:sandbox|plan mode"
        r"|read-?only mode|safe mode)\b",
    ),
    (" mode", r"\bnot (?:allowed|permitted|possible) in (?:the )?(?:plan|read-?only|safe|restricted) mode\b"),
    ("login failed", None),
    ("log in failed", None),
    ("verweigert", None),
    ("denegado", None),
    ("acc", r"\baccès refusé"),
    ("accesso negato", None),
    ("запрещ", None),
    ("拒绝访问", None),
    ("权限", None),
    ("アクセスが拒否", None),
    ("blocked:", r"^(?:error: )?blocked:"),
)
