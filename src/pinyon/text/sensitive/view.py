"""A text as recognisers read it: without what hides, in plain characters, places kept.

Sensitive things are written next to Chinese, in full-width digits, and with characters inside that
nobody sees. A view undoes all that, one character for one, so that a pattern needs to know only
ASCII; and it knows where in the text each of its characters stands.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
    "\u0300-\u036f]"
)
"""What shows nothing of its own: zero-width and soft characters, directions, marks, tags."""

_SPACES = (0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63"
_WRITTEN_OTHERWISE = (
    range(0xFF01, 0xFF5F),  # full-width
    range(0x1D400, 0x1D800),  # mathematical letters and digits
    range(0x2460, 0x2469),  # digits in circles
    range(0x24B6, 0x24EA),  # letters in circles
)
_OTHER_DIGITS = (0x0660, 0x06F0, 0x0966, 0x09E6, 0x0E50)


def _plain() -> Iterator[tuple[int, str]]:
    yield from ((space, " ") for space in _SPACES)
    yield from ((ord(dash), "-") for dash in _DASHES)
    for zero in _OTHER_DIGITS:
        yield from ((zero + digit, str(digit)) for digit in range(10))
    for block in _WRITTEN_OTHERWISE:
        for code in block:
            plain = unicodedata.normalize("NFKC", chr(code))
            if len(plain) == 1 and plain.isascii():
                yield code, plain


PLAIN = dict(_plain())


@dataclass(frozen=True, slots=True)
class View:
    """A text to be matched, and the way back.

    Attributes:
        text: The text in plain characters.
        lower: The same in lower case, character for character.
        places: For each character its place in the original; `None` where it is the same.
    """

    text: str
    lower: str
    places: tuple[int, ...] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where `text[start:end]`, which is not empty, stands in the original."""
        if self.places is None:
            return start, end
        return self.places[start], self.places[end - 1] + 1


def view_of(text: str) -> View:
    """Return a text as recognisers read it; a plain ASCII text is its own view."""
    if text.isascii():
        return View(text, text.lower(), None)
    places = None
    if HIDDEN.search(text):
        places = tuple(place for place, character in enumerate(text) if not HIDDEN.match(character))
        text = HIDDEN.sub("", text)
    plain = text.translate(PLAIN)
    lower = plain.lower()
    if len(lower) != len(plain):
        lower = "".join(
            one if len(one) == 1 else character
            for character, one in zip(plain, map(str.lower, plain), strict=True)
        )
    return View(plain, lower, places)
