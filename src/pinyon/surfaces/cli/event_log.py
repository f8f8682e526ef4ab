"""The command over what was said and done."""

from typing import Annotated

import anyio
import typer

from pinyon.domain.answers import EventListing
from pinyon.domain.event import EVENT_TYPES
from pinyon.surfaces import encode
from pinyon.surfaces.cli.options import (
    Agent,
    AsJson,
    Home,
    Project,
    ScopeOption,
    Tenant,
    User,
    Who,
    one_of,
    scope_of,
)
from pinyon.surfaces.cli.show_events import show_events
from pinyon.surfaces.cli.terminal import give


def events(
    user: User = None,
    session: Annotated[
        str | None, typer.Option(help="Only this conversation.", show_default=False)
    ] = None,
    query: Annotated[
        str, typer.Option(help="What is looked for; the best come first.", show_default=False)
    ] = "",
    type_: Annotated[
        list[str] | None,
        typer.Option("--type", help=f"Only this type ({', '.join(EVENT_TYPES)}); may be repeated."),
    ] = None,
    limit: Annotated[int, typer.Option(help="At most so many.")] = 50,
    cursor: Annotated[
        str | None, typer.Option(help="Where the last part ended.", show_default=False)
    ] = None,
    scope: ScopeOption = "own",
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Read a conversation again, oldest first, or find what happened in the event log.

    Messages, also those that became memories, thoughts, tool calls and their results.
    """

    async def act() -> EventListing:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.events(
                session=session,
                query=query,
                types=[one_of("type", one, EVENT_TYPES) for one in type_ or ()],
                scope=scope_of(scope),
                cursor=cursor,
                limit=limit,
            )

    give(anyio.run(act), as_json=as_json, encoded=encode.events, shown=show_events)
