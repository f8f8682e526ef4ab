"""Commands that change whether a memory holds, whether recall looks at it, and who may read it."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated

import anyio
import typer

from pinyon.client import MemoryClient
from pinyon.domain.answers import Published
from pinyon.domain.memory import Memory
from pinyon.surfaces import encode
from pinyon.surfaces.cli.options import (
    Agent,
    AsJson,
    Home,
    MemoryIdArgument,
    Project,
    Tenant,
    User,
    Version,
    Who,
    scope_of,
)
from pinyon.surfaces.cli.show_forgetting import show_published
from pinyon.surfaces.cli.show_memories import show_act
from pinyon.surfaces.cli.terminal import give

Act = Callable[..., Awaitable[Memory]]


def _acting(do: Act, summary: str) -> Callable[..., None]:
    """Return the command of an act that takes a memory's id and nothing else."""

    def command(
        memory_id: MemoryIdArgument,
        user: User = None,
        version: Version = None,
        tenant: Tenant = None,
        agent: Agent = None,
        project: Project = None,
        home: Home = None,
        as_json: AsJson = False,
    ) -> None:
        who = Who(home, tenant, user, agent, project)
        _run(who, partial(do, version=version), memory_id, as_json=as_json)

    command.__doc__ = summary
    return command


retract = _acting(
    MemoryClient.retract,
    "Say that a memory was never true. It stays as history; `undo` takes it back.",
)
hide = _acting(
    MemoryClient.hide, "Take a memory out of recall; `release` or `undo` brings it back."
)
release = _acting(
    MemoryClient.release, "Put a hidden, archived or quarantined memory back where recall looks."
)
undo = _acting(
    MemoryClient.undo,
    "Take back the last act on a memory: superseding, retracting, ending or hiding it.",
)


def end(
    memory_id: MemoryIdArgument,
    user: User = None,
    at: Annotated[
        str | None,
        typer.Option(help="Until when it was true (RFC 3339); now by default.", show_default=False),
    ] = None,
    version: Version = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Say that a memory was true and no longer is, with nothing in its place."""
    who = Who(home, tenant, user, agent, project)
    _run(who, partial(MemoryClient.end, at=at, version=version), memory_id, as_json=as_json)


def publish(
    memory_id: MemoryIdArgument,
    user: User = None,
    scope: Annotated[str, typer.Option("--scope", help="Where to: project or shared.")] = "project",
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Copy a memory into a space that others read; the copy follows what becomes of it."""

    async def act() -> Published:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.publish(memory_id, scope=scope_of(scope))

    give(
        anyio.run(act),
        as_json=as_json,
        encoded=encode.published,
        shown=partial(show_published, verb="published in"),
    )


def withdraw(
    memory_id: MemoryIdArgument,
    user: User = None,
    scope: Annotated[
        str | None, typer.Option("--scope", help="From where; everywhere by default.")
    ] = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Take back the copies of a memory that were published."""

    async def act() -> Published:
        async with Who(home, tenant, user, agent, project).client() as client:
            named = None if scope is None else scope_of(scope)
            return await client.withdraw(memory_id, scope=named)

    give(
        anyio.run(act),
        as_json=as_json,
        encoded=encode.published,
        shown=partial(show_published, verb="withdrawn from"),
    )


def _run(who: Who, do: Act, memory_id: str, *, as_json: bool) -> None:
    async def act() -> Memory:
        async with who.client() as client:
            return await do(client, memory_id)

    give(anyio.run(act), as_json=as_json, encoded=encode.memory, shown=show_act)
