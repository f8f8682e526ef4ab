"""Packing: what goes into a budget of tokens, in the order of its weight; what does not is told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.turn import Cut, Entry
from pinyon.errors import InvalidValue
from pinyon.text.fencing import CLOSING, OPENING
from pinyon.text.summarising import LEFT_OUT

BUDGET_TOKENS_MIN = 100
BUDGET_TOKENS_MAX = 200_000

CountTokens = Callable[[str], int]

SHORT_TOKENS_MIN = 48
"""What is shortened to less says nothing: its head alone takes half of that."""

IN_SHORT = "In short: "

_WORD_CHARS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What may go into a prompt.

    Attributes:
        line: It as a line, whole; made when it is looked at.
        text: What the spans are of.
        summary: Returns what it says in short; "" where it is short itself.
        passages: The spans of its text that it may be shortened to, best first; none where it may
            not.
        is_matched: The first of them is what the question found it by.
        shortened: Returns it as a line that shows a part of its text.
    """

    id: MemoryId | EventId
    line: Callable[[], str]
    text: str = ""
    summary: Callable[[], str] = str
    passages: tuple[tuple[int, int], ...] = ()
    is_matched: bool = False
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
    """Take what fits into a budget: the first first, whole; else in short; else nothing.

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
    """Return a line that tells what it says in short, with as many passages as fit.

    Where a passage was asked for it is in before the summary, else the summary is in before any.
    """

    def fitting(body: str) -> str | None:
        line = one.shortened(body)
        return line if _tokens(line, count) <= left else None

    best: str | None = None
    summary = one.summary()
    if summary and not one.is_matched:
        best = fitting(_with_summary("", summary))
        summary = summary if best else ""
    spans: list[tuple[int, int]] = []
    for span in one.passages:
        spans = sorted([*spans, span])
        body = _joined(one.text, spans)
        line = fitting(_with_summary(body, summary))
        if line is None and best is None and summary:
            summary, line = "", fitting(body)
        if line is None:
            break
        best = line
    return best or _begun(one, fitting)


def _begun(one: Candidate, fitting: Callable[[str], str | None]) -> str | None:
    """Return a line with as much of the best passage as fits."""
    start, end = one.passages[0]
    while end - start > _WORD_CHARS:
        end = start + (end - start) // 2
        line = fitting(_joined(one.text, [(start, end)]))
        if line is not None:
            return line
    return None


def _with_summary(body: str, summary: str) -> str:
    """Return passages with that of a summary before them which they do not say themselves."""
    said = LEFT_OUT.join(part for part in summary.split(LEFT_OUT) if part not in body)
    return "\n".join(filter(None, (f"{IN_SHORT}{said}" if said else "", body)))


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
