"""What follows from an intent: a table. Named, it keeps to something; inferred, it only favours."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pinyon.domain.event import CALLS, EventType
from pinyon.domain.filter import EVERYTHING, Eq, Filter, In, Or, all_of
from pinyon.domain.question import Intent

Order = Literal["relevance", "newest", "oldest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Approach:
    """How a question of one intent is gone about.

    Attributes:
        keeps: What may answer, where the intent is named.
        favours: What counts a little more; nothing by default.
        order: In which order the hits are given, where the intent is named.
        lets_in_history: What was superseded or is over may answer, where the intent is named.
        as_said: A message that no longer holds keeps its place: it is asked for what was said.
        by_turns: What was said in this session, or in the last half hour, counts more.
        events: Types of events that come along, where the intent is named.
    """

    keeps: Filter = EVERYTHING
    favours: Filter | None = None
    order: Order = "relevance"
    lets_in_history: bool = False
    as_said: bool = False
    by_turns: bool = False
    events: tuple[EventType, ...] = ()


_DIALOGUE = all_of(Eq("kind", "episodic"), In("role", ("user", "assistant", "")))
_PROCEDURES = Eq("kind", "procedural")
_CALLS = Or((Eq("role", "tool"), In("event_type", CALLS)))

APPROACHES: Mapping[Intent, Approach] = {
    "general": Approach(),
    "fact": Approach(),
    "preference": Approach(),
    # What is behind something is no kind of memory: all of it may be.
    "cause": Approach(),
    "conversation": Approach(
        keeps=_DIALOGUE, favours=_DIALOGUE, order="newest", as_said=True, by_turns=True
    ),
    "solution": Approach(keeps=In("kind", ("procedural", "episodic")), favours=_PROCEDURES),
    "history": Approach(order="oldest", lets_in_history=True, as_said=True),
    "tool": Approach(
        keeps=Or((_PROCEDURES, _CALLS)), favours=Or((_PROCEDURES, _CALLS)), events=CALLS
    ),
    "observation": Approach(
        keeps=Or((_PROCEDURES, _CALLS, Eq("has_error", True))),
        favours=Or((_CALLS, Eq("has_error", True))),
        events=CALLS,
    ),
    "catalog": Approach(keeps=Eq("kind", "catalog"), favours=Eq("kind", "catalog")),
}
