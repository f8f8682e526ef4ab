"""Which file of which client says what: a table of every client, on every system."""

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from pinyon.errors import InvalidValue
from pinyon.surfaces.cli.mcp_clients.clients import CLIENTS, Machine, users_file
from pinyon.surfaces.cli.mcp_clients.connection import (
    Address,
    Program,
    Running,
    address_of,
    words_to_start,
)
from pinyon.surfaces.cli.mcp_clients.offer import client_named, offer_of

HOME = Path("/u")
PROGRAM = Program("/bin/pinyon", ("mcp", "--user", "sarah o'neil", "--home", "/u/memories"))
URL = "http://127.0.0.1:7469/mcp"
LINUX = Machine(system="linux", user_home=HOME, variables={})
CALLING = [one.id for one in CLIENTS.values() if one.http]

FILES = {
    "claude-desktop": {
        "darwin": "/u/Library/Application Support/Claude/claude_desktop_config.json",
        "win32": "/u/AppData/Roaming/Claude/claude_desktop_config.json",
        "linux": "/u/.config/Claude/claude_desktop_config.json",
        "here": None,
    },
    "claude-code": dict.fromkeys(("darwin", "win32", "linux"), "/u/.claude.json")
    | {"here": "/work/.mcp.json"},
    "cursor": dict.fromkeys(("darwin", "win32", "linux"), "/u/.cursor/mcp.json")
    | {"here": "/work/.cursor/mcp.json"},
    "vs-code": {
        "darwin": "/u/Library/Application Support/Code/User/mcp.json",
        "win32": "/u/AppData/Roaming/Code/User/mcp.json",
        "linux": "/u/.config/Code/User/mcp.json",
        "here": "/work/.vscode/mcp.json",
    },
    "codex": dict.fromkeys(("darwin", "win32", "linux"), "/u/.codex/config.toml")
    | {"here": "/work/.codex/config.toml"},
    "gemini-cli": dict.fromkeys(("darwin", "win32", "linux"), "/u/.gemini/settings.json")
    | {"here": "/work/.gemini/settings.json"},
}

each_client = pytest.mark.parametrize("name", CLIENTS)


def test_every_client_is_in_the_table():
    assert list(FILES) == list(CLIENTS)
    assert {one.id: one for one in CLIENTS.values()} == CLIENTS


@each_client
@pytest.mark.parametrize("system", ["darwin", "win32", "linux"])
def test_a_clients_file_lies_where_it_reads_it(name, system):
    machine = Machine(system=system, user_home=HOME, variables={})

    assert users_file(CLIENTS[name], machine) == Path(FILES[name][system])


@each_client
def test_a_client_has_a_file_for_a_folder_or_says_that_it_has_none(name):
    folder, where = Path("/work"), FILES[name]["here"]
    if where is None:
        with pytest.raises(InvalidValue, match="one file, of its user"):
            offer_of(CLIENTS[name], PROGRAM, LINUX, folder=folder)
    else:
        assert offer_of(CLIENTS[name], PROGRAM, LINUX, folder=folder).path == Path(where)


@pytest.mark.parametrize(
    ("name", "system", "variable", "path"),
    [
        ("vs-code", "win32", "APPDATA", "Code/User/mcp.json"),
        ("claude-desktop", "linux", "XDG_CONFIG_HOME", "Claude/claude_desktop_config.json"),
        ("codex", "darwin", "CODEX_HOME", "config.toml"),
        ("claude-code", "linux", "CLAUDE_CONFIG_DIR", ".claude.json"),
    ],
)
def test_a_variable_moves_a_clients_file(name, system, variable, path):
    machine = Machine(system=system, user_home=HOME, variables={variable: "/moved"})

    assert users_file(CLIENTS[name], machine) == Path("/moved") / path


@pytest.mark.parametrize("variable", ["APPDATA", "CODEX_HOME", "CLAUDE_CONFIG_DIR"])
def test_a_variable_of_another_client_or_system_moves_nothing(variable):
    machine = Machine(system="linux", user_home=HOME, variables={variable: "/moved"})

    assert users_file(CLIENTS["cursor"], machine) == HOME / ".cursor/mcp.json"
    assert users_file(CLIENTS["vs-code"], machine) == HOME / ".config/Code/User/mcp.json"


