"""Who judges memories that were found: how well each answers, whether it is of use, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pinyon.domain.space import Space

JUDGED_MAX = 10
"""Memories that are judged at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForJudging:
    """What is asked, and what was found.

    Attributes:
        space: On whose behalf it is asked: theirs is what it takes.
        said_before: What they said last, oldest first.
        now_us: When it is asked.
        memories: What was found, each in the words that a model may read.
    """

    space: Space
    question: str
    said_before: Sequence[str]
    now_us: int
    memories: Sequence[str]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is said of one memory.

    Attributes:
        score: 0-1: how well it answers.
        keeps: Whether it is of any use.
        reason: Why, in a few words on one line; "" where nothing was said that may be shown.
    """

    score: float
    keeps: bool
    reason: str = ""


class Judge(Protocol):
    """Judges; it logs neither what it is shown nor what it says."""

    @property
    def label(self) -> str:
        """Who judges, and by which rules: another one judges otherwise."""

    async def judge(self, found: ForJudging) -> Mapping[int, Judgement]:
        """Return what it says, by place among the memories, from 0; some may be left out.

        Args:
            found: `1 <= len(found.memories) <= JUDGED_MAX`.

        Raises:
            Unavailable: It cannot be asked, not in time, or not so often in a day.
            BadModelOutput: What it says cannot be read.
        """
