"""Commands that erase, and that show what is left of it."""

import sys
from functools import partial
from typing import Annotated

import anyio
import typer

from pinyon.domain.answers import Forgotten
from pinyon.domain.question import Meant
from pinyon.domain.receipt import Receipt
from pinyon.errors import BadInput
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
    scope_of,
)
from pinyon.surfaces.cli.show_forgetting import show_forgotten, show_receipts
from pinyon.surfaces.cli.terminal import err, give


def forget(
    memory_ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID", help="Ids of memories or events.", show_default=False),
    ] = None,
    user: User = None,
    query: Annotated[
        str | None,
        typer.Option(
            help="What it says: shows what is found; with --yes forgets the one that holds it all."
        ),
    ] = None,
    session: Annotated[
        str | None, typer.Option(help="Everything of a conversation.", show_default=False)
    ] = None,
    document: Annotated[
        str | None, typer.Option(help="A document of the catalog.", show_default=False)
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All that is remembered about the user.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would go, and what says the same.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask: it is meant.")] = False,
    scope: ScopeOption = "own",
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Erase memories, with all that rests on them alone; the answer is a receipt.

    The words of messages that said it are covered. No file of the home keeps a byte of it.
    """
    meant: Meant = {}
    if query is not None:
        meant["query"] = query
    if session is not None:
        meant["session"] = session
    if document is not None:
        meant["document"] = document
    if everything:
        meant["everything"] = True

    asks = not (yes or dry_run or as_json) and sys.stdin.isatty() and sys.stdout.isatty()
    if everything and not (yes or dry_run or asks):
        raise BadInput("--all is for good; say --yes too, or --dry-run to see what would go")

    async def act() -> Forgotten:
        async with Who(home, tenant, user, agent, project).client() as client:
            do = partial(client.forget, memory_ids or (), scope=scope_of(scope), **meant)
            if not asks:
                return await do(dry_run=dry_run, confirmed=yes or dry_run)
            found = await do(dry_run=True, confirmed=True)
            if not found.would_change:
                return found
            show_forgotten(found)
            if not typer.confirm("Forget this for good?"):
                err().print("Nothing was forgotten.")
                raise typer.Abort
            return await do(confirmed=True)

    give(anyio.run(act), as_json=as_json, encoded=encode.forgotten, shown=show_forgotten)


def receipts(
    user: User = None,
    scope: ScopeOption = "own",
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """List what is left of what was forgotten: ids, counts and times, never a word."""

    async def act() -> tuple[Receipt, ...]:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.receipts(scope=scope_of(scope))

    give(anyio.run(act), as_json=as_json, encoded=encode.receipts, shown=show_receipts)
