"""Whose memory a request is about: told by a credential or a command line, never by an argument."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pinyon.client import MemoryClient
from pinyon.domain.credential import Right
from pinyon.domain.space import Space
from pinyon.ports.clock import Clock
from pinyon.wiring import SystemClock


def _anything(_right: Right) -> None:
    """Allow it: whoever may read a home may do everything with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request, and the client that answers it.

    Attributes:
        session: The conversation that is meant where an argument names none.
        check: Raises `NotAllowed` for what the credential may not do.
        clock: By which it is told what is history.
    """

    client: MemoryClient
    session: str = ""
    check: Callable[[Right], None] = _anything
    clock: Clock = field(default_factory=SystemClock)

    @property
    def user(self) -> str:
        """Whose memory it is."""
        return self.client.principal.user

    @property
    def own(self) -> Space:
        """The user's own space."""
        return Space.of_user(self.client.principal.tenant, self.user)

    def now_us(self) -> int:
        """Return what time it is."""
        return self.clock.now_us()
