"""MCP clients are connected: what is printed, and what becomes of a file that is somebody's."""

import getpass
import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from pinyon.errors import Conflict
from pinyon.surfaces.cli.mcp_clients.client_file import changed, written
from pinyon.surfaces.cli.mcp_clients.clients import CLIENTS
from pinyon.surfaces.cli.mcp_clients.thing import Thing

URL = "http://127.0.0.1:7469/mcp"
SECRET = "pyn_01a22d2fc349711a966a82f6caabdf2c_HkQQg5MhT7o2wEjX7wjOKnKKm2gIR7vHa6FeB5Eb3nn"  # noqa: S105
CALLING = [one.id for one in CLIENTS.values() if one.http]

COMMENTED = """\
{
    // Kept by hand.
    "servers": {
        "docs": {"command": "docs", "args": ["a", "b"]}, // not "mine"
        /* "old": {}, */
        "last": {
            "command": "last", // said of it
        } // said behind it
        // said below
    },
    "inputs": [],
}
"""

CODEX = """\
model = "o9"   # mine

[mcp_servers.docs]
command = "docs"
args = [
  "a", # one
]

# What comes next is said here.
[profiles.fast]
model = "o9-mini"
"""

each_client = pytest.mark.parametrize("client", CLIENTS)


@pytest.fixture(autouse=True)
def own_place(tmp_path, monkeypatch):
    """Stand in a folder of one's own, as somebody whose home is another."""
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "me"))
    monkeypatch.setenv("PINYON_API_KEY", SECRET)
    monkeypatch.chdir(folder)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "settings" / "mcp.json"


@pytest.fixture
def install(pinyon, file):
    """Connect a client by way of the test's file; it must go well, and says what was done."""

    def call(client, *args, command="install"):
        said = pinyon("mcp", command, client, "--path", file, "--json", *args)
        assert (said.exit, said.err) == (0, "")
        return said.json

    return call


@pytest.fixture
def given(file):
    """Put something into the test's file."""

    def put(content):
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    return put


def read(client, text):
    return tomllib.loads(text) if client == "codex" else json.loads(text)


def servers(client, text):
    return read(client, text)[CLIENTS[client].table]


def backups(file):
    return sorted(one.name for one in file.parent.iterdir() if one != file)


# ── what is printed ──────────────────────────────────────────────────────────────────────────────


@each_client
def test_the_snippet_alone_is_on_stdout(pinyon, home, client):
    said = pinyon("mcp", "config", client)
    entry = servers(client, said.out)["pinyon"]
    words = [entry["command"], *entry["args"]]

    assert said.exit == 0
    assert words[words.index("mcp") :] == ["mcp", "--user", "sarah", "--home", str(home)]
    assert CLIENTS[client].then in " ".join(said.err.split())


@each_client
def test_all_that_says_for_whom_is_passed_on(pinyon, tmp_path, client):
    who = ("--user", "Jürgen", "--tenant", "acme", "--agent", "-a b", "--project", 'the "hub"')
    said = pinyon("mcp", "config", client, *who, "--tools", "full", "--home", "there", "--json")
    args = said.json["entry"]["args"]

    assert args[args.index("mcp") + 1 :] == [
        *("--user", "Jürgen", "--home", str(tmp_path / "work" / "there"), "--tenant", "acme"),
        *("--agent", "-a b", "--project", 'the "hub"', "--tools", "full"),
    ]
    assert servers(client, said.json["snippet"])["pinyon"] == said.json["entry"]


def test_whoever_names_nobody_connects_the_login_name(pinyon):
    args = pinyon("mcp", "config", "cursor", "--json", user=None).json["entry"]["args"]

    assert args[args.index("--user") + 1] == getpass.getuser()