def test_where_windows_keeps_claude_desktop_apart_its_own_file_is_meant(tmp_path):
    package = tmp_path / "Packages" / "Claude_pzs8sxrjxfjjc"
    package.mkdir(parents=True)
    variables = {"LOCALAPPDATA": str(tmp_path), "APPDATA": "/roaming"}
    windows = Machine(system="win32", user_home=HOME, variables=variables)
    inside = package / "LocalCache/Roaming/Claude/claude_desktop_config.json"

    assert users_file(CLIENTS["claude-desktop"], windows) == inside
    assert users_file(CLIENTS["vs-code"], windows) == Path("/roaming/Code/User/mcp.json")


# ── what it says ─────────────────────────────────────────────────────────────────────────────────


def read(offer):
    """Return what a client reads in a snippet."""
    is_toml = offer.client.dialect == "toml"
    return tomllib.loads(offer.snippet) if is_toml else json.loads(offer.snippet)


@each_client
def test_the_snippet_says_the_program_as_the_client_spells_it(name):
    offer = offer_of(CLIENTS[name], PROGRAM, LINUX)
    typed = {"type": "stdio"} if name in ("claude-code", "vs-code") else {}
    table = {"vs-code": "servers", "codex": "mcp_servers"}.get(name, "mcpServers")
    expected = {**typed, "command": PROGRAM.command, "args": list(PROGRAM.arguments)}

    assert read(offer) == {table: {"pinyon": expected}}


HTTP = {
    "claude-code": {
        "mcpServers": {
            "pinyon": {
                "type": "http",
                "url": URL,
                "headers": {"Authorization": "Bearer ${PINYON_API_KEY}"},
            }
        }
    },
    "cursor": {
        "mcpServers": {
            "pinyon": {"url": URL, "headers": {"Authorization": "Bearer ${env:PINYON_API_KEY}"}}
        }
    },
    "vs-code": {
        "inputs": [
            {
                "type": "promptString",
                "id": "pinyon-key",
                "description": "Key of the Pinyon server",
                "password": True,
            }
        ],
        "servers": {
            "pinyon": {
                "type": "http",
                "url": URL,
                "headers": {"Authorization": "Bearer ${input:pinyon-key}"},
            }
        },
    },
    "codex": {"mcp_servers": {"pinyon": {"url": URL, "bearer_token_env_var": "PINYON_API_KEY"}}},
    "gemini-cli": {
        "mcpServers": {
            "pinyon": {"httpUrl": URL, "headers": {"Authorization": "Bearer ${PINYON_API_KEY}"}}
        }
    },
}


@pytest.mark.parametrize("name", CALLING)
def test_the_snippet_says_the_address_as_the_client_spells_it(name):
    assert read(offer_of(CLIENTS[name], Address(URL), LINUX)) == HTTP[name]


@pytest.mark.parametrize("name", CALLING)
def test_names_are_sent_with_each_call(name):
    called = address_of(URL, {"user": None, "agent": "Jürgen's", "project": "a b"})
    said = offer_of(CLIENTS[name], called, LINUX).entry
    headers = said["http_headers" if name == "codex" else "headers"]

    assert headers["Pinyon-Agent"] == "J%C3%BCrgen%27s"
    assert headers["Pinyon-Project"] == "a%20b"
    assert "Pinyon-User" not in headers


def test_a_client_that_calls_no_server_says_what_it_does_instead():
    with pytest.raises(InvalidValue, match="starts Pinyon by itself, on the same home"):
        offer_of(CLIENTS["claude-desktop"], Address(URL), LINUX)


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:7469/mcp",
        "ftp://127.0.0.1/mcp",
        "http://",
        "http://sarah:secret@127.0.0.1/mcp",
        "http://127.0.0.1/mcp?key=secret",
        "http://127.0.0.1/mcp#secret",
        "http://127.0.0.1/mcp/pyn_secret",
        "http://127.0.0.1/m cp",
        "http://127.0.0.1:port/mcp",
        "http://[::1/mcp",
    ],
)
def test_what_is_no_plain_address_is_refused_and_not_repeated(url):
    with pytest.raises(InvalidValue) as raised:
        address_of(url, {})

    assert "secret" not in str(raised.value)


def test_an_unknown_client_is_told_with_those_that_are_known():
    with pytest.raises(InvalidValue, match="claude-desktop, claude-code, cursor"):
        client_named("emacs")


# ── what is typed instead ────────────────────────────────────────────────────────────────────────

