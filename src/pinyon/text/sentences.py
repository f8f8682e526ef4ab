"""A message that asks for two things at once, taken apart."""

import re

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