def test_what_it_starts_is_there_and_starts_in_any_folder_with_no_path(process):
    said = process("mcp", "config", "cursor", "--json")
    entry = json.loads(said.stdout)["entry"]
    words = entry["args"][: entry["args"].index("mcp")]
    done = subprocess.run(
        [entry["command"], *words, "--version"],
        cwd="/",
        env={"PYTHONPATH": os.environ.get("PYTHONPATH", ""), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )

    assert Path(entry["command"]).is_absolute()
    assert done.stdout.startswith("pinyon "), done.stderr


@pytest.mark.parametrize("client", CALLING)
@pytest.mark.parametrize("command", ["config", "install"])
def test_a_key_stands_nowhere(pinyon, tmp_path, client, command):
    for args in ([], ["--url", URL], ["--url", URL, "--json"]):
        said = pinyon("mcp", command, client, *args)

        assert said.exit == 0
        assert SECRET[4:36] not in said.out + said.err
    written_files = [one for one in tmp_path.rglob("*") if one.is_file()]
    assert len(written_files) == (2 if command == "install" else 0)
    assert not [one for one in written_files if b"pyn_" in one.read_bytes()]


@pytest.mark.parametrize("client", ["cursor", "codex"])
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_of_few_characters_is_given_the_same_in_others(pinyon, client, encoding):
    named = ("--user", "Jürgen 👩 止损")
    plain = pinyon("mcp", "config", client, *named)
    said = pinyon("mcp", "config", client, *named, encoding=encoding)

    assert "止损" in plain.out
    assert said.out.isascii()
    assert read(client, said.out) == read(client, plain.out)


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["config", "emacs"], "invalid_value"),
        (["config", "claude-desktop", "--url", URL], "invalid_value"),
        (["install", "claude-desktop", "--here"], "invalid_value"),
        (["uninstall", "claude-desktop", "--here"], "invalid_value"),
        (["install", "cursor", "--url", f"{URL}?key={SECRET}"], "invalid_value"),
        (["install", "cursor", "--url", URL, "--home", "there"], "invalid_value"),
        (["install", "cursor", "--url", URL, "--tenant", "acme"], "invalid_value"),
        (["install", "cursor", "--url", URL, "--tools", "full"], "invalid_value"),
        (["install", "cursor", "--tools", "all"], "invalid_value"),
        (["install", "cursor", "--user", "\x00"], "invalid_name"),
        (["install", "cursor", "--agent", " "], "invalid_name"),
        (["install", "cursor", "--home", b"\xff"], "invalid_file"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(pinyon, tmp_path, args, code):
    said = pinyon("mcp", *args, "--json")

    assert (said.exit, said.out, said.error["code"]) == (2, "", code)
    assert SECRET not in said.err
    assert not [one for one in tmp_path.rglob("*") if one.is_file()]


# ── a file that is somebody's ────────────────────────────────────────────────────────────────────


@each_client
def test_a_file_and_its_folders_are_made_where_the_client_looks(pinyon, tmp_path, client):
    shown = pinyon("mcp", "config", client, "--json").json
    said = pinyon("mcp", "install", client)
    path = Path(shown["path"])

    assert path.is_relative_to(tmp_path / "me")
    assert path.read_text("utf-8") == shown["snippet"]
    assert str(path) in said.out
    assert CLIENTS[client].then in " ".join(said.out.split())
    assert backups(path) == []


@pytest.mark.parametrize("client", [one.id for one in CLIENTS.values() if one.folders_file])
def test_here_it_is_written_into_the_folder(pinyon, tmp_path, client):
    path = tmp_path / "work" / CLIENTS[client].folders_file
    pinyon("mcp", "install", client, "--here")

    assert "pinyon" in servers(client, path.read_text("utf-8"))
    assert not (tmp_path / "me").exists()
    pinyon("mcp", "uninstall", client, "--here")
    assert "pinyon" not in read(client, path.read_text("utf-8")).get(CLIENTS[client].table, {})


@each_client
def test_a_second_time_nothing_is_done_and_said(pinyon, install, file, client):
    install(client)
    before = file.stat()
    again = install(client)

    assert (again["changed"], again["backup"], again["diff"]) == (False, None, "")
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    assert backups(file) == []
    assert "is so already" in pinyon("mcp", "install", client, "--path", file).out


def test_other_servers_and_settings_stay_and_what_was_there_is_kept(install, given, file):
    text = '{"theme": "dark", "mcpServers": {"docs": {"command": "docs"}}, "n": 1.50e3}\n'
    given(text)
    said = install("claude-desktop")
    document = json.loads(file.read_text())

    assert list(document) == ["theme", "mcpServers", "n"]
    assert document["mcpServers"]["docs"] == {"command": "docs"}
    assert "1.50e3" in file.read_text()
    assert said["backup"] == f"{file}.bak"
    assert Path(said["backup"]).read_text() == text


def test_each_change_keeps_what_was_before_it(install, file):
    install("cursor")
    kept = [install("cursor", "--user", name)["backup"] for name in ("ann", "bob", "carl")]

    assert kept == [f"{file}.bak", f"{file}.bak2", f"{file}.bak3"]
    assert ["sarah" in Path(one).read_text() for one in kept] == [True, False, False]


def test_comments_and_layout_stay(install, given, file):
    given(COMMENTED)
    install("vs-code")
    text = file.read_text()

    entry = text[text.index('        "pinyon": {') : text.index("        // said below")]
    assert text.replace(entry, "").replace("} , //", "} //") == COMMENTED.replace(
        "        } // said behind it\n", "        }, // said behind it\n"
    )
    assert '\n            "command": ' in entry


def test_a_last_entry_with_a_comma_behind_it_gets_no_second_one(install, given, file):
    given('{\n\t"mcpServers": {\n\t\t"docs": {}, // so\n\t},\n}\n')
    install("cursor")

    assert file.read_text().startswith(
        '{\n\t"mcpServers": {\n\t\t"docs": {}, // so\n\t\t"pinyon": {\n\t\t\t"command": '
    )
    assert file.read_text().endswith("\n\t\t}\n\t},\n}\n")


@pytest.mark.parametrize(
    ("client", "before"),
    [("vs-code", COMMENTED), ("cursor", '{"mcpServers": {}}'), ("codex", CODEX)],
)
def test_what_was_put_in_is_taken_out(install, given, file, client, before):
    given(before)
    for args in ([], ["--url", URL]):
        install(client, *args)
        assert install(client, command="uninstall")["changed"]

    left = file.read_text()
    if client == "codex":
        assert left == before
    assert "".join(left.split()) == "".join(before.split())
    assert not install(client, command="uninstall")["changed"]


@each_client
def test_where_nothing_is_nothing_is_taken_out(install, file, client):
    said = install(client, command="uninstall")

    assert (said["changed"], said["backup"]) == (False, None)
    assert not file.exists()


def test_toml_is_left_as_it_is_byte_for_byte(install, given, file):
    given(CODEX)
    install("codex")
    text = file.read_text()

    assert text.startswith(CODEX + "\n[mcp_servers.pinyon]\ncommand = ")
    install("codex", "--url", URL)
    assert file.read_text() == (
        f'{CODEX}\n[mcp_servers.pinyon]\nurl = "{URL}"\nbearer_token_env_var = "PINYON_API_KEY"\n'
    )


def test_toml_in_the_middle_is_changed_in_the_middle(install, given, file):
    own = 'enabled = false\ntools = ["a"]\nlimits = { n = 1, at = 2026-01-01 }\n'
    below = '\n[mcp_servers.pinyon.env]\nPINYON_MODELS = "off"\n\n# Said of it.\n[other]\nn = 1\n'
    given(f'[mcp_servers."pinyon"] # old\ncommand = "old"\n{own}{below}')
    install("codex")
    text = file.read_text()

    assert text.startswith("[mcp_servers.pinyon]\ncommand = ")
    assert text.endswith(own + below)
    install("codex", command="uninstall")
    assert file.read_text() == "\n# Said of it.\n[other]\nn = 1\n"


def test_toml_that_was_set_for_a_program_goes_with_it(install, given, file):
    given('[mcp_servers.pinyon]\ncommand = "old"\n\n[mcp_servers.pinyon.env]\nA = "1"\n\n[other]\n')
    install("codex", "--url", URL)

    assert file.read_text() == (
        f'[mcp_servers.pinyon]\nurl = "{URL}"\nbearer_token_env_var = "PINYON_API_KEY"\n\n[other]\n'
    )


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { docs = { command = "docs" } }\n',
        '[mcp_servers]\npinyon = { command = "old" }\n',
        'mcp_servers.pinyon.command = "old"\n',
    ],
)
def test_toml_that_is_written_otherwise_is_left_to_its_user(pinyon, given, file, text):
    given(text)
    said = pinyon("mcp", "install", "codex", "--path", file, "--json")

    assert (said.exit, said.error["code"]) == (2, "invalid_file")
    assert "pinyon mcp config" in said.error["message"]
    assert (file.read_text(), backups(file)) == (text, [])


