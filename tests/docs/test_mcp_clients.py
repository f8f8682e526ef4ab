"""Every MCP client has a page, and each shows what the program prints."""

from pathlib import Path

import pytest

from pinyon.surfaces.cli.mcp_clients.clients import CLIENTS, Machine, users_file
from pinyon.surfaces.cli.mcp_clients.connection import Address, Program
from pinyon.surfaces.cli.mcp_clients.offer import offer_of

MEMORIES = "/home/sarah/.local/share/pinyon"
SHOWN = (
    Program("/home/sarah/.local/bin/pinyon", ("mcp", "--user", "sarah", "--home", MEMORIES)),
    Address("http://127.0.0.1:7469/mcp"),
)
LINUX = Machine(system="linux", user_home=Path("/home/sarah"), variables={})
ROOTS = {
    "darwin": ("~/Library/Application Support/", "/"),
    "win32": ("%APPDATA%\\", "\\"),
    "linux": ("~/.config/", "/"),
}


@pytest.fixture(params=CLIENTS.values(), ids=CLIENTS)
def client(request):
    return request.param


@pytest.fixture
def client_page(root, client):
    return root / "docs" / "howto" / "mcp" / f"{client.id}.md"


@pytest.fixture
def offers(client):
    shown = SHOWN if client.http else SHOWN[:1]
    return [offer_of(client, connection, LINUX) for connection in shown]


def test_a_page_shows_the_snippets_that_are_printed(client_page, blocks_of, offers):
    shown = [block.body for block in blocks_of(client_page) if block.info in ("json", "toml")]

    assert shown == [one.snippet for one in offers]


def test_a_page_shows_the_clients_own_commands(client_page, blocks_of, offers):
    shown = {block.body for block in blocks_of(client_page) if block.info == "sh"}

    assert {f"{one.command}\n" for one in offers if one.command} <= shown


def test_a_page_shows_what_installing_says(client_page, client, blocks_of):
    console = next(block for block in blocks_of(client_page) if block.info == "console")
    path = users_file(client, LINUX)

    assert console.body == (
        f"$ pinyon mcp install {client.id}\n✓ {path} is written\n{client.then}\n"
    )


def test_a_page_says_where_the_file_lies(client_page, client):
    text = client_page.read_text("utf-8")
    place = client.users_file
    if place.root == "home":
        assert f"`~/{place.path}`" in text
    else:
        for root, between in ROOTS.values():
            assert f"`{root}{place.path.replace('/', between)}`" in text
    assert place.moved_by in text
    assert client.folders_file in text


def test_the_list_of_clients_leads_to_every_page(root, client, client_page):
    text = (root / "docs" / "howto" / "mcp-clients.md").read_text("utf-8")

    assert f"| `{client.id}` | [{client.title}](mcp/{client_page.name}) |" in text
