"""What a client is told of Pinyon: the program that it starts, or the address that it calls."""

import json
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import assert_never
from urllib.parse import quote, urlsplit

from pinyon.errors import InvalidValue
from pinyon.surfaces.cli.mcp_clients.clients import KEY_VARIABLE, SERVER, Client, System
from pinyon.surfaces.cli.mcp_clients.thing import Thing

UVX_CACHES = ("archive-v", "environments-v")
"""How the folders begin in which uv keeps environments that it may remove at any time."""

_HOLDS_MORE = re.compile(r"\s|pyn_")
"""White space, or a key, in what should be an address."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program that the client starts, to speak with it over its standard streams.

    Attributes:
        command: Absolute: clients start it with another `PATH`, in another folder.
        arguments: What it is told.
    """

    command: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Address:
    """A server that the client calls.

    Attributes:
        url: Where it is.
        headers: What is sent with each call, beside the key.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)


Connection = Program | Address


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """How the program that runs now was started.

    Attributes:
        argv0: As what.
        executable: By which Python.
        prefix: In which environment.
        uvx: Where `uvx` is, if it is anywhere.
        extras: What is installed beside, by the names of our extras.
    """

    argv0: str
    executable: str
    prefix: Path
    uvx: str | None
    extras: tuple[str, ...] = ()

    @property
    def is_from_cache(self) -> bool:
        """Return whether uv made the environment for this one run, and may remove it."""
        return self.uvx is not None and self.prefix.parent.name.startswith(UVX_CACHES)


def words_to_start(running: Running) -> tuple[str, ...]:
    """Return the words by which the program that runs now can be started from anywhere.

    As `pinyon` where it was started so; by way of `uvx` where that made its environment, which will
    not be there for long; by its Python else.
    """
    if running.uvx and running.is_from_cache:
        extras = ",".join(dict.fromkeys(("mcp", *running.extras)))
        return (running.uvx, "--from", f"pinyon[{extras}]", "pinyon")
    started = Path(running.argv0)
    if started.stem == "pinyon" and len(started.parts) > 1 and started.is_file():
        return (str(started.absolute()),)
    # Not from the folder in which a client starts it, whatever lies there.
    return (running.executable, "-P", "-m", "pinyon")


def address_of(url: str, names: Mapping[str, str | None]) -> Address:
    """Return the address of a server, asked in the name of somebody where one is named.

    Raises:
        InvalidValue: It is no address, or holds what does not belong into a file.
    """
    try:
        parts = urlsplit(url)
        is_plain = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_plain = is_plain and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        is_plain = False
    if not is_plain or parts.query or parts.fragment or _HOLDS_MORE.search(url):
        # What it is, is not repeated: a password or a key may stand in it.
        raise InvalidValue(
            "url", "no plain address", "http:// or https://, a host and a path, without any key"
        )
    headers = {
        f"Pinyon-{what.capitalize()}": quote(name, safe="")
        for what, name in names.items()
        if name is not None
    }
    return Address(url, headers)


def things_of(client: Client, connection: Connection) -> tuple[Thing, ...]:
    """Return what a client's file must hold to connect it.

    Raises:
        InvalidValue: The client cannot call a server.
    """
    entry = Thing(table=client.table, name=SERVER, value=entry_of(client, connection))
    if client.prompt is None or isinstance(connection, Program):
        return (entry,)
    prompt = client.prompt
    asked = Thing(
        table=prompt.table, name=str(prompt.item["id"]), value=dict(prompt.item), is_item=True
    )
    return (asked, entry)


def entry_of(client: Client, connection: Connection) -> dict[str, object]:
    """Return how a client spells a connection.

    Raises:
        InvalidValue: The client cannot call a server.
    """
    match connection:
        case Program(command, arguments):
            return {**client.starting, "command": command, "args": list(arguments)}
        case Address(url, headers):
            return _called(client, url, headers)
        case _:
            assert_never(connection)


def _called(client: Client, url: str, headers: Mapping[str, str]) -> dict[str, object]:
    form = client.http
    if form is None:
        raise InvalidValue(
            "url",
            url,
            f"left out for {client.title}, whose file names programs only; without it "
            f"{client.title} starts Pinyon by itself, on the same home as a server if need be",
        )
    sent = dict(headers)
    entry: dict[str, object] = {**form.constant, form.url: url}
    if form.key_field:
        entry[form.key_field] = KEY_VARIABLE
    else:
        sent = {"Authorization": form.authorization, **sent}
    return {**entry, form.headers: sent} if sent else entry


def adding(client: Client, connection: Connection, *, scope: str) -> list[str]:
    """Return what is typed to have the client write it itself; nothing if it cannot.

    Args:
        client: Which client.
        connection: What it is told.
        scope: For whom: `user`, or `project` for whoever works in the folder.
    """
    words: Mapping[str, Sequence[str]]
    match connection:
        case Program(command, arguments):
            template = client.adds
            words = {
                "{program}": [command, *arguments],
                "{command}": [command],
                "{arguments}": arguments,
                "{json}": [json.dumps({"name": SERVER, **entry_of(client, connection)})],
            }
        case Address(url, headers):
            template = client.adds_http
            if client.http is None or (headers and "{headers}" not in template):
                return []
            sent = {"Authorization": client.http.authorization, **headers}
            words = {
                "{url}": [url],
                "{headers}": [word for key in sent for word in ("--header", f"{key}: {sent[key]}")],
            }
        case _:
            assert_never(connection)
    if scope != "user" and "{scope}" not in template:
        return []
    words = {**words, "{name}": [SERVER], "{scope}": [scope]}
    return [word for one in template for word in words.get(one, [one])]


def shown_words(words: Sequence[str], system: System) -> str:
    """Return words as a line to type."""
    return subprocess.list2cmdline(words) if system == "win32" else shlex.join(words)
