"""What somebody asks memory, and in which situation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from pinyon.domain.draft import When
from pinyon.domain.filter import Filter
from pinyon.domain.memory import Kind

Quality = Literal["default", "best"]
QUALITIES: tuple[Quality, ...] = ("default", "best")

K_MAX = 100
QUESTION_CHARS_MAX = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallContext:
    """The situation in which a question is asked.

    Attributes:
        recent_turns: The last turns of the conversation, oldest first.
    """

    session: str = ""
    task_id: str = ""
    task_type: str = ""
    tool: str = ""
    project: str = ""
    module: str = ""
    recent_turns: tuple[str, ...] = ()


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
    in; `context` is the situation. `quality` is `default`, or `best` where time is no matter.
    """

    kinds: Sequence[Kind]
    filters: Filters | None
    as_of: AsOf | None
    include_superseded: bool
    context: RecallContext | None
    quality: Quality


class Meant(TypedDict, total=False):
    """What is to be forgotten, where no ids are named; exactly one is given."""

    query: str
    session: str
    document: str
    everything: bool
