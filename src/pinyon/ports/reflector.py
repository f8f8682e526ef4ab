"""Says what a task that is over teaches: a model that is asked, or rules."""

from collections.abc import Sequence
from typing import Protocol

from pinyon.domain.reflection import FinishedTask, Lesson


class Reflector(Protocol):
    """Reads what was done and says what it teaches; that is checked before anything is kept."""

    @property
    def label(self) -> str:
        """What it is called where it is said what made something: `rules@1`."""

    async def lessons(self, task: FinishedTask) -> Sequence[Lesson]:
        """Return what it teaches; nothing where it teaches nothing.

        Raises:
            Unavailable: It could not be asked now.
            BadModelOutput: What it said could not be read.
        """
