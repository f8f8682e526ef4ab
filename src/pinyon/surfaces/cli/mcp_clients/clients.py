"""The MCP clients that can be connected: one value each, of nothing but data.

Where a client keeps its servers, under which key, and how it spells a program that it starts and an
address that it calls. Everything else goes by these values; there is no other place that knows a
client by name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

SERVER = "pinyon"
"""Under which name Pinyon stands in a client's file."""

KEY_VARIABLE = "PINYON_API_KEY"
"""Where a client finds the key of a server, so that it stands in no file."""

System = Literal["darwin", "win32", "linux"]
Dialect = Literal["json", "commented json", "toml"]
Root = Literal["home", "programs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsersFile:
    """Where a client keeps the servers that its user has everywhere.

    Attributes:
        root: Below what it lies: the user's home, or the system's folder for settings of programs.
        path: Where it lies below that.
        moved_by: An environment variable that names the file's folder where it is set.
        package: As what Windows keeps the client apart, as a pattern, if it does; a client that is
            kept apart reads another file, without being told.
    """

    root: Root
    path: str
    moved_by: str = ""
    package: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpForm:
    """How a client spells a server that it calls.

    Attributes:
        url: The field of the address.
        headers: The field of the headers.
        authorization: The header that brings the key from where it is kept; empty where a field
            does that.
        key_field: The field that names the variable of the key; empty where a header does that.
        constant: What it says beside.
    """

    url: str
    headers: str
    authorization: str = ""
    key_field: str = ""
    constant: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a client asks its user for, once, and keeps where it keeps secrets.

    Attributes:
        table: The list in which it is declared.
        item: The declaration; its `id` tells it from others.
    """

    table: str
    item: Mapping[str, str | bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """An MCP client.

    Attributes:
        id: How a command names it.
        title: What it calls itself.
        dialect: The form of its file, as it reads it.
        table: Under which key its servers stand.
        users_file: The file for all that its user does.
        folders_file: The file for whoever works in a folder, below that folder; empty for none.
        starting: What it says of a server that it starts, beside command and arguments.
        http: How it spells a server that it calls; `None` where it calls none with a key.
        prompt: What it asks for where it calls one.
        adds: What is typed to have the client write it itself, for a server that it starts; a
            word in braces stands for what is in its place. Empty for none.
        adds_http: The same for a server that it calls.
        then: What its user does next.
    """

    id: str
    title: str
    dialect: Dialect
    table: str
    users_file: UsersFile
    folders_file: str = ""
    starting: Mapping[str, str] = field(default_factory=dict)
    http: HttpForm | None = None
    prompt: Prompt | None = None
    adds: tuple[str, ...] = ()
    adds_http: tuple[str, ...] = ()
    then: str


CLAUDE_DESKTOP = Client(
    id="claude-desktop",
    title="Claude Desktop",
    dialect="json",
    table="mcpServers",
    users_file=UsersFile(
        root="programs", path="Claude/claude_desktop_config.json", package="Claude_*"
    ),
    then="Quit Claude Desktop, not only its window, and start it again.",
)

CLAUDE_CODE = Client(
    id="claude-code",
    title="Claude Code",
    dialect="json",
    table="mcpServers",
    users_file=UsersFile(root="home", path=".claude.json", moved_by="CLAUDE_CONFIG_DIR"),
    folders_file=".mcp.json",
    starting={"type": "stdio"},
    http=HttpForm(
        url="url",
        headers="headers",
        authorization=f"Bearer ${{{KEY_VARIABLE}}}",
        constant={"type": "http"},
    ),
    adds=tuple("claude mcp add --scope {scope} {name} -- {program}".split()),
    adds_http=tuple(
        "claude mcp add --transport http --scope {scope} {name} {url} {headers}".split()
    ),
    then="Start a new session of Claude Code; /mcp shows whether it is connected.",
)

CURSOR = Client(
    id="cursor",
    title="Cursor",
    dialect="commented json",
    table="mcpServers",
    users_file=UsersFile(root="home", path=".cursor/mcp.json"),
    folders_file=".cursor/mcp.json",
    http=HttpForm(url="url", headers="headers", authorization=f"Bearer ${{env:{KEY_VARIABLE}}}"),
    then="Restart Cursor; its settings show under MCP whether it is connected.",
)

VS_CODE = Client(
    id="vs-code",
    title="VS Code",
    dialect="commented json",
    table="servers",
    users_file=UsersFile(root="programs", path="Code/User/mcp.json"),
    folders_file=".vscode/mcp.json",
    starting={"type": "stdio"},
    http=HttpForm(
        url="url",
        headers="headers",
        authorization="Bearer ${input:pinyon-key}",
        constant={"type": "http"},
    ),
    prompt=Prompt(
        table="inputs",
        item={
            "type": "promptString",
            "id": "pinyon-key",
            "description": "Key of the Pinyon server",
            "password": True,
        },
    ),
    adds=("code", "--add-mcp", "{json}"),
    then="Run `MCP: List Servers` from the command palette of VS Code, and start pinyon there.",
)

CODEX = Client(
    id="codex",
    title="Codex",
    dialect="toml",
    table="mcp_servers",
    users_file=UsersFile(root="home", path=".codex/config.toml", moved_by="CODEX_HOME"),
    folders_file=".codex/config.toml",
    http=HttpForm(url="url", headers="http_headers", key_field="bearer_token_env_var"),
    adds=tuple("codex mcp add {name} -- {program}".split()),
    adds_http=tuple(
        f"codex mcp add {{name}} --url {{url}} --bearer-token-env-var {KEY_VARIABLE}".split()
    ),
    then="Start a new session of Codex; /mcp shows whether it is connected.",
)

GEMINI_CLI = Client(
    id="gemini-cli",
    title="Gemini CLI",
    dialect="commented json",
    table="mcpServers",
    users_file=UsersFile(root="home", path=".gemini/settings.json"),
    folders_file=".gemini/settings.json",
    http=HttpForm(url="httpUrl", headers="headers", authorization=f"Bearer ${{{KEY_VARIABLE}}}"),
    adds=tuple("gemini mcp add --scope {scope} {name} {command} -- {arguments}".split()),
    adds_http=tuple(
        "gemini mcp add --scope {scope} --transport http {headers} {name} {url}".split()
    ),
    then="Start Gemini CLI anew; /mcp shows whether it is connected.",
)

CLIENTS: Mapping[str, Client] = {
    one.id: one for one in (CLAUDE_DESKTOP, CLAUDE_CODE, CURSOR, VS_CODE, CODEX, GEMINI_CLI)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What tells where a client's file lies.

    Attributes:
        system: Which system it is, as Python names it.
        user_home: The home of whoever runs this.
        variables: What the environment says of folders.
    """

    system: System
    user_home: Path
    variables: Mapping[str, str]

    def programs(self) -> Path:
        """Return the folder for settings of programs."""
        if self.system == "darwin":
            return self.user_home / "Library" / "Application Support"
        if self.system == "win32":
            return Path(self.variables.get("APPDATA") or self.user_home / "AppData" / "Roaming")
        return Path(self.variables.get("XDG_CONFIG_HOME") or self.user_home / ".config")

    def packaged(self, pattern: str) -> Path | None:
        """Return the folder for settings of a program that Windows keeps apart, if it does so."""
        if self.system != "win32" or not pattern:
            return None
        local = Path(self.variables.get("LOCALAPPDATA") or self.user_home / "AppData" / "Local")
        found = sorted((local / "Packages").glob(pattern))
        return found[0] / "LocalCache" / "Roaming" if found else None


VARIABLES = (
    "APPDATA",
    "LOCALAPPDATA",
    "XDG_CONFIG_HOME",
    *(one.users_file.moved_by for one in CLIENTS.values() if one.users_file.moved_by),
)
"""The environment variables that say where clients keep their files."""


def users_file(client: Client, machine: Machine) -> Path:
    """Return where a client keeps the servers that its user has everywhere."""
    place = client.users_file
    moved = machine.variables.get(place.moved_by) if place.moved_by else None
    if moved:
        return Path(moved) / Path(place.path).name
    if place.root == "home":
        return machine.user_home / place.path
    return (machine.packaged(place.package) or machine.programs()) / place.path
