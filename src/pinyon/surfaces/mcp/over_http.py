"""MCP over HTTP: one route, at which each request brings its credential and stands by itself.

No session is kept between requests, so any process of a server may answer any of them. Who asks is
found out before, by what every route of the server goes through; nothing here looks at a key.

The SDK takes a second to load, and most servers are never asked: the first request loads it.
"""

from collections.abc import Awaitable, Callable
from typing import Annotated, Protocol

import anyio
from fastapi import APIRouter, Depends, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from pinyon.access.authenticating import Caller
from pinyon.client import MemoryClient
from pinyon.domain.space import checked_name
from pinyon.errors import InvalidName, NotAllowed
from pinyon.surfaces.mcp.asked import Asked
from pinyon.surfaces.mcp.tools import ToolChoice, tools_of

PATH = "/mcp"


class LetIn(Protocol):
    """A request whose credential was looked at."""

    caller: Caller
    client: MemoryClient


def router(asking: Callable[..., Awaitable[LetIn]], choice: ToolChoice) -> APIRouter:
    """Return the routes.

    Args:
        asking: What gives a route its caller and client, as FastAPI resolves it.
        choice: Which tools a model is given.
    """
    protocol = _Loaded(choice)
    routes = APIRouter(include_in_schema=False)
    letting_in = Annotated[LetIn, Depends(asking)]

    @routes.post(PATH, name="mcp")
    async def mcp(asked: letting_in) -> Response:
        """Answer a message of the protocol."""
        return _Passed(await protocol.app(), asked)

    @routes.post(PATH + "/{user_id:path}", name="mcp")
    async def mcp_of(asked: letting_in, user_id: str) -> Response:
        """Answer a message of the protocol, if the credential speaks for that user."""
        _check_is_of(user_id, asked)
        return _Passed(await protocol.app(), asked)

    return routes


def _check_is_of(user_id: str, asked: LetIn) -> None:
    try:
        is_of = checked_name("user", user_id) == asked.client.principal.user
    except InvalidName:
        is_of = False
    if not is_of:
        raise NotAllowed("this credential does not speak for the user in the path; leave that out")


class _Passed(Response):
    """A request that is passed on to the protocol, with who asks."""

    def __init__(self, app: ASGIApp, asked: LetIn) -> None:
        super().__init__()
        self._app = app
        self._asked = Asked(client=asked.client, check=asked.caller.check)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass it on."""
        scope["state"]["asked"] = self._asked
        await self._app(scope, receive, send)


class _Loaded:
    """The protocol, loaded when it is first asked for; others are answered meanwhile."""

    def __init__(self, choice: ToolChoice) -> None:
        self._choice: ToolChoice = choice
        self._loading = anyio.Lock()
        self._app: ASGIApp | None = None

    async def app(self) -> ASGIApp:
        """Return what answers."""
        async with self._loading:
            if self._app is None:
                self._app = await anyio.to_thread.run_sync(_load, self._choice)
        return self._app


def _load(choice: ToolChoice) -> ASGIApp:
    from pinyon.surfaces.mcp.stateless import app_of  # noqa: PLC0415 - it loads the SDK

    return app_of(tools_of(choice))
