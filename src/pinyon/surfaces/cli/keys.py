"""Commands over the API keys by which a server knows who asks."""

from collections.abc import Sequence
from typing import Annotated

import anyio
import typer

from pinyon.domain.credential import ROLES, ApiKey, Holder, Role
from pinyon.errors import InvalidName
from pinyon.settings import Settings, read_settings
from pinyon.surfaces import encode_place
from pinyon.surfaces.cli.options import AsJson, Home, one_of
from pinyon.surfaces.cli.show_keys import show_created_key, show_keys
from pinyon.surfaces.cli.terminal import give
from pinyon.wiring import operate

app = typer.Typer(help="Keys for those who ask a server.", no_args_is_help=True)


@app.command("create")
def create(
    user: Annotated[
        str | None,
        typer.Option(
            help="Whose memory it opens; roles user and agent need one. [env: PINYON_USER]",
            show_default=False,
        ),
    ] = None,
    role: Annotated[str, typer.Option(help=f"As what it asks: {', '.join(ROLES)}.")] = "user",
    agent: Annotated[
        str | None, typer.Option(help="The one agent that it acts as.", show_default=False)
    ] = None,
    project: Annotated[
        str | None, typer.Option(help="The one project that it works on.", show_default=False)
    ] = None,
    name: Annotated[str, typer.Option(help="What it is for, for whoever reads the list.")] = "",
    expires: Annotated[
        str | None,
        typer.Option(
            help="When it ends: days from now, as 90d, or an instant (RFC 3339).",
            show_default=False,
        ),
    ] = None,
    tenant: Annotated[
        str | None,
        typer.Option(help="Of which tenant. [env: PINYON_TENANT]", show_default="default"),
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Make a key and show it, this once: only a hash of it is kept.

    A service acts for the users of its tenant, whom it names with each request; admin and auditor
    run and check the place and read no memories.
    """

    async def act() -> tuple[ApiKey, str]:
        settings = read_settings(home=home, tenant=tenant)
        as_what = one_of("role", role, ROLES)
        holder = Holder.of(
            as_what,
            tenant=settings.tenant,
            user=_user_of(as_what, user, settings),
            agent=agent,
            project=project,
        )
        async with operate(home) as operator:
            return await operator.create_key(holder, name=name, expires=expires)

    give(anyio.run(act), as_json=as_json, encoded=encode_place.created_key, shown=show_created_key)


@app.command("list")
def list_keys(
    tenant: Annotated[
        str | None, typer.Option(help="Only of this tenant.", show_default=False)
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """List the keys that were made, with when they were used last, to the minute."""

    async def act() -> Sequence[ApiKey]:
        async with operate(home) as operator:
            return await operator.list_keys(tenant=tenant)

    give(anyio.run(act), as_json=as_json, encoded=encode_place.keys, shown=show_keys)


@app.command("revoke")
def revoke(
    identifier: Annotated[
        str, typer.Argument(metavar="ID", help="Id of a key.", show_default=False)
    ],
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Let a key open nothing any more: at once, and for good."""

    async def act() -> ApiKey:
        async with operate(home) as operator:
            return await operator.revoke_key(identifier)

    give(
        anyio.run(act),
        as_json=as_json,
        encoded=encode_place.key,
        shown=lambda key: show_keys([key]),
    )


def _user_of(role: Role, user: str | None, settings: Settings) -> str | None:
    """Return whose key it is to be; who has set a user for commands means it for these roles."""
    if role not in ("user", "agent") or user is not None:
        return user
    if not settings.user:
        raise InvalidName("user", "", "is not given (--user NAME, or PINYON_USER)")
    return settings.user
