"""Reflection: what an agent did on a task that is over, and what is to be learnt of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from pinyon.domain.event import Turn
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import Memory, Step
from pinyon.domain.space import Space

Ended = Literal["worked", "failed"]
ENDINGS: tuple[Ended, ...] = get_args(Ended)

PITFALL = "pitfall"
"""Category of a procedure that tells what does not work, and what to do instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedTask:
    """A task that is over.

    Attributes:
        turns: What was said and done on it, oldest first; the last one may tell how it went.
        trigger: When such a task is to be done: its first words; "" where nobody said.
        playbooks: What is known near it.
    """

    space: Space
    name: str
    outcome: Ended
    turns: tuple[Turn, ...]
    trigger: str = ""
    playbooks: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What a task is said to teach: a way that led to success, or a pitfall.

    Attributes:
        is_pitfall: It tells what failed.
        steps: What to do, in order, for a way that worked.
        rests_on: The turns that show it.
        quotes: What of a pitfall's text was said or done, word for word; all of it where none is.
    """

    text: str
    trigger: str
    steps: tuple[Step, ...] = ()
    rests_on: tuple[MemoryId | EventId, ...]
    is_pitfall: bool = False
    quotes: tuple[str, ...] = ()
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflected:
    """What became of a task that is over.

    Attributes:
        turns: How many of its turns were read.
        created: Playbooks that are new.
        refined: Playbooks whose steps were bettered.
        counted: Playbooks for which it was counted that they worked, or failed.
        pitfalls: What failed, kept.
        refused: Why lessons were not kept, and how often.
        made_by: What proposed them: `rules@1`, or a model and the version of its prompt.
    """

    task: str
    outcome: Ended
    turns: int
    created: tuple[MemoryId, ...] = ()
    refined: tuple[MemoryId, ...] = ()
    counted: tuple[MemoryId, ...] = ()
    pitfalls: tuple[MemoryId, ...] = ()
    refused: Mapping[str, int] = field(default_factory=dict)
    made_by: str = ""
