"""A shorter text for a long one: some of its own sentences and lines, as they stand.

Nothing is reworded, so that nothing is invented: no name and no number is in a summary that is not
in its text.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

from pinyon.domain.memory import Summary
from pinyon.text.facets import tells_of_error
from pinyon.text.orders import gives_orders
from pinyon.text.quoting import naming_words
from pinyon.text.sentences import sentence_spans
from pinyon.text.tokens import is_literal, question_terms

SUMMARISED_CHARS = 1_200
"""A text that is longer has a summary: what takes up to three passages is read whole."""

SUMMARY_CHARS = 480
"""How long a summary may be: about 120 tokens, a little more than one passage."""

RULES = "rules@1"
"""What a summary is made by where no model made it."""

LEFT_OUT = " … "
"""Stands between two pieces where something is left out."""

PIECE_CHARS_MAX = 240
"""A longer sentence is taken apart, so that a summary has room for two pieces at least."""

PIECE_CHARS_MIN = 8
"""What is shorter says nothing by itself: a bracket, a rule between sections."""

BLANKS_MAX = 16
"""White space between two pieces up to which they stand together as they are: an indentation."""

PIECES_MAX = 8
"""How many pieces a summary may have: more of them are a heap of crumbs."""

WRAPPED_CHARS = 60
"""A line that is longer, ends no sentence and goes on in small letters was broken for its width."""

NAMING = 1.25
"""How much more a piece counts that has a name or a number."""

WORDS_SHARED_MIN = 0.5
"""Of the words of a summary that somebody else made, how many stand in its text at least."""

_COVER = "█"
_END_OF_CLAUSE = re.compile(r"(?<=[,;:–—])\s+|(?<=[，、；：])|(?<=[,}\]])(?=[\"{\[])")
_BLANK = re.compile(r"\s+")
_IDEOGRAPH = r"[\u3040-\u30ff\u4e00-\u9fff]"
_BETWEEN_IDEOGRAPHS = re.compile(f"(?<={_IDEOGRAPH})(?={_IDEOGRAPH})")
_NAME = re.compile(r"\s[A-Z][a-z]")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence, a line, or a part of one too long.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        takes: How many characters of a summary it takes, with what stands behind it.
        words: What it says, without the words of grammar.
        is_naming: It has a name or a number.
    """

    start: int
    end: int
    takes: int
    words: frozenset[str]
    is_naming: bool


def summarised(text: str) -> Summary | None:
    """Return the summary that rules make of a text; `None` where it has none."""
    said = summary_of(text)
    return Summary(said, RULES) if said else None


def summary_of(text: str) -> str:
    """Return the sentences and lines of a text that say most of it; "" where it is short.

    Its first piece is in; of what tells of an error the last and the first; of a text of lines (a
    log, a table, code) the last line. Then come those whose words the whole text uses most, where
    a word that is in already counts no more. What was covered by forgetting is left out.

    The time that it takes grows with the length of the text.

    Returns:
        At most `SUMMARY_CHARS` characters, or "". Whatever stands between two `LEFT_OUT` stands in
        the text to the letter.

    Source:
        Nenkova and Vanderwende, "The Impact of Frequency on Summarization", 2005 (SumBasic); there
        the mean of a piece's words, which prefers fragments: here it is their sum over the root of
        their number.
    """
    if len(text) <= SUMMARISED_CHARS:
        return ""
    return quoted(text, pieces_of(text))


def refusal(summary: str, original: str) -> str:
    """Return why a summary that somebody else made is not to be taken, in a word; "" where it is.

    Its names and numbers stand in the text, to the letter, and of all of its words a half do.
    """
    if not summary.strip():
        return "empty"
    if len(summary) > SUMMARY_CHARS:
        return "too_long"
    if gives_orders(summary):
        return "gives_orders"
    held = set(question_terms(original).words)
    words = set(question_terms(summary).words)
    numbers = {word for word in words if any(character.isdigit() for character in word)}
    # Behind a mark the first word counts too: it may be a name, and who can tell.
    if not naming_words(f"- {summary}") | numbers <= held:
        return "not_in_words"
    if not words or len(words & held) < WORDS_SHARED_MIN * len(words):
        return "not_in_words"
    return ""


