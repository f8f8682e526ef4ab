"""What somebody asks memory, and in which situation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal, TypedDict, get_args

from pinyon.domain.draft import When
from pinyon.domain.filter import Filter
from pinyon.domain.memory import Kind

Quality = Literal["default", "best", "judged"]
QUALITIES: tuple[Quality, ...] = get_args(Quality)

Intent = Literal[
    "conversation",
    "fact",
    "preference",
    "general",
    "solution",
    "history",
    "cause",
    "tool",
    "observation",
    "catalog",
]
"""What somebody wants from memory; `recall/approaches.py` says what follows from each."""
INTENTS: tuple[Intent, ...] = get_args(Intent)

K_MAX = 100
DEADLINE_MS_MAX = 60_000
RECENT_TURNS_MAX = 20
QUESTION_CHARS_MAX = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallContext:
    """The situation in which a question is asked.

    What is of the same session, task, tool, project, module or sort of task counts a little more.

    Attributes:
        recent_turns: What the user said last, oldest first: what a question that leans on it means.
    """

    session: str = ""
    task_id: str = ""
    task_type: str = ""
    tool: str = ""
    project: str = ""
    module: str = ""
    recent_turns: tuple[str, ...] = ()


SITUATION = tuple(one.name for one in fields(RecallContext) if one.name != "recent_turns")
"""What of a situation is one word or name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AsOf:
    """A point in time to answer for.

    Attributes:
        valid: What was true then.
        known: What we believed then.
    """

    valid: When = None
    known: When = None


Filters = Filter | Mapping[str, object]
"""A filter, or its JSON form."""


class Narrowing(TypedDict, total=False):
    """What a question may be narrowed down by.

    `kinds` and `filters` keep out; `as_of` asks for another time; `include_superseded` lets history
    in; `context` is the situation. `quality` is `default`, `best` where a second is no matter,
    or `judged` where several are not: a chat model judges the best few.
    `intent` says what is wanted, and keeps to it; where none is named, the one that the question's
    words tell only weighs. `deadline_ms` is how long it may take: what is late is left out.
    `if_needed` leaves a message alone that memory cannot help with ("translate hello").
    `include_events` brings what happened along, from the event log; an intent that is named `tool`
    or `observation` brings calls and their results, of the tool of the `context` where it has one.
    """

    kinds: Sequence[Kind]
    filters: Filters | None
    as_of: AsOf | None
    include_superseded: bool
    context: RecallContext | None
    quality: Quality
    intent: Intent | None
    deadline_ms: int | None
    if_needed: bool
    include_events: bool


class Meant(TypedDict, total=False):
    """What is to be forgotten, where no ids are named; exactly one is given."""

    query: str
    session: str
    document: str
    everything: bool
