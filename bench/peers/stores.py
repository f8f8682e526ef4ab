"""What the cases and the questions ask of a peer, and what only some peers can do.

Standard library only: every peer runs it in its own environment, and Pinyon in its own.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that came, under the id that the store gave it."""

    id: str
    text: str
    score: float


class Store:
    """What every peer does: it keeps texts of users, and finds them again.

    Attributes:
        on_disk: Whether it keeps what it holds in files of its own.
    """

    on_disk = True

    def add(self, user: str, text: str) -> str:
        """Keep a text; return the id that it has from now on."""
        raise NotImplementedError

    def settle(self) -> None:
        """Build what must be built before the first question; most do so as they are written."""

    def search(self, user: str, question: str, k: int) -> list[Hit]:
        """Return at most k memories of a user, best first."""
        raise NotImplementedError

    def close(self) -> None:
        """Write what is not written yet, and let go of the files."""


@runtime_checkable
class Updates(Protocol):
    """A store in which what a memory says can be put right."""

    def update(self, user: str, memory: str, text: str) -> None:
        """Let a memory say something else, or something else stand in its place."""


@runtime_checkable
class Addressed(Protocol):
    """A store in which a memory can be read and deleted by its id."""

    def get(self, user: str, memory: str) -> str | None:
        """Return what a memory says; `None` where this user is not given it."""

    def delete(self, user: str, memory: str) -> None:
        """Delete a memory; one that this user may not delete stays, without an error."""
