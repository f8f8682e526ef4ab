"""Cutting a text into the passages by which it is matched."""

import re

from pinyon.domain.memory import Passage

PASSAGES_MAX = 64
PASSAGE_CHARS = 400
TEXT_CHARS_MAX = PASSAGES_MAX * PASSAGE_CHARS

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])\s*|\n{2,}\s*")
_BLANK = re.compile(r"\s+")


def passages_of(text: str) -> tuple[Passage, ...]:
    """Return 1 to `PASSAGES_MAX` spans that cover the text, cut at sentence bounds.

    A span is about `PASSAGE_CHARS` long; longer where there would be too many of them. Spans do
    not overlap; white space between them belongs to the one before.
    """
    if len(text) <= PASSAGE_CHARS:
        return (Passage(0, 0, len(text)),)
    size = PASSAGE_CHARS
    spans = spans_of(text, size)
    while len(spans) > PASSAGES_MAX:
        size = size * 5 // 4
        spans = spans_of(text, size)
    return tuple(Passage(position, start, end) for position, (start, end) in enumerate(spans))


def spans_of(text: str, size: int) -> list[tuple[int, int]]:
    """Return spans of about `size` characters that cover a text, cut at sentence bounds.

    Only the white space behind it makes a span longer than that.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > size:
        end = _cut(text, start, size)
        spans.append((start, end))
        start = end
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def _cut(text: str, start: int, size: int) -> int:
    """Return where to end a span: at the last sentence, else the last blank, else at its size."""
    window_end = start + size
    end = window_end
    for pattern, earliest in ((_SENTENCE_END, size // 4), (_BLANK, size // 2)):
        ends = [match.end() for match in pattern.finditer(text, start + earliest, window_end + 1)]
        if ends:
            end = ends[-1]
            break
    while end < len(text) and text[end].isspace():
        end += 1
    return end
