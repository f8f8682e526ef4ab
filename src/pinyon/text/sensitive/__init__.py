"""What in a text is sensitive: secrets, numbers of persons and accounts, ways to reach somebody.

By form, checksum and the words before it; no model, no network. What form does not give away is
not found: a password that is a plain word, a name, a number without its check digit.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from pinyon.domain.policy import CATEGORIES, Category, Finding
from pinyon.text.sensitive.contacts import find_addresses, find_emails, find_phones
from pinyon.text.sensitive.keys import find_keys
from pinyon.text.sensitive.numbers import (
    find_cards,
    find_cn_identities,
    find_cn_mobiles,
    find_ibans,
    find_ssns,
)
from pinyon.text.sensitive.passwords import find_passwords
from pinyon.text.sensitive.view import View, view_of

Finder = Callable[[View], Iterator[tuple[int, int]]]

_ALWAYS: tuple[tuple[Category, Finder], ...] = (
    ("secret", find_keys),
    ("secret", find_passwords),
    ("email_address", find_emails),
)
# Whose form needs a digit: most chat has none.
_WITH_DIGITS: tuple[tuple[Category, Finder], ...] = (
    ("address", find_addresses),
    ("us_ssn", find_ssns),
    ("phone_number", find_phones),
)
_WITH_LONG_NUMBERS: tuple[tuple[Category, Finder], ...] = (
    ("credit_card", find_cards),
    ("iban_code", find_ibans),
    ("cn_identity", find_cn_identities),
    ("cn_mobile", find_cn_mobiles),
)
_DIGIT = re.compile("[0-9]")
_LONG_NUMBER = re.compile("[0-9](?:[^0-9]{0,3}[0-9]){6}")
_MARK = re.compile(r"\[redacted:[a-z_]{1,20}\]")


def find_sensitive(text: str) -> tuple[Finding, ...]:
    """Return what is sensitive in a text, in order, none overlapping another.

    Returns:
        Findings with places in `text` itself, whatever is hidden in it. A mark that says what was
        redacted is never part of one, so that looking again finds nothing new.
    """
    view = view_of(text)
    found = [
        Finding(category, *view.span(start, end))
        for category, finder in _finders(view.text)
        for start, end in finder(view)
    ]
    return settle(text, found) if found else ()


def settle(text: str, found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings in order and apart: of two that overlap the stronger category stands.

    Two of one category become one. What touches a mark of what was redacted is dropped.
    """
    taken = bytearray(len(text))
    for mark in _MARK.finditer(text):
        _take(taken, *mark.span())
    spans: dict[Category, list[tuple[int, int]]] = {category: [] for category in CATEGORIES}
    for one in found:
        if _is_free(taken, one.start, one.end):
            spans[one.category].append((one.start, one.end))
    settled = []
    for category, theirs in spans.items():
        for start, end in _joined(theirs):
            if _is_free(taken, start, end):
                _take(taken, start, end)
                settled.append(Finding(category, start, end))
    return tuple(sorted(settled, key=lambda one: one.start))


def _is_free(taken: bytearray, start: int, end: int) -> bool:
    return not any(taken[start:end])


def _take(taken: bytearray, start: int, end: int) -> None:
    taken[start:end] = b"\1" * (end - start)


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans in order, those that overlap as one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _finders(text: str) -> Iterator[tuple[Category, Finder]]:
    yield from _ALWAYS
    if _DIGIT.search(text):
        yield from _WITH_DIGITS
        if _LONG_NUMBER.search(text):
            yield from _WITH_LONG_NUMBERS