TYPED = {
    "claude-code": "claude mcp add --scope user pinyon -- /bin/pinyon",
    "codex": "codex mcp add pinyon -- /bin/pinyon",
    "gemini-cli": "gemini mcp add --scope user pinyon /bin/pinyon --",
}


@pytest.mark.parametrize("name", TYPED)
def test_a_client_with_a_command_of_its_own_is_told_the_same(name):
    words = shlex.split(offer_of(CLIENTS[name], PROGRAM, LINUX).command)

    assert words == [*TYPED[name].split(), *PROGRAM.arguments]


def test_vs_code_takes_the_entry_as_json():
    *words, given = shlex.split(offer_of(CLIENTS["vs-code"], PROGRAM, LINUX).command)

    assert words == ["code", "--add-mcp"]
    assert json.loads(given) == {
        "name": "pinyon",
        "type": "stdio",
        "command": PROGRAM.command,
        "args": list(PROGRAM.arguments),
    }


def test_what_is_typed_leaves_the_key_where_it_is():
    commands = {
        name: shlex.split(offer_of(CLIENTS[name], Address(URL), LINUX).command) for name in CALLING
    }
    header = ["--header", "Authorization: Bearer ${PINYON_API_KEY}"]

    assert commands == {
        "claude-code": [
            *"claude mcp add --transport http --scope user pinyon".split(),
            URL,
            *header,
        ],
        "cursor": [],
        "vs-code": [],
        "codex": [
            *"codex mcp add pinyon --url".split(),
            URL,
            "--bearer-token-env-var",
            "PINYON_API_KEY",
        ],
        "gemini-cli": [
            *"gemini mcp add --scope user --transport http".split(),
            *header,
            "pinyon",
            URL,
        ],
    }


def test_a_command_that_cannot_say_it_all_is_not_offered():
    named = address_of(URL, {"agent": "app"})
    folder = Path("/work")

    assert offer_of(CLIENTS["codex"], named, LINUX).command == ""
    assert offer_of(CLIENTS["codex"], PROGRAM, LINUX, folder=folder).command == ""
    assert offer_of(CLIENTS["vs-code"], PROGRAM, LINUX, folder=folder).command == ""
    in_folder = offer_of(CLIENTS["claude-code"], PROGRAM, LINUX, folder=folder).command
    assert in_folder.startswith("claude mcp add --scope project pinyon -- ")


def test_on_windows_it_is_quoted_as_windows_does():
    windows = Machine(system="win32", user_home=HOME, variables={})
    program = Program(r"C:\Program Files\pinyon.exe", ("mcp",))

    assert offer_of(CLIENTS["codex"], program, windows).command.endswith(
        r'-- "C:\Program Files\pinyon.exe" mcp'
    )


# ── how it is started ────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "bin" / "pinyon"
    path.parent.mkdir()
    path.write_text("#!/usr/bin/env python\n")
    return path


def started(**given):
    usual = {"argv0": "pinyon", "executable": "/py/bin/python", "prefix": Path("/py"), "uvx": None}
    return words_to_start(Running(**{**usual, **given}))


def test_it_is_started_as_it_was(script):
    assert started(argv0=str(script)) == (str(script),)


def test_what_was_started_by_a_relative_path_is_started_by_the_whole_one(script, monkeypatch):
    monkeypatch.chdir(script.parents[1])

    assert started(argv0="bin/pinyon") == (str(script),)


@pytest.mark.parametrize("argv0", ["pinyon", "/py/lib/pinyon/__main__.py", "/gone/bin/pinyon"])
def test_what_was_started_otherwise_is_started_by_its_python(argv0, script, monkeypatch):
    monkeypatch.chdir(script.parent)

    # `pinyon` in the folder in which one happens to stand is not what was started.
    assert started(argv0=argv0) == ("/py/bin/python", "-P", "-m", "pinyon")


@pytest.mark.parametrize("bucket", ["archive-v0", "environments-v2"])
def test_from_a_cache_it_is_started_by_what_filled_it(script, bucket):
    cached = {"argv0": str(script), "prefix": Path("/c/uv") / bucket / "Ab3"}
    by_uvx = ("/b/uvx", "--from", "pinyon[mcp]", "pinyon")

    assert started(**cached, uvx="/b/uvx") == by_uvx
    assert started(**cached, uvx="/b/uvx", extras=("mcp", "local"))[2] == "pinyon[mcp,local]"
    assert started(**cached, uvx=None) == (str(script),)
    assert started(argv0=str(script), uvx="/b/uvx") == (str(script),)
