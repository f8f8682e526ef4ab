"""Which clauses of a sentence are meant: how far a guess, a joke or a question goes."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pinyon.text.statements.rules import Language

Span = tuple[int, int]


def doubtful(text: str, parts: Sequence[Span], language: Language) -> list[Span]:
    """Return the clauses of a sentence that are not meant as they stand, in their order.

    A guess makes its own clause doubtful, and the one before it where it leans on that ("it might
    be dust"); one by itself ("I think") both of its neighbours; a supposition all that follows, up
    to a turn ("but"); a joke all that came before it. "And" passes all of that on.

    Args:
        text: The text that the sentence stands in.
        parts: Where its clauses begin and end, in their order.
        language: Its language.
    """
    last = len(parts) - 1
    turns = _turns(text, parts, language)
    spoilt = {
        each
        for at, (start, end) in enumerate(parts)
        for each in _reach(at, text[start:end], turns, language)
    }
    for at in range(1, last + 1):
        if at - 1 in spoilt and language.joins.fullmatch(text, parts[at - 1][1], parts[at][0]):
            spoilt.add(at)
    return [parts[at] for at in sorted(spoilt) if 0 <= at <= last]


def _reach(at: int, said: str, turns: Sequence[int], language: Language) -> Iterator[int]:
    """Yield the places of the clauses that one makes doubtful; there may be none at a place."""
    if language.jokes.search(said):
        yield from range(at + 1)
    if language.supposes.search(said):
        begins = at if at in turns else at - 1
        yield from range(begins, min(turn for turn in turns if turn > at))
    if language.doubts.search(said):
        yield at
        is_bare = language.hedge.fullmatch(said) is not None
        if is_bare or language.leans.match(said):
            yield at - 1
        if is_bare:
            yield at + 1


def _turns(text: str, parts: Sequence[Span], language: Language) -> list[int]:
    """Return the places of the clauses that turn from what came before, and the end."""
    turning = [
        at
        for at, ((_, end), (start, _)) in enumerate(pairwise(parts), start=1)
        if language.turn.search(text, end, start)
    ]
    return [*turning, len(parts)]


def meant_before_a_question(
    text: str, parts: Sequence[Span], language: Language, *, is_asked: bool
) -> Sequence[Span]:
    """Return the clauses that say something before a sentence asks; none where it asks of them.

    "I live in Leeds, where can I swim?" says where; "I live in Leeds, right?" does not.

    Args:
        text: The text that the sentence stands in.
        parts: Where its clauses begin and end, in their order.
        language: Its language.
        is_asked: Whether the sentence ends with a question mark.
    """
    for at, (start, end) in enumerate(parts):
        tells = at > 0 and not is_asked and language.relative.match(text, start, end)
        if not tells and language.asks.match(text, start, end):
            is_of_them = language.confirms.search(text, start, end) is not None
            return () if is_of_them else parts[:at]
    return () if is_asked else parts
