"""What follows from a moment of a loop: what is kept of it, and what is wanted of memory then."""

from collections.abc import Mapping
from dataclasses import dataclass

from pinyon.domain.question import Intent
from pinyon.domain.turn import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Approach:
    """How one moment is gone about.

    Attributes:
        role: Whose words it brings; the role decides what becomes a memory.
        is_recallable: Whether it becomes a memory whatever is set; by default as is set.
        intent: What is wanted; `None`: what the words tell.
        asks_first: Whether a cheap test may find that memory cannot help.
    """

    role: str
    is_recallable: bool | None = None
    intent: Intent | None = None
    asks_first: bool = False


APPROACHES: Mapping[Moment, Approach] = {
    "message": Approach(role="user", asks_first=True),
    "plan": Approach(role="thought", intent="solution"),
    "tool": Approach(role="tool_call", intent="tool"),
    "observation": Approach(role="tool_result", intent="observation"),
    "finish": Approach(role="thought", is_recallable=True, intent="solution"),
}
