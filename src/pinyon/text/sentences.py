"""Sentences: where they are, and a message that asks for two things at once, taken apart."""

import re
from itertools import pairwise

from pinyon.text.tokens import question_terms

PARTS_MAX = 3
WORDS_MIN = 2
CHARS_MAX = 400
"""Somebody who writes more than that rambles, and asks for one thing."""

_END = re.compile(
    r"(?<=[.?!;])\s+|(?<=[。？！；])\s*|\n+"
    r"|,?\s+and\s+(?=(?:which|what|who|whose|where|when|why|how)\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(r"(?:and\s+)?(?:which|what|who|whose|where|when|why|how)\b", re.IGNORECASE)
_BOUND = re.compile(r"(?<=[.?!;…])\s+|(?<=[。？！；])|\n+")


def parts_of(question: str) -> tuple[str, ...]:
    """Return what a short message says or asks one after the other; nothing where it is one thing.

    "I never set it up. Which devices do I have?" is answered by what answers either, and so is
    "which hub and which phone do I have?".
    """
    if len(question) > CHARS_MAX:
        return ()
    sentences = [part for part in _END.split(question.strip()) if part]
    asking = [part for part in sentences if len(question_terms(part).words) >= WORDS_MIN]
    return tuple(asking) if 2 <= len(asking) <= PARTS_MAX else ()


def asks(part: str) -> bool:
    """Return whether a part of a message asks for something, and does not only lead up to it."""
    return part.rstrip().endswith(("?", "？")) or _ASKS.match(part) is not None


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where each sentence begins and ends, in characters, without the blanks around it."""
    bounds = [0, *(match.end() for match in _BOUND.finditer(text)), len(text)]
    spans = []
    for start, end in pairwise(bounds):
        inner = text[start:end]
        left = start + len(inner) - len(inner.lstrip())
        right = start + len(inner.rstrip())
        if left < right:
            spans.append((left, right))
    return spans
