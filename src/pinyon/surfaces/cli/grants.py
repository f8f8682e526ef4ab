"""Commands over who may read and write a project, or the tenant's shared space."""

from collections.abc import Sequence
from typing import Annotated

import anyio
import typer

from pinyon.domain.grant import PERMISSIONS, Grant
from pinyon.domain.space import Space
from pinyon.surfaces import encode_place
from pinyon.surfaces.cli.options import AsJson, Home, one_of
from pinyon.surfaces.cli.show_forgetting import show_grants
from pinyon.surfaces.cli.terminal import give
from pinyon.wiring import operate

app = typer.Typer(help="Who may read and write what is shared.", no_args_is_help=True)

Place = Annotated[
    str, typer.Argument(metavar="SPACE", help="As `default/project/hub` or `default/shared`.")
]
Holder = Annotated[str, typer.Argument(metavar="USER", help="A user of the tenant.")]


@app.command("list")
def list_grants(home: Home = None, as_json: AsJson = False) -> None:
    """List what is granted. A space without a grant is open to all of its tenant."""

    async def act() -> Sequence[Grant]:
        async with operate(home) as operator:
            return await operator.grants()

    give(anyio.run(act), as_json=as_json, encoded=encode_place.grants, shown=show_grants)


@app.command("add")
def add(
    space: Place,
    user: Holder,
    may: Annotated[str, typer.Option(help="read, or write (and read).")] = "write",
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Let a user read, or write, a shared space; from the first grant on it is closed to others."""

    async def act() -> Sequence[Grant]:
        async with operate(home) as operator:
            permission = one_of("may", may, PERMISSIONS)
            return [await operator.grant(Space.parse(space), user, permission)]

    give(anyio.run(act), as_json=as_json, encoded=encode_place.grants, shown=show_grants)


@app.command("remove")
def remove(space: Place, user: Holder, home: Home = None, as_json: AsJson = False) -> None:
    """Take a grant back, at once. The last one that goes opens the space to all again."""

    async def act() -> Sequence[Grant]:
        async with operate(home) as operator:
            await operator.revoke(Space.parse(space), user)
            return await operator.grants()

    give(anyio.run(act), as_json=as_json, encoded=encode_place.grants, shown=show_grants)