def pieces_of(text: str) -> list[Span]:
    """Return where the pieces stand of which a summary of a text consists, however short it is."""
    spans = _unwrapped(text, sentence_spans(text))
    pieces = _pieces(text, spans)
    chosen: set[int] = set()
    room = SUMMARY_CHARS
    for place in _foremost(text, pieces, is_of_lines=_is_of_lines(text, spans)):
        if place not in chosen and pieces[place].takes <= room:
            chosen.add(place)
            room -= pieces[place].takes
    _fill(chosen, pieces, room)
    return [(pieces[place].start, pieces[place].end) for place in sorted(chosen)]


def quoted(text: str, spans: Sequence[Span]) -> str:
    """Return spans of a text one behind the other, with `LEFT_OUT` where something is left out."""
    said = ""
    for place, (start, end) in enumerate(spans):
        if place:
            between = text[spans[place - 1][1] : start]
            is_beside = len(between) <= BLANKS_MAX and not between.strip()
            said += between if is_beside else LEFT_OUT
        said += text[start:end]
    return said


def _unwrapped(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return sentences with those whole again that a line's width had broken."""
    whole: list[Span] = []
    for start, end in spans:
        if whole:
            begun, broken = whole[-1]
            last_line = max(begun, text.rfind("\n", begun, broken) + 1)
            goes_on = text[broken:start] == "\n" and text[start].islower()
            if goes_on and broken - last_line > WRAPPED_CHARS:
                whole[-1] = (begun, end)
                continue
        whole.append((start, end))
    return whole


def _pieces(text: str, spans: Sequence[Span]) -> list[_Piece]:
    parts = [part for span in spans for part in _parts(text, *span)]
    pieces = []
    for (start, end), (after, _) in pairwise([*parts, (len(text), len(text))]):
        said = text[start:end]
        if len(said) < PIECE_CHARS_MIN or _COVER in said:
            continue
        words = frozenset(question_terms(said).words)
        is_naming = bool(_NAME.search(said)) or any(is_literal(word) for word in words)
        takes = len(said) + max(len(LEFT_OUT), min(after - end, BLANKS_MAX))
        pieces.append(_Piece(start, end, takes, words, is_naming))
    return pieces


def _parts(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield a sentence in parts that are short enough, cut between clauses, else words.

    A word that is longer than a part (a key, a picture in letters) says nothing and is left out.
    """
    while end - start > PIECE_CHARS_MAX:
        cut = _cut(text, start)
        if cut is None:
            blank = _BLANK.search(text, start, end)
            if blank is None:
                return
            start = blank.end()
            continue
        yield start, start + len(text[start:cut].rstrip())
        start = cut
    yield start, end


def _cut(text: str, start: int) -> int | None:
    window_end = start + PIECE_CHARS_MAX
    for pattern, earliest in (
        (_END_OF_CLAUSE, PIECE_CHARS_MAX // 4),
        (_BLANK, 1),
        (_BETWEEN_IDEOGRAPHS, 1),
    ):
        ends = [match.end() for match in pattern.finditer(text, start + earliest, window_end)]
        if ends:
            return ends[-1]
    return None


def _is_of_lines(text: str, spans: Sequence[Span]) -> bool:
    """Return whether hardly a sentence stands beside another in its line."""
    ends = sum("\n" in text[end:start] for (_, end), (start, _) in pairwise(spans))
    return 4 * ends >= 3 * (len(spans) - 1)


def _foremost(text: str, pieces: Sequence[_Piece], *, is_of_lines: bool) -> list[int]:
    """Return what is in before any word is counted, the weightiest first."""
    if not pieces:
        return []
    errors = [
        place for place, one in enumerate(pieces) if tells_of_error(text[one.start : one.end])
    ]
    last_line = [len(pieces) - 1] if is_of_lines else []
    return [0, *errors[-1:], *last_line, *errors[:1]]


def _fill(chosen: set[int], pieces: Sequence[_Piece], room: int) -> None:
    """Choose more pieces, by what they say that is not said yet, as long as one fits."""
    counts = Counter(word for one in pieces for word in one.words)
    said = {word for place in chosen for word in pieces[place].words}

    def score(place: int) -> float:
        one = pieces[place]
        new = sum(counts[word] for word in one.words if word not in said)
        return new / sqrt(len(one.words)) * (NAMING if one.is_naming else 1.0)

    while len(chosen) < PIECES_MAX:
        fitting = [
            place for place, one in enumerate(pieces) if one.takes <= room and not one.words <= said
        ]
        if not fitting:
            return
        best = max(fitting, key=score)
        chosen.add(best)
        said |= pieces[best].words
        room -= pieces[best].takes
