"""Whose memory a request is about: told by a credential or a command line, never by an argument."""

from collections.abc import Callable
from dataclasses import dataclass

from pinyon.client import MemoryClient
from pinyon.domain.credential import Right


def _anything(_right: Right) -> None:
    """Allow it: whoever may read a home may do everything with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request, and the client that answers it.

    Attributes:
        session: The conversation that is meant where an argument names none.
        check: Raises `NotAllowed` for what the credential may not do.
    """

    client: MemoryClient
    session: str = ""
    check: Callable[[Right], None] = _anything

    @property
    def user(self) -> str:
        """Whose memory it is."""
        return self.client.principal.user
