"""Commands over the catalog: documents that everybody of a space may read."""

from functools import partial
from pathlib import Path
from typing import Annotated

import anyio
import typer
from rich.markup import escape
from rich.table import Table

from pinyon.domain.answers import CatalogDocument, CatalogImported
from pinyon.domain.times import show_instant
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
from pinyon.surfaces.cli.terminal import give, out, progress_bar

app = typer.Typer(help="Documents that recall answers from.", no_args_is_help=True)


@app.command("import")
def import_documents(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="DIR|FILE",
            help="A folder, or a .md, .markdown or .txt file.",
            show_default=False,
        ),
    ],
    scope: ScopeOption = "shared",
    name: Annotated[
        str | None,
        typer.Option(
            help="What it is imported as; by default the folder's name.", show_default=False
        ),
    ] = None,
    user: User = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Make the catalog equal to the documents of a folder, or to one document.

    What did not change keeps its id. Documents that were imported under the same name and are gone
    from the folder are erased.
    """

    async def act() -> CatalogImported:
        async with Who(home, tenant, user, agent, project).client() as client:
            with progress_bar("importing", None) as bar:
                return await client.import_catalog(
                    path, scope=scope_of(scope), name=name, progress=bar.done
                )

    shown = partial(_show_imported, path)
    give(anyio.run(act), as_json=as_json, encoded=encode.catalog_imported, shown=shown)


@app.command("list")
def list_documents(
    scope: ScopeOption = "shared",
    user: User = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """List the documents of a catalog."""

    async def act() -> tuple[CatalogDocument, ...]:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.list_catalog(scope=scope_of(scope))

    give(anyio.run(act), as_json=as_json, encoded=encode.catalog, shown=_show_catalog)


def _show_imported(path: Path, answer: CatalogImported) -> None:
    console = out()
    if not answer.documents:
        console.print(f"[yellow]There is no document in {escape(str(path))}.[/]", soft_wrap=True)
    sign = "[green]✓[/]" if answer.created or answer.removed else "[dim]=[/]"
    counts = f"{answer.created:,} new, {answer.kept:,} kept already, {answer.removed:,} removed"
    console.print(f"{sign} {answer.documents:,} documents: {counts}")
    if answer.skipped:
        why = "no .md, .markdown or .txt, or a link that leads out of the folder"
        console.print(f"[dim]skipped {answer.skipped:,}: {why}[/]", soft_wrap=True)


def _show_catalog(answer: tuple[CatalogDocument, ...]) -> None:
    if not answer:
        out().print(
            "[yellow]The catalog is empty.[/] [dim]Begin with: pinyon catalog import DIR[/]"
        )
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("imported as", overflow="fold")
    table.add_column("document", overflow="fold")
    table.add_column("chunks", justify="right")
    table.add_column("changed", no_wrap=True)
    for one in answer:
        changed = show_instant(one.updated_at_us)[:16].replace("T", " ")
        table.add_row(escape(one.imported_as), escape(one.name), f"{one.chunks:,}", changed)
    out().print(table)
