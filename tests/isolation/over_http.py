"""A home served over HTTP in this process, and clients of it, each with a key of its own.

What a client refuses to send, because it cannot go over a wire or is no id, counts as refused; the
server is asked the like of it in `test_every_route` and `test_headers`.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from isolation.canaries import CLOCK
from isolation.checking import HEARD, Answered, Opened
from pinyon.domain.credential import Holder, Role
from pinyon.domain.principal import Principal
from pinyon.observing.logs import log_request
from pinyon.ports.clock import Clock
from pinyon.ports.models import NO_MODELS, Models
from pinyon.ports.store import Store
from pinyon.remote.client import RemoteMemoryClient
from pinyon.remote.speaking import Speaking
from pinyon.settings import read_settings
from pinyon.surfaces.rest.app import rest_app
from pinyon.surfaces.server import mcp_routes, serving_from
from pinyon.wiring import Parts, serve_home

URL = "http://localhost"
LOCAL, ELSEWHERE = "127.0.0.1", "192.0.2.7"
"""Where requests come from."""
NAMES = ("user", "agent", "project")
WAYS = 3
"""By which a principal may come in; see `held_by`."""


class Overheard(httpx2.AsyncBaseTransport):
    """Passes requests to an app, and keeps what comes back: every byte of it."""

    def __init__(self, app: Any, peer: str) -> None:
        self._app = httpx2.ASGITransport(app, client=(peer, 4711))

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer a request; the task that asks hears what came."""
        response = await self._app.handle_async_request(request)
        body = await response.aread()
        told = Answered(
            status=response.status_code,
            headers=tuple(response.headers.multi_items()),
            body=body.decode("utf-8", "surrogateescape"),
            request_id=response.headers["x-request-id"],
        )
        HEARD.get([]).append(told)
        return response


class Served:
    """A server of one home, spoken to in this process."""

    def __init__(
        self,
        store: Store,
        models: Models = NO_MODELS,
        *,
        peer: str = LOCAL,
        clock: Clock = CLOCK,
    ) -> None:
        # Its tenant is nobody's: a credential says whose it is.
        settings = read_settings(
            {}, home=Path("no-home"), tenant="nobodys", rate_limit=0, mcp_tools="full"
        )
        served = serve_home(settings, clock=clock, parts=Parts(store=store, models=models))
        self._keyring = served.keyring
        self.store = store
        self.serving = serving_from(served, settings)
        self.app = rest_app(self.serving, told=log_request, beside=[mcp_routes(settings)])
        self.fastapi = self.app.app  # behind the guards
        self.http = httpx2.AsyncClient(transport=Overheard(self.app, peer), base_url=URL)

    async def key(
        self, role: Role, *, name: str = "", expires_at_us: int | None = None, **holder: Any
    ) -> str:
        """Make a key and return what its holder sends."""
        of = Holder.of(role, **holder)
        return (await self._keyring.create(of, name=name, expires_at_us=expires_at_us))[1]

    def client(self, key: str, names: Mapping[str, str | None]) -> RemoteMemoryClient:
        """Return a client that sends a key, and headers with names."""
        return RemoteMemoryClient(Speaking(URL, key, names=names, http=self.http))

    async def ask(
        self,
        method: str,
        path: str,
        *,
        key: str = "",
        headers: Iterable[tuple[str, str]] = (),
        **sent: Any,
    ) -> httpx2.Response:
        """Send a request as it is, and return the response."""
        given = [*headers, *([("Authorization", f"Bearer {key}")] if key else [])]
        return await self.http.request(method, path, headers=given, **sent)

    async def close(self) -> None:
        """Write what is left; the store stays open."""
        await self.serving.clients.flush()
        await self.http.aclose()


def held_by(principal: Principal, way: int) -> tuple[dict[str, Any], dict[str, str | None]]:
    """Return the holder of a principal's key, and what its headers name.

    Principals come in by all ways there are: with a key of the user, which headers narrow down;
    with one of an agent, which fixes it all; and with a service's, whose headers say it all.
    """
    named = {name: getattr(principal, name) for name in NAMES}
    tenant = principal.tenant
    match way % WAYS:
        case 0:
            holder = {"role": "user", "tenant": tenant, "user": principal.user}
            return holder, {**named, "user": None}
        case 1:
            return {"role": "agent", "tenant": tenant, **named}, {}
        case _:
            return {"role": "service", "tenant": tenant}, named


@asynccontextmanager
async def over_http(
    store: Store, principals: Sequence[Principal], models: Models
) -> AsyncIterator[Opened]:
    """Give clients of a server of the home, each with a key of its own."""
    served = Served(store, models)
    known = {}
    for way, principal in enumerate(principals):
        holder, names = held_by(principal, way)
        known[principal] = await served.key(**holder), names
    yield lambda principal: served.client(*known[principal])
    await served.close()
