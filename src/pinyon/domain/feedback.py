"""How it went with what memory gave."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from pinyon.domain.ids import MemoryId

Outcome = Literal["used", "worked", "failed"]
"""`used`: it stood in an answer. `worked`, `failed`: what it says was done, and so it ended."""
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

FEEDBACK_KEPT: Final = 10_000
"""How many rows a space keeps; the oldest go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What somebody reports about a memory that was recalled.

    Attributes:
        query: What was asked for, "" where nobody said.
        session: In which conversation, "" where nobody said.
    """

    memory: MemoryId
    outcome: Outcome
    query: str = ""
    session: str = ""
    at_us: int
