"""What is offered to who wants to connect a client: the snippet, where it goes, what to do next."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pinyon.errors import InvalidValue
from pinyon.surfaces.cli.mcp_clients.client_file import snippet
from pinyon.surfaces.cli.mcp_clients.clients import (
    CLIENTS,
    KEY_VARIABLE,
    SERVER,
    Client,
    Machine,
    users_file,
)
from pinyon.surfaces.cli.mcp_clients.connection import (
    Address,
    Connection,
    adding,
    entry_of,
    shown_words,
    things_of,
)
from pinyon.surfaces.cli.mcp_clients.thing import Thing


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What connects a client.

    Attributes:
        client: Which client.
        path: The file in which it is to stand.
        things: What is to stand in it.
        entry: The entry of the server alone.
        snippet: All of that, as a whole file.
        command: What is typed to have the client write it itself; empty for nothing.
        next: What its user does next.
    """

    client: Client
    path: Path
    things: tuple[Thing, ...]
    entry: Mapping[str, object]
    snippet: str
    command: str
    next: tuple[str, ...]


def client_named(name: str) -> Client:
    """Return a client.

    Raises:
        InvalidValue: There is none of that name.
    """
    if name not in CLIENTS:
        raise InvalidValue("client", name, "one of " + ", ".join(CLIENTS))
    return CLIENTS[name]


def file_of(client: Client, machine: Machine, folder: Path | None) -> Path:
    """Return a client's file: of its user, or for whoever works in a folder.

    Raises:
        InvalidValue: The client has none for a folder.
    """
    if folder is None:
        return users_file(client, machine)
    if not client.folders_file:
        raise InvalidValue(
            "here", True, f"left out for {client.title}, which has one file, of its user"
        )
    return folder / client.folders_file


def offer_of(
    client: Client, connection: Connection, machine: Machine, *, folder: Path | None = None
) -> Offer:
    """Return what connects a client.

    Args:
        client: Which client.
        connection: What it is told.
        machine: What tells where its file lies.
        folder: For whoever works in this folder, rather than for the user everywhere.

    Raises:
        InvalidValue: The client cannot be told that.
    """
    things = things_of(client, connection)
    words = adding(client, connection, scope="user" if folder is None else "project")
    return Offer(
        client=client,
        path=file_of(client, machine, folder),
        things=things,
        entry=entry_of(client, connection),
        snippet=snippet(client.dialect, things),
        command=shown_words(words, machine.system),
        next=(*_about_the_key(client, connection), client.then),
    )


def all_things(client: Client) -> tuple[Thing, ...]:
    """Return everything of ours that may stand in a client's file, by name alone."""
    names = [Thing(table=client.table, name=SERVER, value={})]
    if client.prompt is not None:
        declared = str(client.prompt.item["id"])
        names.append(Thing(table=client.prompt.table, name=declared, value={}, is_item=True))
    return tuple(names)


def _about_the_key(client: Client, connection: Connection) -> tuple[str, ...]:
    if not isinstance(connection, Address):
        return ()
    made = "Make a key on the server: pinyon keys create --role agent --agent NAME."
    if client.prompt is not None:
        return (made, f"{client.title} asks for it when it first calls the server.")
    return (made, f"Put it into {KEY_VARIABLE} where {client.title} is started.")
