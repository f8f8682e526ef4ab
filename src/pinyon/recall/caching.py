"""Whole answers, kept as long as nothing changed that they were made of."""

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace

from pinyon.domain.answers import Recall, StageTrace
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.domain.times import US_PER_S
from pinyon.ports.changes import Changes
from pinyon.recall.recalling import Question
from pinyon.recall.side_by_side import side_by_side

ANSWERS_MAX = 512
CHARS_MAX = 16 * 1024 * 1024
"""So many characters of memories the answers hold together: a server keeps those of many users."""

LIFE_US = 60 * US_PER_S
"""How long an answer may stand though nothing was written: what is asked of "today" and how old
something is change by themselves."""

Seqs = tuple[int, ...]


class AnswerCache:
    """Remembers answers by the whole question: text, filters, situation, and whose spaces.

    A space's sequence number moves with every change of what it says, in whichever process; what is
    merely counted (uses, exposures) moves none. An answer that lacks a part is not kept.
    """

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._answers: OrderedDict[str, tuple[Seqs, int, Recall]] = OrderedDict()
        self._chars = 0
        self._earliest_us = 0

    async def answer(
        self, question: Question, find: Callable[[Question], Awaitable[Recall]]
    ) -> Recall:
        """Return the answer that still stands, or find it."""
        asked = question.key
        if not asked:
            return await find(question)
        seqs = await self._seqs(question.spaces)
        held = self._answers.get(asked)
        if held is not None and held[0] == seqs and question.now_us < held[1]:
            self._answers.move_to_end(asked)
            return _again(held[2])
        # The numbers were read before: whatever is written meanwhile makes this answer void.
        found = await find(question)
        self._drop_old(question.now_us)
        if not found.degraded:
            self._drop(asked)
            until_us = _until_us(found, question.now_us)
            self._answers[asked] = seqs, until_us, found
            self._earliest_us = min(self._earliest_us, until_us)
            self._chars += _chars_of(found)
            while len(self._answers) > ANSWERS_MAX or self._chars > CHARS_MAX:
                self._drop(next(iter(self._answers)))
        return found

    def clear(self) -> None:
        """Let go of all answers: something was forgotten, and they may hold it."""
        self._answers.clear()
        self._chars = 0

    def _drop(self, asked: str) -> None:
        held = self._answers.pop(asked, None)
        if held is not None:
            self._chars -= _chars_of(held[2])

    def _drop_old(self, now_us: int) -> None:
        """Let go of what may not be given any more: it may hold what another process forgot."""
        if now_us < self._earliest_us:
            return
        old = [asked for asked, (_, until_us, _) in self._answers.items() if until_us <= now_us]
        for asked in old:
            self._drop(asked)
        ends = (until_us for _, until_us, _ in self._answers.values())
        self._earliest_us = min(ends, default=now_us + LIFE_US)

    async def _seqs(self, spaces: tuple[Space, ...]) -> Seqs:
        return tuple(await side_by_side([self._changes.seq(space) for space in spaces]))


def _until_us(answer: Recall, now_us: int) -> int:
    """Return until when an answer may stand: no longer than what it holds does."""
    ends = [
        end for memory in _memories_of(answer) for end in _turning_points(memory) if end > now_us
    ]
    return min([now_us + LIFE_US, *ends])


def _memories_of(answer: Recall) -> list[Memory]:
    return [memory for hit in answer.hits for memory in (hit.memory, *hit.neighbours)]


def _chars_of(answer: Recall) -> int:
    said = [memory.text for memory in _memories_of(answer)]
    return sum(map(len, (*said, *(one.event.text for one in answer.events))))


def _turning_points(memory: Memory) -> list[int]:
    times = memory.times
    points = (times.valid_from_us, times.valid_until_us, times.expires_at_us)
    return [at_us for at_us in points if at_us is not None]


def _again(answer: Recall) -> Recall:
    stages = (
        StageTrace(stage="cache", wall_ms=0.0, candidates=len(answer.hits), note="as before"),
    )
    trace = replace(answer.trace, stages=stages, began_s=time.perf_counter())
    return replace(answer, trace=trace)
