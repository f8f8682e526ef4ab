"""From what was found to what may go into a prompt."""

from functools import partial

from pinyon.domain.answers import Hit
from pinyon.domain.event import Event, Turn
from pinyon.domain.memory import Memory, Passage
from pinyon.domain.space import Space
from pinyon.text.passages import passages_of
from pinyon.text.summarising import summary_of
from pinyon.turn.lines import body_of, is_history, line_of, line_of_turn
from pinyon.turn.packing import Candidate


def candidate_of(hit: Hit, *, own: Space, now_us: int) -> Candidate:
    """Return a hit; shortened, it keeps the passage by which it was found, then those around it."""
    return candidate_of_memory(hit.memory, own=own, now_us=now_us, best=hit.why.passage)


def candidate_of_memory(
    memory: Memory, *, own: Space, now_us: int, best: Passage | None = None
) -> Candidate:
    """Return a memory; shortened, it keeps what it says in short, and its best passage.

    One that was kept before long texts had summaries is summarised as it is read.
    """
    place = 0 if best is None else best.position
    around = sorted(memory.passages, key=lambda one: (abs(one.position - place), one.position))
    return Candidate(
        id=memory.id,
        line=partial(line_of, memory, now_us=now_us, own=own, body=body_of(memory)),
        text=memory.text,
        summary=partial(_in_short, memory),
        passages=tuple((one.start, one.end) for one in around),
        is_matched=best is not None,
        shortened=partial(_line, memory, now_us, own),
        is_history=is_history(memory, now_us),
    )


def candidate_of_turn(turn: Event | Turn) -> Candidate:
    """Return an event, or a turn of the conversation.

    Shortened, it keeps what it says in short. That is made when it is read, of the text as it
    stands: the log keeps no summaries.
    """
    return Candidate(
        id=turn.id,
        line=partial(line_of_turn, turn, turn.text),
        text=turn.text,
        summary=partial(summary_of, turn.text),
        passages=tuple((one.start, one.end) for one in passages_of(turn.text)),
        shortened=partial(line_of_turn, turn, is_whole=False),
    )


def _line(memory: Memory, now_us: int, own: Space, text: str) -> str:
    return line_of(memory, now_us=now_us, own=own, body=text, is_whole=False)


def _in_short(memory: Memory) -> str:
    if memory.summary is not None:
        return memory.summary.text
    return "" if memory.kind == "catalog" else summary_of(memory.text)
