"""Numbers that stand for a person or an account: cards, IBANs, identity numbers, Chinese mobiles.

Each has a form, and nearly each a checksum, so that order numbers, timestamps and hashes stay.
"""

import re
from collections.abc import Iterator
from datetime import date

from pinyon.text.sensitive.view import View

Span = tuple[int, int]

_BEFORE = r"(?<![0-9A-Za-z_])(?<![0-9]\.)"
_AFTER = r"(?![0-9A-Za-z_]|\.[0-9])"

# One group of 13-19 digits, or groups as cards have them, with one sort of separator.
_CARD = re.compile(
    rf"{_BEFORE}(?:[0-9]{{13,19}}{_AFTER}"
    r"|[0-9]{4}(?P<by>[ -])[0-9]{4}(?P=by)[0-9]{4}(?P=by)[0-9]{4}(?:(?P=by)[0-9]{2,3})?"
    r"(?![0-9A-Za-z_])"
    r"|3[0-9]{3}(?P<or>[ -])[0-9]{6}(?P=or)[0-9]{5}(?![0-9A-Za-z_]))"
)
_SHORT_VISA = 13
_CARD_NEAR = re.compile(r"card|visa|卡", re.IGNORECASE)

# Only looked at, not taken: what follows may be another one.
_IBAN = re.compile(r"(?<![A-Za-z0-9])(?=(?P<run>[A-Za-z]{2}[0-9]{2}(?:[ -]?[A-Za-z0-9]){11,30}))")
_IBAN_LENGTHS = {
    country: int(length)
    for length, countries in {
        15: "NO", 16: "BE", 18: "DK FI FO GL NL SD", 19: "MK SI",
        20: "AT BA EE KZ LT LU XK MN", 21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR",
        27: "BI DJ FR GR IT MC MR SM", 28: "AL AZ BY CY DO GT HU LB NI PL SV",
        29: "BR EG PS QA UA", 30: "JO KW MU", 31: "MT SC", 32: "LC", 33: "RU",
    }.items()
    for country in countries.split()
}  # fmt: skip
"""Source: the IBAN registry of SWIFT (ISO 13616)."""

_SSN_PARTS = r"(?!000|666|9[0-9]{2})[0-9]{3}%s(?!00)[0-9]{2}%s(?!0000)[0-9]{4}"
_SSN = re.compile(r"(?<![0-9A-Za-z_-])" + _SSN_PARTS % ("-", "-") + r"(?![0-9A-Za-z_]|-[0-9])")
_SSN_NAMED = re.compile(
    r"(?<![A-Za-z])(?:ssn|social[ -]security)[^0-9\n]{0,25}(?P<value>"
    + _SSN_PARTS % ("[ .-]?", "[ .-]?")
    + ")(?![0-9A-Za-z_]|-[0-9])",
    re.IGNORECASE,
)

_CN_IDENTITY = re.compile(
    rf"{_BEFORE}[1-8][0-9]{{5}}[ -]?(?:18|19|20)[0-9]{{2}}[0-9]{{4}}[ -]?[0-9]{{3}}[0-9Xx]"
    r"(?![0-9A-Za-z_])"
)
_CN_IDENTITY_OLD = re.compile(r"身份证[^0-9\n]{0,10}(?P<value>[1-8][0-9]{14})(?![0-9A-Za-z_])")
_CN_PLACES = frozenset(
    number
    for block in ((11, 15), (21, 23), (31, 37), (41, 46), (50, 54), (61, 65), (71, 71), (81, 83))
    for number in range(block[0], block[1] + 1)
)
_CN_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)

_CN_MOBILE = re.compile(
    r"(?<![0-9A-Za-z_+$¥€£])(?<![0-9][.-])"
    r"(?:\+?86[ -]?|0086[ -]?|\(\+?86\) ?|(?<=\+)86[ -]?)?"
    r"1[3-9][0-9](?:[0-9]{8}|(?P<by>[ -])[0-9]{4}(?P=by)[0-9]{4})"
    rf"{_AFTER}(?!-[0-9]| ?(?:bytes|rows|元|美元|ms|字节))"
)
_NOT_DIGITS = re.compile("[^0-9]")
_NOT_ALNUM = re.compile("[^0-9A-Za-z]")


