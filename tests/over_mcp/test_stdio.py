"""`pinyon mcp` as a process: what it says, to whom, and when it ends."""

import getpass
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

import pinyon
from over_mcp.conftest import (
    ERAS,
    HELLO,
    PATIENCE_S,
    READY,
    calling,
    command,
    environment,
    hear,
    said,
    speaking,
    tell,
    to_its_end,
)

CLIENTS = 50

# What prints is anything that is loaded, in Python and below it; and one library does so early.
PRINTS = """
import builtins, os, sys

print("printed before anything of Pinyon")
loads = builtins.__import__
met = set()

def load(name, *args, **kwargs):
    if name not in met and name.split(".")[0] in ("apsw", "numpy", "pydantic", "mcp", "typer"):
        met.add(name)
        print("printed by", name)
        print("flushed by", name, flush=True)
        os.write(1, b"written below Python by " + name.encode() + b"\\n")
    return loads(name, *args, **kwargs)

builtins.__import__ = load
"""


@pytest.fixture
def noisy(tmp_path):
    """Return where libraries are that print."""
    folder = tmp_path / "noisy"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(PRINTS)
    return folder


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_the_sdks_own_client_keeps_and_finds_in_either_era(tmp_path, era):
    first, *rest = command("--user", "sarah")
    env = environment(tmp_path / "home")
    started = StdioServerParameters(command=first, args=rest, env=env)
    async with Client(stdio_client(started), mode=era) as client:
        await client.call_tool("write_memory", {"text": "Sarah lives in Bristol"})
        found = await client.call_tool("recall_memory", {"query": "where does Sarah live?"})

        assert "Sarah lives in Bristol" in said(found)
        assert "memory of sarah" in client.instructions


@pytest.mark.promise(
    "mcp",
    "Nothing but JSON-RPC comes from `pinyon mcp`, whatever a library prints, in Python or below.",
)
def test_every_line_of_stdout_is_json_rpc_whatever_a_library_prints(tmp_path, noisy):
    path = os.pathsep.join([str(noisy), environment(tmp_path)["PYTHONPATH"]])
    with speaking(tmp_path / "home", "--user", "sarah", PYTHONPATH=path) as process:
        listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        out, err = to_its_end(
            process, HELLO, READY, listing, calling(2, "recall_memory", query="tea")
        )

    assert [json.loads(line)["jsonrpc"] for line in out] == ["2.0"] * 3
    assert {json.loads(line)["id"] for line in out} == {0, 1, 2}
    for how in ("printed before anything", "printed by mcp", "flushed by apsw", "Python by numpy"):
        assert how in err


def test_a_notification_gets_no_reply_and_what_is_no_json_ends_nothing(tmp_path):
    gone = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}
    unknown = {"jsonrpc": "2.0", "method": "notifications/of_nobody"}
    with speaking(tmp_path / "home", "--user", "sarah") as process:
        tell(process, HELLO, READY, gone, unknown, "no JSON at all", "[1,", "{}", "", "[]", "null")
        tell(process, calling(7, "recall_memory", query="tea"))
        answers = hear(process, 2)
        out, _ = to_its_end(process)

    assert [one["id"] for one in answers] == [0, 7]
    assert all("result" in one for one in answers)
    assert out == []


@pytest.mark.parametrize(
    "odd",
    [
        '{"jsonrpc": "2.0", "id": 5}',
        '{"jsonrpc": "1.0", "id": 5, "method": "tools/list"}',
        '{"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": 3}',
        '{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "\\ud800"}}',
        '{"jsonrpc": "2.0", "id": 5, "method": "no/such"}',
        '{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": 3}}',
    ],
)
def test_nobody_waits_for_ever_for_an_answer_to_what_is_no_request(tmp_path, odd):
    with speaking(tmp_path / "home", "--user", "sarah") as process:
        out, _ = to_its_end(process, HELLO, READY, odd)
    answers = {one["id"]: one for one in map(json.loads, out)}

    assert answers.keys() == {0, 5}
    assert answers[5]["error"]["code"] < 0


def test_what_was_asked_before_standard_input_closes_is_answered(tmp_path):
    asks = [calling(n, "write_memory", text=f"Sarah has {n} lamps") for n in range(1, 9)]
    with speaking(tmp_path / "home", "--user", "sarah") as process:
        out, _ = to_its_end(process, HELLO, READY, *asks)

    assert {json.loads(line)["id"] for line in out} == set(range(9))


def test_a_message_may_be_long_and_the_last_one_needs_no_end_of_line(tmp_path):
    long = calling(1, "recall_memory", query="tea " * 4_000)
    last = json.dumps(calling(2, "recall_memory", query="tea"))
    with speaking(tmp_path / "home", "--user", "sarah") as process:
        tell(process, HELLO, READY, long, long | {"id": 3, "padding": "x" * 300_000})
        out, _ = process.communicate(last, timeout=PATIENCE_S)

    assert {json.loads(line)["id"] for line in out.splitlines()} == {0, 1, 2, 3}


def test_it_ends_when_its_standard_input_closes(tmp_path):
    with speaking(tmp_path / "home", "--user", "sarah") as process:
        out, err = to_its_end(process, HELLO, READY)

        assert process.returncode == 0
        assert len(out) == 1
        assert err == ""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")
@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_it_is_told_to_though_the_client_still_listens(tmp_path, told):
    with speaking(tmp_path / "home", "--user", "sarah") as process:
        tell(process, HELLO)
        hear(process, 1)
        process.send_signal(told)

        assert process.wait(PATIENCE_S) == 0
        assert process.stderr.read() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")
