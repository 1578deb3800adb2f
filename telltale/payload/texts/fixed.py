"""Fixed messages with which services refuse a request: whole texts, told by services of every kind in these very forms.

The reason phrases of HTTP, the default messages of widespread frameworks and gateways, and three forms that they share:
a key or token called invalid, missing or expired; a thing "not found"; a limit "exceeded". A longer sentence around
such words is none of them.
"""

from __future__ import annotations

import re

from telltale.payload.codes.infer import REASON_PHRASES
from telltale.vocabulary import Code, code_of_http

_WHOLE = {
    **REASON_PHRASES,
    "not authenticated": 401,
    "unauthenticated": 401,
    "missing authentication token": 401,
    "internal server error": 500,
    "access denied": 403,
    "endpoint request timed out": 504,
    "you do not have permission to perform this action": 403,
    "authentication credentials were not provided": 401,
    "full authentication is required to access this resource": 401,
    "user is not authorized to access this resource": 403,
    "the caller does not have permission": 403,
}
_ABROAD = {
    **dict.fromkeys(("acceso denegado", "accès refusé", "zugriff verweigert", "accesso negato", "acesso negado"), 403),
    **dict.fromkeys(("доступ запрещен", "拒绝访问", "アクセスが拒否されました", "접근이 거부되었습니다"), 403),
    **dict.fromkeys(("no autorizado", "non autorisé", "nicht autorisiert", "não autorizado", "未授权"), 401),
    **dict.fromkeys(("error interno del servidor", "erreur interne du serveur", "interner serverfehler"), 500),
    **dict.fromkeys(("errore interno del server", "erro interno do servidor", "внутренняя ошибка сервера"), 500),
    **dict.fromkeys(("服务器内部错误", "内部服务器错误", "サーバー内部エラー", "내부 서버 오류"), 500),
    **dict.fromkeys(("servicio no disponible", "service indisponible", "dienst nicht verfügbar", "服务不可用"), 503),
}
"""The same phrases in other languages."""

_KEY = (
    r"(?:api[ -]?key|(?:access |auth |bearer |refresh |session |jwt )?token|jwt|credentials?|signature|authorization)"
)
_FORMS = re.compile(
    rf"(?P<denied>(?:the |your )?(?:(?:invalid|missing|expired|incorrect|revoked|unknown)(?: or \w+)? {_KEY}"
    rf"|{_KEY} (?:is |has |was )?(?:been )?(?:invalid|expired|revoked|missing|incorrect))(?: (?:provided|specified))?"
    r"|(?:your |the )?session (?:has |is )?(?:expired|timed out)"
    r"(?:[,;] (?:please )?(?:log|sign) ?in(?: again)?)?|bot detected|blocked by robots\.txt|not authori[sz]ed"
    rf"|no {_KEY} (?:was |is )?(?:provided|found|configured|set|given|specified)"
    r"|(?:the )?(?:user|client|request|caller|account) (?:is )?not (?:authenticated|authori[sz]ed)"
    r"|(?:login|sign-?in) required|you (?:must be|need to be|are not) (?:logged|signed) in(?: to [\w ]{1,60})?"
    r"|access (?:is |was |has been )?(?:denied|forbidden|refused|not granted)"
    r"|(?:the )?(?:[\w'-]{2,30} ){0,3}(?:access|permission)s? (?:was |is |has |have )?(?:been )?not (?:been )?granted"
    r"|access to (?:[\w'./-]{1,60} ){1,5}(?:was|is|has been) (?:denied|revoked|forbidden|not granted)"
    r"|insufficient (?:permissions?|privileges|scopes?|access rights)|no permissions?|unauthorized permission requested"
    r"|you (?:do not|don't|don\u2019t) have (?:the )?(?:sufficient |required |necessary )?"
    r"(?:permissions?|access|rights|privileges)"
    r"(?: (?:to|for) .{1,120})?|you are not (?:allowed|authori[sz]ed|permitted)(?: to .{1,120})?"
    r"|please (?:log|sign) ?in(?: first| again| to continue)?"
    r"|user: \S{1,200} is not authorized to perform: .{1,300})"  # AWS IAM
    r"|(?P<missing>(?:[45]\d\d )?(?:[\w.'\"`-]{1,40} ){1,5}not found(?:: \S{1,80})?|no such \w{2,30}(?:: \S{1,80})?)"
    r"|(?P<limited>(?:api |request |daily |monthly )?(?:rate limit|quota)s? (?:has been |was )?(?:exceeded|reached)"
    r"|rate ?limited(?: by [\w -]{1,40})?(?:[,;] [^.\n]{1,60})?|ratelimit"
    r"|you (?:have )?exceeded your (?:current )?(?:quota|rate limit).{0,120})"
    r"|(?P<down>(?:the |this )?(?:service|server|site|system|api) is (?:currently |temporarily )?"
    r"(?:unavailable|(?:under|down for) (?:\w+ )?maintenance|overloaded|at capacity)"
    r"(?:[,;]? (?:please )?(?:try|retry) (?:again )?(?:later|in [\w ]{1,20}))?"
    r"|(?:network|connection) error|(?:the )?(?:server|service) is (?:too )?busy"
    r"|max(?:imum)? (?:number of )?retries exceeded|circuit breaker (?:is )?open|(?:please )?try again later)"
    r"|(?P<unfit>(?:the |your )?(?:file|image|body|request|payload|input|message|attachment|upload|document)"
    r"(?: size| body)? (?:is )?too (?:large|big|long)|invalid (?:input|request|parameters?|arguments?|id|identifier"
    r"|url|query|value|json|format|path))",
    re.IGNORECASE,
)
_FORM_CODES = {
    "denied": Code.PERMISSION_DENIED,
    "missing": Code.NOT_FOUND,
    "limited": Code.RATE_LIMITED,
    "down": Code.UNAVAILABLE,
    "unfit": Code.INVALID_ARGUMENT,
}
_LONGEST, _LONGEST_FORM, _LONGEST_ADVISED = 80, 600, 240
_FIRST_SENTENCE = re.compile(r"\s*([^.!\n]{5,120})[.!] (?=[A-Z])")


def phrase_of_http(text: str) -> Code | None:
    """The code of a text that is a reason phrase of HTTP or a framework's default message; None for all others."""
    said = text.strip(" .!").lower() if len(text) <= _LONGEST else ""
    status = _WHOLE.get(said)
    return code_of_http(status) if status is not None else phrase_abroad(said)


def phrase_abroad(said: str) -> Code | None:
    """The code of a reason phrase of HTTP in another language, in lower case."""
    status = _ABROAD.get(said)
    return code_of_http(status) if status is not None else None


def refusing_form(text: str) -> Code | None:
    """The code of a text that is one of the shared forms, or of a short one that begins with one."""
    if len(text) > _LONGEST_FORM:
        return None
    form = _FORMS.fullmatch(text.strip(" .!\n"))
    if form is None and len(text) <= _LONGEST_ADVISED:  # `Invalid API key. Please see …`: what to do about it follows
        first = _FIRST_SENTENCE.match(text)
        form = _FORMS.fullmatch(first.group(1).strip()) if first is not None else None
        form = form if form is not None and form.lastgroup != "missing" else None
    return _FORM_CODES[form.lastgroup or "denied"] if form is not None else None