def test_what_its_user_set_in_our_entry_stays(install, given, file):
    given('{"mcpServers": {"pinyon": {"command": "old", "env": {"PINYON_MODELS": "off"}}}}')
    install("cursor")

    assert servers("cursor", file.read_text())["pinyon"]["env"] == {"PINYON_MODELS": "off"}


def test_what_was_set_for_a_program_is_not_taken_over_for_an_address(install, given, file):
    given('{"mcpServers": {"pinyon": {"command": "old", "env": {"PINYON_MODELS": "off"}}}}')
    install("cursor", "--url", URL)

    assert servers("cursor", file.read_text())["pinyon"].keys() == {"url", "headers"}


def test_what_is_asked_for_an_address_is_not_asked_for_a_program(install, given, file):
    given('{"inputs": [{"id": "other"}]}')
    install("vs-code", "--url", URL)
    called = json.loads(file.read_text())
    install("vs-code")

    assert [one["id"] for one in called["inputs"]] == ["other", "pinyon-key"]
    assert json.loads(file.read_text())["inputs"] == [{"id": "other"}]


BROKEN = {
    "a missing comma": ("cursor", '{\n  "a": 1\n  "b": 2\n}', "line 3: column 3"),
    "a comment for a strict reader": ("claude-desktop", '{} // "so"', "line 1: column 4"),
    "a comma for a strict reader": ("claude-code", '{\n"a": 1,\n}', "line 2: column 7"),
    "cut off": ("vs-code", '{"servers": {', "line 1: column 14"),
    "two values": ("vs-code", "{}\n{}", "line 2: column 1"),
    "no value": ("cursor", '{"a": NaN}', "line 1: column 7"),
    "single quotes": ("cursor", "{'a': 1}", "line 1: column 2"),
    "an endless comment": ("cursor", "{} /* so", "line 1: column 4"),
    "no object": ("gemini-cli", "\n[]", "line 2: column 1"),
    "no table": ("gemini-cli", '{"mcpServers": []}', "line 1: column 16"),
    "no list": ("vs-code", '{"inputs": {}}', "line 1: column 12"),
    "no TOML": ("codex", "a = 1\nb = = 2", "line 2, column 5"),
    "no text": ("cursor", b'{"a": "\xff"}', "byte 8"),
    "deep": ("cursor", '{"a":' * 50_000, "nested too deeply"),
    "deep TOML": ("codex", "a = " + "[" * 50_000, "nested too deeply"),
}


