"""Which spaces there are."""

from dataclasses import dataclass
from typing import Protocol

from pinyon.domain.consent import Consent
from pinyon.domain.grant import Grant
from pinyon.domain.space import Space


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceInfo:
    """A space and what it holds.

    Attributes:
        bytes: On disk, or in memory, with every index.
    """

    space: Space
    memories: int
    events: int
    bytes: int
    seq: int
    created_at_us: int


class Registry(Protocol):
    """Lists spaces, which can be told from them; keeps grants, and what users let memory keep."""

    async def spaces(self, tenant: str | None = None) -> list[Space]:
        """Return the spaces of a tenant, or of all, in the order of their text form."""

    async def info(self, space: Space) -> SpaceInfo | None:
        """Return what a space holds, or `None` for one that was never written to."""

    async def grants(self, space: Space | None = None) -> list[Grant]:
        """Return what is granted in a space, or in all, by space and user."""

    async def grant(self, grant: Grant) -> None:
        """Let a user do something in a space, in the place of what was granted before."""

    async def revoke(self, space: Space, user: str) -> None:
        """Take a user's grant back.

        Raises:
            NotFound: There is none.
        """

    async def consent(self, space: Space) -> Consent:
        """Return what the user of a space lets memory keep; where nobody said, everything."""

    async def put_consent(
        self, space: Space, *, paused: bool | None = None, never: tuple[str, ...] | None = None
    ) -> Consent:
        """Keep what the user of a space lets memory keep, and return it whole.

        What is not named stays as it was, whoever says the other at the same time. It is kept under
        a keyed hash of the space's name, and outlives the space.
        """