def test_it_ends_when_it_is_told_to_though_the_client_reads_nothing(tmp_path):
    many = [{"jsonrpc": "2.0", "id": n, "method": "tools/list"} for n in range(100)]
    with speaking(tmp_path / "home", "--user", "sarah") as process:
        tell(process, HELLO, READY)
        hear(process, 1)
        tell(process, *many)
        time.sleep(1)
        process.send_signal(signal.SIGTERM)

        assert process.wait(PATIENCE_S) == 0


def test_a_client_that_hears_no_answer_ends_it(tmp_path):
    with speaking(tmp_path / "home", "--user", "sarah") as process:
        tell(process, HELLO, READY)
        hear(process, 1)
        process.stdout.close()
        for number in range(1, 4):
            tell(process, calling(number, "recall_memory", query="tea"))
            time.sleep(0.1)
            if process.poll() is not None:
                break

        assert process.wait(PATIENCE_S) == 0
        process.stdout = open(os.devnull)  # noqa: SIM115 - it is closed with the others


@pytest.mark.promise("mcp", "Of 50 clients that are killed, no `pinyon mcp` stays behind.")
def test_of_fifty_clients_that_are_killed_no_process_stays_behind(tmp_path):
    home = tmp_path / "home"
    killed = []
    for _ in range(CLIENTS // CLIENTS_AT_ONCE):
        with ExitStack() as clients:
            crowd = [clients.enter_context(client_of(home)) for _ in range(CLIENTS_AT_ONCE)]
            servers = [int(client.stdout.readline()) for client in crowd]
            for client in crowd:
                client.kill()
            killed += servers

    assert len(set(killed)) == CLIENTS
    assert all(is_gone(server) for server in killed)


CLIENTS_AT_ONCE = 10

# A client that starts a server, hears it once, says which process it is, and waits to be killed.
CLIENT = """
import json, subprocess, sys
hello, call, *command = sys.argv[1:]
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
server.stdin.write(hello + "\\n")
server.stdin.flush()
server.stdout.readline()
server.stdin.write(call + "\\n")
server.stdin.flush()
print(server.pid, flush=True)
sys.stdin.read()
"""


def client_of(home):
    busy = calling(1, "recall_memory", query="tea")
    return subprocess.Popen(
        [sys.executable, "-c", CLIENT, json.dumps(HELLO), json.dumps(busy), *command()],
        env=environment(home, PINYON_USER="sarah"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def is_gone(process_id):
    """Return whether a process ends, soon."""
    for _ in range(PATIENCE_S * 10):
        try:
            state = (
                Path(f"/proc/{process_id}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
            )
        except OSError:
            return True
        if state == "Z":  # nobody waits for the child of who was killed
            return True
        time.sleep(0.1)
    return False


# ── whose memory ─────────────────────────────────────────────────────────────────────────────


def whose(home, *options, **given):
    """Return what a server says of whose memory it is."""
    with speaking(home, *options, **given) as process:
        out, _ = to_its_end(process, HELLO)
    return json.loads(out[0])["result"]["instructions"].partition(",")[0]


def test_the_user_is_named_by_the_option_else_by_the_environment_else_by_the_login(tmp_path):
    home = tmp_path / "home"

    assert whose(home, "--user", "sarah", PINYON_USER="john").endswith("memory of sarah")
    assert whose(home, PINYON_USER="john").endswith("memory of john")
    assert whose(home).endswith(f"memory of {getpass.getuser()}")


def test_each_process_is_a_session_of_its_own(tmp_path):
    home = tmp_path / "home"
    for text in ("Sarah lives in Bristol", "Sarah has a dog"):
        with speaking(home, "--user", "sarah") as process:
            to_its_end(process, HELLO, READY, calling(1, "write_memory", text=text))
    with pinyon.open(home, user="sarah") as memory:
        sessions = {one.source.session for one in memory.list().memories}

    assert len(sessions) == 2
    assert all(session.startswith("mcp-") for session in sessions)


def test_the_journal_says_that_it_came_over_mcp(tmp_path):
    home = tmp_path / "home"
    with speaking(home, "--user", "sarah", "--agent", "helper") as process:
        to_its_end(process, HELLO, READY, calling(1, "write_memory", text="Sarah has a dog"))
    with pinyon.open(home, user="sarah") as memory:
        (one,) = memory.list().memories
        (act,) = memory.history(one.id).acts

    assert act.surface == "mcp"
    assert act.actor == "default/user/sarah (helper)"


@pytest.mark.parametrize(
    ("options", "code"),
    [(("--user", " "), "invalid_name"), (("--tools", "all"), "invalid_setting")],
)
def test_what_it_cannot_do_it_says_on_stderr_alone(tmp_path, options, code):
    with speaking(tmp_path / "home", *options) as process:
        out, err = to_its_end(process)

        assert process.returncode == 2
        assert out == []
        assert code in err


def test_where_the_package_mcp_is_missing_it_says_what_to_install(tmp_path):
    without = tmp_path / "without"
    without.mkdir()
    hides = "import importlib.util as u\nfind = u.find_spec\n"
    hides += "u.find_spec = lambda name, *rest: None if name == 'mcp' else find(name, *rest)\n"
    (without / "sitecustomize.py").write_text(hides)
    path = os.pathsep.join([str(without), environment(tmp_path)["PYTHONPATH"]])
    with speaking(tmp_path / "home", PYTHONPATH=path) as process:
        out, err = to_its_end(process)

        assert process.returncode == 2
        assert out == []
        assert "pinyon[mcp]" in err


def test_the_help_is_for_people_and_goes_to_stdout():
    done = subprocess.run(
        command("--help"), env=environment("no-home"), capture_output=True, text=True, check=True
    )

    assert "Give a model its memory over MCP" in done.stdout