@pytest.mark.parametrize(("client", "content", "where"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_left_as_it_is_and_it_is_said_where(
    pinyon, given, file, client, content, where
):
    given(content)
    before = file.read_bytes()
    called = ("--url", URL) if where == "line 1: column 12" else ()
    said = pinyon("mcp", "install", client, "--path", file, "--json", *called)

    assert (said.exit, said.out, said.error["code"]) == (2, "", "invalid_file")
    assert where in said.error["message"].replace(f"{file}, ", "")
    assert (file.read_bytes(), backups(file)) == (before, [])


def test_a_message_does_not_repeat_what_stands_in_the_file(pinyon, given, file):
    given('{"mcpServers": {"x": {"env": {"KEY": "secret-of-another" "B": 1}}}}')

    assert "secret" not in pinyon("mcp", "install", "cursor", "--path", file).err


@pytest.mark.parametrize("content", ["", " \n", "{}", "{\n}\n", '{"mcpServers": {}}'])
def test_an_empty_file_is_filled(install, given, file, content):
    given(content)
    install("cursor")

    assert servers("cursor", file.read_text()).keys() == {"pinyon"}


@pytest.mark.parametrize("client", ["cursor", "codex"])
def test_marks_and_line_ends_of_windows_stay(install, given, file, client):
    text = "a = 1\r\n" if client == "codex" else '{\r\n  "a": 1\r\n}\r\n'
    given("\ufeff" + text)
    install(client)
    content = file.read_bytes().decode()

    assert content.startswith("\ufeff")
    assert content.count("\n") == content.count("\r\n") > 3
    assert "pinyon" in servers(client, content[1:])


@pytest.mark.skipif(os.name != "posix", reason="links and modes")
def test_a_link_stays_one_and_its_file_keeps_its_mode(install, given, file, tmp_path):
    given('{"a": 1}')
    file.chmod(0o640)
    link = tmp_path / "dotfiles.json"
    link.symlink_to(file)
    install("cursor", "--path", str(link))

    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    assert (file.parent / "mcp.json.bak").stat().st_mode & 0o777 == 0o640
    assert servers("cursor", file.read_text()).keys() == {"pinyon"}


@pytest.mark.skipif(os.name != "posix", reason="links and modes")
def test_a_link_to_what_is_not_there_yet_is_followed(install, file, tmp_path):
    link = tmp_path / "dotfiles.json"
    link.symlink_to(file)
    install("cursor", "--path", str(link))

    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_read_only_file_is_left_as_it_is(pinyon, given, file):
    given('{"a": 1}')
    file.chmod(0o444)
    said = pinyon("mcp", "install", "cursor", "--path", file, "--json")

    assert (said.exit, said.error["code"]) == (2, "invalid_file")
    assert "read-only" in said.error["message"]
    assert (file.read_text(), backups(file)) == ('{"a": 1}', [])


@pytest.mark.parametrize("place", ["folder", "below a file", "circle"])
def test_a_place_that_is_none_is_told(pinyon, tmp_path, place):
    (tmp_path / "plain").write_text("")
    path = {"folder": tmp_path, "below a file": tmp_path / "plain" / "mcp.json"}.get(place)
    if path is None:
        path = tmp_path / "circle"
        path.symlink_to(path)
    said = pinyon("mcp", "install", "cursor", "--path", path, "--json")

    assert (said.exit, said.error["code"]) == (2, "invalid_file")


def test_a_dry_run_shows_what_would_change_and_changes_nothing(pinyon, given, file):
    given('{\n  "a": 1\n}\n')
    said = pinyon("mcp", "install", "cursor", "--path", file, "--dry-run")
    told = pinyon("mcp", "install", "cursor", "--path", file, "--dry-run", "--json").json

    assert '\n+    "pinyon": {\n' in said.out
    assert '\n-  "a": 1\n' in said.out
    assert told["diff"] == said.out
    assert (told["changed"], told["backup"]) == (False, None)
    assert (file.read_text(), backups(file)) == ('{\n  "a": 1\n}\n', [])


def test_what_somebody_wrote_meanwhile_is_not_written_over(given, file):
    given('{"a": 1}')
    ours = Thing(table="mcpServers", name="pinyon", value={"command": "pinyon"})
    change = changed(file, "json", puts=[ours])
    given('{"a": 2}')

    with pytest.raises(Conflict, match="changed meanwhile"):
        written(change)
    assert (file.read_text(), backups(file)) == ('{"a": 2}', [])


def test_a_big_file_is_changed_at_once(install, given, file):
    sessions = {f"/p/{n}": {"history": ["said " * 20] * 50} for n in range(1000)}
    given(json.dumps({"projects": sessions, "mcpServers": {}}))

    assert install("claude-code")["changed"]
    assert json.loads(file.read_text())["projects"] == sessions
