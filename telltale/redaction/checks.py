"""Checksums and second looks: what a pattern found is masked only as far as these agree.

Each takes the text found and returns how many of its characters are the secret, 0 for none.
"""

from __future__ import annotations

import base64
import binascii

_IBAN_LENGTH = {
    **dict.fromkeys(("NO",), 15),
    **dict.fromkeys(("BE",), 16),
    **dict.fromkeys(("DK", "FO", "FI", "GL", "NL", "FK", "SD"), 18),
    **dict.fromkeys(("MK", "SI"), 19),
    **dict.fromkeys(("AT", "BA", "EE", "KZ", "LT", "LU", "XK", "MN"), 20),
    **dict.fromkeys(("CH", "HR", "LI", "LV", "CR"), 21),
    **dict.fromkeys(("BG", "BH", "DE", "GB", "GE", "IE", "ME", "RS", "VA"), 22),
    **dict.fromkeys(("AE", "GI", "IL", "IQ", "TL", "OM", "SO"), 23),
    **dict.fromkeys(("AD", "CZ", "ES", "MD", "PK", "RO", "SA", "SE", "SK", "TN", "VG"), 24),
    **dict.fromkeys(("PT", "ST"), 25),
    **dict.fromkeys(("IS", "TR"), 26),
    **dict.fromkeys(("FR", "GR", "IT", "MC", "MR", "SM", "BI", "DJ"), 27),
    **dict.fromkeys(("AL", "AZ", "BY", "CY", "DO", "GT", "HU", "LB", "PL", "SV", "NI"), 28),
    **dict.fromkeys(("BR", "EG", "PS", "QA", "UA"), 29),
    **dict.fromkeys(("JO", "KW", "MU", "YE"), 30),
    **dict.fromkeys(("MT", "SC"), 31),
    **dict.fromkeys(("LC",), 32),
    **dict.fromkeys(("RU",), 33),
}
"""Length by country (SWIFT IBAN registry)."""

_SHORTEST_BEARER = 16


def card(found: str) -> int:
    """A payment card number: an issuer's prefix, its length, and the Luhn digit (ISO/IEC 7812-1).

    The digit comes first: it costs least, and nine of ten numbers that are no cards fail it.
    """
    digits = found
    if not found.isdecimal():
        digits = found.replace("%20", "").replace(" ", "").replace("-", "").replace("+", "")
    return len(found) if _luhn(digits) and _issued(digits) else 0


def _issued(digits: str) -> bool:
    head2, head3, head4, length = int(digits[:2]), int(digits[:3]), int(digits[:4]), len(digits)
    if length == 16:
        return (
            digits[0] == "4"
            or 51 <= head2 <= 55
            or 2221 <= head4 <= 2720
            or head4 == 6011
            or head2 == 65
            or 644 <= head3 <= 649
            or 3528 <= head4 <= 3589
        )
    if length == 15:
        return head2 in (34, 37)
    return length == 14 and (300 <= head3 <= 305 or head2 in (36, 38))


_DIGITS = b"0123456789"
_VALUE = bytes.maketrans(_DIGITS, bytes(range(10)))
_DOUBLED = bytes.maketrans(_DIGITS, bytes((0, 2, 4, 6, 8, 1, 3, 5, 7, 9)))
"""A digit -> the digit sum of its double."""


def _luhn(digits: str) -> bool:
    raw = digits.encode()
    return (sum(raw[-1::-2].translate(_VALUE)) + sum(raw[-2::-2].translate(_DOUBLED))) % 10 == 0


_NUMBER = {letter: str(ord(letter) - ord("A") + 10) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_NUMBER |= {digit: digit for digit in "0123456789"}
"""A letter or digit of an account number -> its value in decimal (ISO 13616-1: A is 10)."""

_COUNTRY = {country: _NUMBER[country[0]] + _NUMBER[country[1]] for country in _IBAN_LENGTH}


def iban(found: str) -> int:
    """An international bank account number: the country's length, and remainder 1 modulo 97 (ISO 13616-1)."""
    length = _IBAN_LENGTH.get(found[:2])
    if length is None:
        return 0
    plain = found.replace(" ", "")[:length]
    if len(plain) != length:
        return 0
    account = plain[4:]
    if not account.isdecimal():
        account = "".join([_NUMBER[character] for character in account])
    if int(account + _COUNTRY[found[:2]] + plain[2:4]) % 97 != 1:
        return 0
    end = taken = 0
    for end, character in enumerate(found, 1):  # noqa: B007 (used after the loop)
        taken += character != " "
        if taken == length:
            break
    return end


def with_digit(found: str) -> int:
    """A generated token holds a digit; a hyphenated English phrase does not."""
    return len(found) if any(c.isdigit() for c in found) else 0


def bearer(found: str) -> int:
    """What follows `Bearer` is a token, not the next word of a sentence."""
    return len(found) if len(found) >= _SHORTEST_BEARER and with_digit(found) else 0


def basic(found: str) -> int:
    """What follows `Basic` is base64 of `user:password` (RFC 7617 §2)."""
    plain = found.replace("%3D", "=").replace("%3d", "=").rstrip("=")
    try:
        decoded = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return 0
    return len(found) if b":" in decoded else 0


def blob(found: str) -> int:
    """More than a kilobyte without a break is an encoded file, not text."""
    return len(found) if len(found) >= 1024 else 0


def argument(found: str) -> int:
    """The value of a command line's flag; a plain word after `--token` is most often prose or a placeholder."""
    return 0 if found.isalpha() and (found.islower() or found.isupper()) else len(found)
