"""A session: one conversation, and what becomes of what is said in it."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from pinyon.domain.times import US_PER_S

SessionMode = Literal["normal", "temporary", "off"]
"""`normal`: kept. `temporary`: recalled in the session only, and forgotten when it ends. `off`: not
kept at all."""
SESSION_MODES: tuple[SessionMode, ...] = get_args(SessionMode)

TEMPORARY_FOR_US: Final = 24 * 3600 * US_PER_S
"""How long after its last turn a temporary session ends by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation of a user; a normal one needs no record.

    Attributes:
        last_turn_at_us: When something was last said in it; at first, when it was started.
        ended_at_us: Of a temporary one that is being forgotten: since when nothing is kept in it.
    """

    name: str
    mode: SessionMode
    started_at_us: int
    last_turn_at_us: int
    ended_at_us: int | None = None

    @property
    def is_temporary(self) -> bool:
        """Return whether what is said in it stays in it."""
        return self.mode == "temporary"

    def is_over_at(self, now_us: int) -> bool:
        """Return whether it has ended, or is due to end: 24 hours after its last turn."""
        is_due = self.is_temporary and now_us - self.last_turn_at_us >= TEMPORARY_FOR_US
        return self.ended_at_us is not None or is_due
