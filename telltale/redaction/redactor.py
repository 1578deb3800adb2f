"""`Redactor`: masks secrets in texts, JSON values and attributes, and counts what it masked by kind."""

from __future__ import annotations

import hmac
import json
import re
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from operator import is_
from typing import Any

from telltale.redaction.config import STRUCTURE_KEYS, RedactionConfig
from telltale.redaction.escapes import unescaped
from telltale.redaction.keyed_text import MOST_HITS, mask_keyed
from telltale.redaction.keys import KEY_LITERALS, KEY_SHAPE, kind_of_attribute, kind_of_key
from telltale.redaction.marks import MARK, is_mark
from telltale.redaction.pairs import following, named_value
from telltale.redaction.patterns import PATTERNS, Pattern
from telltale.redaction.prefilter import prefilter
from telltale.redaction.walk import Mark, Walk

_SHORTEST = 5
"""No secret that a pattern knows is shorter."""

_LARGEST_PLAIN = 10**12
"""Smaller whole numbers cannot be card numbers."""

_ROUNDS = 4

MOST_LOOKED_AT = 20_000
"""Pieces of a text that look like a secret of one pattern and are none. Beyond so many nobody looks at each: one mark
stands for all the rest, for a secret may be among it. A text of 256 KiB, the most that a span's value holds, cannot
hold more numbers as long as a card's: a long table of ids is never cut short."""

_MANY = 8
"""From so many entries on, one look at a whole list costs less than one at each."""

_DEEPEST = 64
"""Nesting beyond this is masked whole rather than walked."""


