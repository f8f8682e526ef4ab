"""The protocol as an ASGI app that keeps nothing from one request to the next."""

from collections.abc import Sequence
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from pinyon.surfaces.mcp.asked import Asked
from pinyon.surfaces.mcp.server import Context, server_of
from pinyon.surfaces.mcp.tool import Tool

# Whom a request is addressed to was looked at before, for all routes alike.
UNGUARDED = TransportSecuritySettings(enable_dns_rebinding_protection=False)


def app_of(tools: Sequence[Tool]) -> ASGIApp:
    """Return the app. A request's scope brings who asks, as `state["asked"]`."""
    server = server_of(tools, _asked_of)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        # One for each request: what is begun for it has ended when it is answered.
        manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, security_settings=UNGUARDED
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    return app


def _asked_of(ctx: Context) -> Asked:
    request: Any = ctx.request
    asked: Asked = request.state.asked
    return asked
