"""The command that gives a model its memory over MCP, on standard input and output."""

from importlib.util import find_spec
from typing import Annotated

import anyio
import typer

from pinyon.client import MemoryClient
from pinyon.domain.principal import Principal
from pinyon.errors import InvalidSetting
from pinyon.settings import Settings, login_name, read_settings
from pinyon.surfaces.cli.options import Agent, Home, Project, Tenant
from pinyon.surfaces.mcp.asked import Asked
from pinyon.surfaces.mcp.stdout import keep_stdout
from pinyon.surfaces.mcp.tools import tools_of
from pinyon.wiring import new_uuid, open_client

SESSION_CHARS = 12


def mcp(
    called: typer.Context,
    user: Annotated[
        str | None,
        typer.Option(
            help="Whose memory; by default the login name. [env: PINYON_USER]", show_default=False
        ),
    ] = None,
    tools: Annotated[
        str | None,
        typer.Option(
            help="core: the six that a conversation needs; full: the rest too. "
            "[env: PINYON_MCP_TOOLS]",
            show_default="core",
        ),
    ] = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
) -> None:
    """Give a model its memory over MCP, on standard input and output.

    A client of MCP starts it and speaks to it; by hand there is nothing to see. It ends when its
    standard input closes. Each process is one session.
    """
    if called.invoked_subcommand is not None:
        return
    stdout = keep_stdout()
    check_installed()
    # The SDK takes a second to load, which no other command should wait for.
    from pinyon.surfaces.mcp.server import server_of  # noqa: PLC0415
    from pinyon.surfaces.mcp.stdio import serve_stdio  # noqa: PLC0415

    settings = read_settings(home=home, tenant=tenant, user=user, mcp_tools=tools)

    async def act() -> None:
        async with _client(settings, agent=agent, project=project) as client:
            session = f"mcp-{new_uuid()[-SESSION_CHARS:]}"
            asked = Asked(client=client, session=session)
            server = server_of(tools_of(settings.mcp_tools), lambda _request: asked)
            await serve_stdio(server, stdout)

    anyio.run(act)


def _client(settings: Settings, *, agent: str | None, project: str | None) -> MemoryClient:
    user = settings.user or login_name()
    principal = Principal.of_home(tenant=settings.tenant, user=user, agent=agent, project=project)
    return open_client(settings, principal, surface="mcp")


def check_installed() -> None:
    """See that the SDK is there.

    Raises:
        InvalidSetting: It is not.
    """
    if find_spec("mcp") is None:
        raise InvalidSetting("mcp", "mcp is not installed: pip install 'pinyon[mcp]'")