@dataclass(slots=True)
class Redactor:
    """Masks secrets. Methods may be called from any thread; `counts` holds what was masked so far, by kind."""

    config: RedactionConfig = field(default_factory=RedactionConfig)
    counts: Counter[str] = field(default_factory=Counter)
    _key: bytes = b""
    _patterns: tuple[tuple[Pattern, re.Pattern[str], str | int], ...] = ()
    _number: int = -1
    _hits: Callable[[str], Sequence[int]] = lambda _text: ()
    _extra_keys: frozenset[str] = frozenset()
    _allowed: re.Pattern[str] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        chosen = [p for p in PATTERNS if p.profile in self.config.profiles and p.kind not in self.config.off]
        chosen += self.config.extra_patterns
        self._key = self.config.key or secrets.token_bytes(32)
        compiled = [(pattern, re.compile(pattern.regex)) for pattern in chosen]
        self._patterns = tuple((p, regex, "secret" if "secret" in regex.groupindex else 0) for p, regex in compiled)
        self._number = next((n for n, pattern in enumerate(chosen) if pattern.kind == "card"), -1)
        views = [(pattern.shape, pattern.literals) for pattern in chosen]
        extra = sorted(self.config.extra_keys)
        shapes = [KEY_SHAPE, *(f"(?i:{re.escape(name)})" for name in extra)]
        views.append(("|".join(shapes), (*KEY_LITERALS, *(name.lower() for name in extra))))
        self._hits = prefilter(views)
        self._extra_keys = frozenset(name.lower() for name in extra)
        if self.config.allow is not None:
            self._allowed = re.compile("|".join(translate(name) for name in (*STRUCTURE_KEYS, *self.config.allow)))

    def text(self, text: str) -> str:
        """`text` with every secret masked; the same object where there is none."""
        if len(text) < _SHORTEST:
            return text
        hits = self._hits(text)
        return self._masked(text, hits, parse=True) if hits else text

    def clean(self, text: str) -> bool:
        """Whether a first look finds nothing to mask: one pass; "clean" is certain, "not clean" is not."""
        return not self._hits(text)

    def innocent_name(self, name: str) -> bool:
        """Whether an attribute's name neither is nor holds a secret, so that only its value needs a look."""
        if self._allowed is not None or name.lower() in self._extra_keys:
            return False
        return kind_of_attribute(name) is None and self.clean(name)

    def value(self, value: Any) -> Any:
        """A JSON value with key rules at any depth and value rules in every text; unchanged parts are shared."""
        return self._value(value, 0)

    def attributes(self, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """Attributes of a span, event, resource or log; names of conventions are never taken for secrets."""
        return {self.text(name): self.attribute(name, value) for name, value in attributes.items()}

    def mark(self, kind: str, secret: str) -> str:
        """`[REDACTED:kind:hmac8]` for a secret, counted."""
        with self._lock:
            self.counts[kind] += 1
        digest = hmac.digest(self._key, secret.encode("utf-8", "replace"), "sha256")
        return f"[REDACTED:{kind}:{digest[:4].hex()}]"

    def kind_of_key(self, key: str) -> str | None:
        """The kind of secret that a payload's key names under these settings, or None."""
        kind = kind_of_key(key)
        if kind is None and (not self._extra_keys or key.lower() not in self._extra_keys):
            return None
        return None if (kind or "key") in self.config.off else kind or "key"

    def attribute(self, name: str, value: Any) -> Any:
        """The value of one attribute; see `attributes`."""
        if self._allowed is not None and not self._allowed.match(name):
            return self._whole("not_allowed", value, 0)
        kind = kind_of_attribute(name) or ("key" if name.lower() in self._extra_keys else None)
        if kind is not None and kind not in self.config.off:
            return self._whole(kind, value, 0)
        return self._value(value, 0)

    def _value(self, value: Any, depth: int, *, parse: bool = True) -> Any:
        if isinstance(value, str):
            hits = self._hits(value) if len(value) >= _SHORTEST else ()
            return self._masked(value, hits, parse=parse) if hits else value
        if isinstance(value, dict | list | tuple):
            return self._container(value, depth, parse=parse) if depth < _DEEPEST else self.mark("too_deep", "")
        if isinstance(value, int) and not isinstance(value, bool) and value > _LARGEST_PLAIN:
            masked = self.text(str(value))
            return value if masked == str(value) else masked
        return value

    def _container(self, value: dict[Any, Any] | list[Any] | tuple[Any, ...], depth: int, *, parse: bool) -> Any:
        if isinstance(value, dict):
            told = named_value(value, self.kind_of_key)
            masked = {self._key_text(k): self._entry(k, v, depth + 1, parse=parse) for k, v in value.items()}
            if told is not None:
                masked[told[0]] = self._whole(told[1], value[told[0]], depth + 1)
            return masked
        named = following(value, self.kind_of_key)
        if len(value) >= _MANY and not named and self._innocent(value):
            return list(value)
        return [
            self._whole(named[n], entry, depth + 1) if n in named else self._value(entry, depth + 1, parse=parse)
            for n, entry in enumerate(value)
        ]

    def _innocent(self, entries: Sequence[Any]) -> bool:
        """Whether one look at many texts and numbers, a line each, shows that none is a secret.

        Where a rule may hit, only those are looked at further that reach over no line's end.
        """
        if not all(isinstance(entry, str | int | float | None) for entry in entries):
            return False
        text = "\n".join(map(str, entries))
        for index in self._hits(text):
            if index >= len(self._patterns):
                return False
            pattern, regex, group = self._patterns[index]
            accept = pattern.accept
            if not pattern.within_line or accept is None or any(accept(hit[group]) for hit in regex.finditer(text)):
                return False
        return True

    def _key_text(self, key: Any) -> Any:
        return self.text(key) if isinstance(key, str) else key

    def _entry(self, key: Any, value: Any, depth: int, *, parse: bool) -> Any:
        kind = self.kind_of_key(key) if isinstance(key, str) else None
        return self._value(value, depth, parse=parse) if kind is None else self._whole(kind, value, depth)

    def _whole(self, kind: str, value: Any, depth: int, mark: Mark | None = None) -> Any:
        """Every leaf under a secret's key is masked; the structure around the leaves stays."""
        if value is None or isinstance(value, bool) or value in ("", 0):
            return value
        if isinstance(value, dict | list | tuple) and depth < _DEEPEST:
            if isinstance(value, dict):
                return {self._key_text(k): self._whole(kind, v, depth + 1, mark) for k, v in value.items()}
            return [self._whole(kind, entry, depth + 1, mark) for entry in value]
        if isinstance(value, str) and is_mark(value):
            return value
        return (mark or self.mark)(kind, value if isinstance(value, str) else json.dumps(value, default=str))

    def _masked(self, text: str, hits: Sequence[int], *, parse: bool) -> str:
        """Mask until nothing changes: what stood glued to a secret may be one itself once the first is gone.

        Where nothing is masked the text stays as it was sent, also where it holds escapes that need none.
        """
        if "\\u00" in text and (plain := unescaped(text)) != text:
            hits = self._hits(plain)
            masked = self._masked(plain, hits, parse=parse) if hits else plain
            return text if masked == plain else masked
        for _ in range(_ROUNDS):
            before = text
            text, settled = self._mask_once(text, hits, parse=parse)
            if settled or text == before:
                break
            hits = self._hits(MARK.sub("]", text))  # that a mark reads `token:` or `card:` is no hit
            if not hits:
                break
        else:  # a chain of secrets, each glued to the one before: what is left of it goes as one
            text = _GLUED.sub(lambda found: self.mark("glued", found[0]), text)
        return text

    def _mask_once(self, text: str, hits: Sequence[int], *, parse: bool) -> tuple[str, bool]:
        """The text after each rule was applied once, and whether a second time is known to change nothing: where only
        whole values of JSON were masked, nothing is glued to them.
        """
        keyed, settled = len(self._patterns), False
        parsed = self._parsed(text) if parse and (keyed in hits or self._number in hits) else None
        if parsed is not None:
            text, settled = parsed
        elif keyed in hits:
            text = mask_keyed(text, self.kind_of_key, self.mark)
        for index in sorted(hits):
            if index < keyed:
                before = text
                text = self._mask_pattern(text, *self._patterns[index])
                settled = settled and text == before
        return text, settled

    def _parsed(self, text: str) -> tuple[str, bool] | None:
        """The text with key rules applied to the JSON in it, and whether no text inside it was touched; None where it
        is not a JSON object or array, or holds more than `MOST_HITS` secrets: then the rules for text apply, which mask
        the rest as one.

        Rules by value look at the whole text later; only numbers are masked here, so that the text stays JSON.
        """
        if text.lstrip()[:1] not in ("{", "["):
            return None
        walk = Walk(self.mark)
        try:
            value = json.loads(text, object_pairs_hook=walk.object)
            masked = self._by_key(value, 0, walk)
        except (ValueError, RecursionError):
            return None
        if masked is not value or walk.doubled:  # nobody has looked at the value that a key had before its last
            text = json.dumps(masked, ensure_ascii=False)
        return text, walk.only_whole

    def _by_key(self, value: Any, depth: int, walk: Walk) -> Any:
        """A parsed value with key rules applied, also in text inside it; the same object where nothing changed."""
        if isinstance(value, str):
            if _SEPARATORS.isdisjoint(value) or len(self._patterns) not in self._hits(value):
                return value
            masked: Any = mask_keyed(value, self.kind_of_key, walk.mark)
            walk.only_whole &= masked == value
            return masked
        if isinstance(value, dict):
            changed = {}
            told = named_value(value, self.kind_of_key)
            for key, entry in value.items():
                kind = told[1] if told is not None and key == told[0] else self.kind_of_key(key)
                new = (
                    self._by_key(entry, depth + 1, walk)
                    if kind is None
                    else self._whole(kind, entry, depth + 1, walk.mark)
                )
                if new is not entry:
                    changed[key] = new
            return {**value, **changed} if changed else value
        if isinstance(value, list):
            named = following(value, self.kind_of_key)
            masked = [
                self._whole(named[n], entry, depth + 1, walk.mark)
                if n in named
                else self._by_key(entry, depth + 1, walk)
                for n, entry in enumerate(value)
            ]
            return value if all(map(is_, masked, value)) else masked
        masked = self._value(value, depth)
        walk.only_whole &= masked is value
        return masked

    def _mask_pattern(self, text: str, pattern: Pattern, regex: re.Pattern[str], group: str | int) -> str:
        accept, rejected = pattern.accept or len, 0
        start, end = pattern.stretch(text)
        part = text[start:end]
        pieces, done = [text[:start]], 0
        for match in regex.finditer(part):
            found = match[group]
            length = accept(found)
            if (not length and rejected < MOST_LOOKED_AT) or is_mark(found):
                rejected += 1
                continue
            at = match.start(group)
            if len(pieces) > 2 * MOST_HITS or not length:
                return "".join([*pieces, part[done:at], self.mark(pattern.kind, text[start + at :])])
            quote = _quote_of_number(part, at) if found.isdecimal() else ""
            pieces += [part[done:at], f"{quote}{self.mark(pattern.kind, found[:length])}{quote}"]
            done = at + length
        return "".join([*pieces, part[done:], text[end:]]) if done else text


_GLUED = re.compile(r"(?<=[0-9a-f]{8}\])[A-Za-z0-9+/=_.\-]{5,}")
"""What stands right behind a mark."""

_SEPARATORS = frozenset(":=%>,")
"""One of these stands in every text to which a key rule applies."""

_BEFORE_NUMBER = re.compile(r"(\\{0,7}\")\s{0,4}:\s{0,4}(?:\[\s{0,4})?\Z")


def _quote_of_number(text: str, start: int) -> str:
    """The quote that a mark needs in place of a bare JSON number, in JSON that was cut and cannot be parsed."""
    found = _BEFORE_NUMBER.search(text, max(0, start - 24), start)
    return found[1] if found else ""
