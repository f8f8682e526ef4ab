"""Which words of a question say what it is about, and which ones only make it a question."""

import re

from pinyon.text.stopwords import ENGLISH

_WORD = re.compile(r"\w+(?:['’]\w+)*")


def content_spans(question: str) -> list[tuple[int, int]]:
    """Return where the words of a question stand that carry its subject.

    "When is the party?" is like a thousand other questions in every word but one.
    """
    return [
        match.span()
        for match in _WORD.finditer(question)
        if match[0].lower().replace("’", "'") not in ENGLISH
    ]
