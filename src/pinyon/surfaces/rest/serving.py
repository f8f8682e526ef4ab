"""What the routes of one app share: clients, credentials, limits, and the home as a whole."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pinyon.access.authenticating import Authenticator
from pinyon.client import MemoryClient
from pinyon.domain.principal import Principal
from pinyon.operating import Operator
from pinyon.surfaces.rest.limiting import Limiter

CLIENTS_MAX = 1_024


class Clients:
    """A client for each principal that asked lately, all on one home."""

    def __init__(self, base: MemoryClient, *, at_most: int = CLIENTS_MAX) -> None:
        self._base, self._at_most = base, at_most
        self._clients: OrderedDict[tuple[Principal, str], MemoryClient] = OrderedDict()
        self._leaving: list[MemoryClient] = []

    def of(self, principal: Principal, *, surface: str) -> MemoryClient:
        """Return the client of a principal, by the surface through which it asks."""
        key = principal, surface
        client = self._clients.pop(key, None) or self._base.bound_to(principal, surface=surface)
        self._clients[key] = client
        while len(self._clients) > self._at_most:
            self._leaving.append(self._clients.popitem(last=False)[1])
        return client

    async def flush(self) -> None:
        """Write what clients have gathered, and let those go that nobody asked lately."""
        # Others come while this writes.
        for client in tuple(self._clients.values()):
            await client.flush()
        while self._leaving:
            await self._leaving[0].flush()
            del self._leaving[0]

    async def close(self) -> None:
        """Write what is left, and let go of the home."""
        await self.flush()
        self._clients.clear()
        await self._base.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """Everything that a route may reach."""

    clients: Clients
    operator: Operator
    authenticator: Authenticator
    limiter: Limiter
    metrics: Callable[[], Awaitable[tuple[bytes, str]]]