def find_cards(view: View) -> Iterator[Span]:
    """Yield where numbers of payment cards stand: a known range, a length of it, and Luhn's sum."""
    for match in _CARD.finditer(view.text):
        digits = _NOT_DIGITS.sub("", match[0])
        if not is_card(digits):
            continue
        before = view.text[max(0, match.start() - 30) : match.start()]
        if len(digits) > _SHORT_VISA or _CARD_NEAR.search(before):
            yield match.span()


def is_card(digits: str) -> bool:
    """Return whether digits are a card's number."""
    return len(digits) in _card_lengths(digits) and _luhn(digits)


def _card_lengths(digits: str) -> tuple[int, ...]:
    head = int(digits[:4])
    if digits[0] == "4":
        return (_SHORT_VISA, 16, 19)
    if 5100 <= head < 5600 or 2221 <= head <= 2720 or 3528 <= head < 3590:
        return (16,)
    if head // 100 in (34, 37):
        return (15,)
    if head == 6011 or head // 100 in (62, 65) or 6440 <= head < 6500:
        return (16, 17, 18, 19)
    return ()


def _luhn(digits: str) -> bool:
    """Source: ISO/IEC 7812-1, annex B."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (1 + place % 2)
        total += doubled // 10 + doubled % 10
    return total % 10 == 0


def find_ibans(view: View) -> Iterator[Span]:
    """Yield where IBANs stand: a country, its length, and the remainder of 97."""
    for match in _IBAN.finditer(view.text):
        run = match["run"]
        end = _end_of(run, _IBAN_LENGTHS.get(run[:2].upper(), 0))
        if end and _is_iban(_NOT_ALNUM.sub("", run[:end])):
            yield match.start(), match.start() + end


def _end_of(run: str, length: int) -> int:
    """Return where `length` letters and digits of a run end; 0 where they do not, or not there."""
    count = 0
    for place, character in enumerate(run):
        count += character.isalnum()
        if length and count == length:
            return 0 if run[place + 1 : place + 2].isalnum() else place + 1
    return 0


def _is_iban(iban: str) -> bool:
    return int("".join(str(int(character, 36)) for character in iban[4:] + iban[:4])) % 97 == 1


def find_ssns(view: View) -> Iterator[Span]:
    """Yield where US social security numbers stand; without hyphens only where named so."""
    yield from (match.span() for match in _SSN.finditer(view.text))
    if "ssn" in view.lower or "social" in view.lower:
        yield from (match.span("value") for match in _SSN_NAMED.finditer(view.text))


def find_cn_identities(view: View) -> Iterator[Span]:
    """Yield where Chinese identity numbers stand: a place, a day of birth, and a checksum."""
    for match in _CN_IDENTITY.finditer(view.text):
        if is_cn_identity(_NOT_ALNUM.sub("", match[0])):
            yield match.span()
    if "身份证" in view.text:
        for match in _CN_IDENTITY_OLD.finditer(view.text):
            if _is_born(match["value"], "19" + match["value"][6:12]):
                yield match.span("value")


def is_cn_identity(number: str) -> bool:
    """Return whether 18 characters are an identity number.

    Source: GB 11643-1999; the last character is that of ISO 7064, MOD 11-2.
    """
    total = sum(int(digit) * weight for digit, weight in zip(number[:17], _CN_WEIGHTS, strict=True))
    return "10X98765432"[total % 11] == number[17].upper() and _is_born(number, number[6:14])


def _is_born(number: str, day: str) -> bool:
    try:
        date(int(day[:4]), int(day[4:6]), int(day[6:]))
    except ValueError:
        return False
    return int(number[:2]) in _CN_PLACES


def find_cn_mobiles(view: View) -> Iterator[Span]:
    """Yield where Chinese mobile numbers stand."""
    yield from (match.span() for match in _CN_MOBILE.finditer(view.text))
