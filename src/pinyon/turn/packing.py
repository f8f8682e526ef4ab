"""Packing: what goes into a budget of tokens, in the order of its weight; what does not is told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.turn import Cut, Entry
from pinyon.errors import InvalidValue
from pinyon.text.fencing import CLOSING, OPENING

BUDGET_TOKENS_MIN = 100
BUDGET_TOKENS_MAX = 200_000

CountTokens = Callable[[str], int]

SHORT_TOKENS_MIN = 48
"""What is shortened to less says nothing: its head alone takes half of that."""

_WORD_CHARS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What may go into a prompt.

    Attributes:
        line: It as a line, whole; made when it is looked at.
        passages: The spans of its text that it may be shortened to, best first; none where it may
            not.
        shortened: Returns it as a line that shows a part of its text.
        text: What the spans are of.
    """

    id: MemoryId | EventId
    line: Callable[[], str]
    text: str = ""
    passages: tuple[tuple[int, int], ...] = ()
    shortened: Callable[[str], str] = str
    is_history: bool = False


@dataclass(frozen=True, slots=True)
class Packed:
    """What fits, in the order in which it was given, what does not, and what it takes."""

    entries: tuple[Entry, ...]
    cut: tuple[Cut, ...]
    tokens: int


def checked_budget(value: int) -> int:
    """Return a budget of tokens.

    Raises:
        InvalidValue: It is no whole number in the range.
    """
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if is_whole and value in range(BUDGET_TOKENS_MIN, BUDGET_TOKENS_MAX + 1):
        return int(value)
    allowed = f"a whole number from {BUDGET_TOKENS_MIN} to {BUDGET_TOKENS_MAX:,}"
    raise InvalidValue("budget_tokens", value, allowed)


def around_tokens(count: CountTokens) -> int:
    """Return what the fence around lines takes."""
    return _tokens(OPENING, count) + _tokens(CLOSING, count)


def packed(candidates: Sequence[Candidate], *, budget: int, count: CountTokens) -> Packed:
    """Take what fits into a budget: the first first, whole; else its best passages; else nothing.

    What is smaller may still fit behind what was left out.

    Args:
        candidates: The weightiest first.
        budget: Tokens, each end of a line counted as one.
        count: How many tokens a text takes.
    """
    entries: list[Entry] = []
    cut: list[Cut] = []
    left = budget
    for one in candidates:
        entry = None if left < SHORT_TOKENS_MIN // 2 else _fitting(one, left, count)
        if entry is None:
            cut.append(Cut(id=one.id, because="budget"))
            continue
        if not entry.is_whole:
            cut.append(Cut(id=one.id, because="shortened"))
        entries.append(entry)
        left -= entry.tokens
    return Packed(tuple(entries), tuple(cut), budget - left)


def _fitting(one: Candidate, left: int, count: CountTokens) -> Entry | None:
    line = one.line()
    tokens = _tokens(line, count)
    entry = Entry(id=one.id, text=line, tokens=tokens, is_history=one.is_history)
    if tokens <= left:
        return entry
    if left < SHORT_TOKENS_MIN or not one.passages:
        return None
    short = _shortened(one, left, count)
    if short is None:
        return None
    return replace(entry, text=short, tokens=_tokens(short, count), is_whole=False)


def _shortened(one: Candidate, left: int, count: CountTokens) -> str | None:
    """Return a line with as many of the best passages as fit, in the order of the text."""
    spans: list[tuple[int, int]] = []
    best: str | None = None
    for span in one.passages:
        line = one.shortened(_joined(one.text, sorted([*spans, span])))
        if _tokens(line, count) > left:
            break
        spans, best = [*spans, span], line
    if best is not None:
        return best
    start, end = one.passages[0]
    while end - start > _WORD_CHARS:
        end = start + (end - start) // 2
        line = one.shortened(_joined(one.text, [(start, end)]))
        if _tokens(line, count) <= left:
            return line
    return None


def _tokens(line: str, count: CountTokens) -> int:
    return count(line) + 1 + line.count("\n")


def _joined(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return spans of a text in its order, with … where something is left out."""
    parts = ["…"] if spans[0][0] > 0 else []
    for place, (start, end) in enumerate(spans):
        if place and start > spans[place - 1][1] + 1:
            parts.append("…")
        parts.append(text[start:end].strip())
    if spans[-1][1] < len(text.rstrip()):
        parts.append("…")
    return " ".join(parts)
