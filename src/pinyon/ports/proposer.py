"""Proposes what to make of episodes: a model that is asked, or rules."""

from collections.abc import Sequence
from typing import Protocol

from pinyon.domain.consolidation import Material, Proposal


class Proposer(Protocol):
    """Reads material and proposes; what it says is checked before anything is kept of it."""

    @property
    def label(self) -> str:
        """What it is called where it is said what made something: `rules@1`."""

    async def propose(self, material: Material) -> Sequence[Proposal]:
        """Return what to make of it; nothing where there is nothing.

        Raises:
            Unavailable: It could not be asked now; the episodes go on waiting.
            BadModelOutput: What it said could not be read.
        """
