"""No command needs a network."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pinyon as package

ROUND = r"""
import io, json, sys

def refuse(event, args):
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname",
                 "socket.sendto", "urllib.Request"):
        raise SystemExit(f"{event}{args} was asked for")

sys.addaudithook(refuse)
from pinyon.surfaces.cli.main import run

folder, exits = sys.argv[1], {}

def pinyon(*args, stdin=""):
    sys.argv = ["pinyon", *args]
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()))
    kept, sys.stdout = sys.stdout, io.StringIO()
    try:
        run()
        code = 0
    except SystemExit as exit_:
        code = exit_.code
    said, sys.stdout = sys.stdout.getvalue(), kept
    exits[args[0]] = code or 0
    return said

written = json.loads(pinyon("remember", "My bulbs show only white", "--json"))["id"]
pinyon("write", "A reset does not help")
pinyon("recall", "bulbs")
pinyon("why-not", written, "reset")
pinyon("show", written)
pinyon("list")
pinyon("history", written)
pinyon("edit", written, "--title", "Bulbs")
pinyon("export", f"{folder}/export.jsonl")
pinyon("import", f"{folder}/export.jsonl", "--user", "bob")
pinyon("spaces")
pinyon("verify", "--fix")
pinyon("doctor")
pinyon("backup", f"{folder}/backup")
pinyon("restore", f"{folder}/backup", "--home", f"{folder}/restored")
print(json.dumps(exits))
"""


@pytest.fixture(scope="module")
def exits(tmp_path_factory):
    folder = tmp_path_factory.mktemp("offline")
    done = subprocess.run(
        [sys.executable, "-c", ROUND, folder],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(package.__file__).parents[1]),
            "PINYON_HOME": str(folder / "home"),
            "PINYON_USER": "sarah",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.promise(
    "isolation",
    "Importing the package opens no file but its own and Python's, and no socket; a round "
    "through fifteen commands asks for no network.",
)
def test_the_whole_round_works_without_a_network(exits):
    assert exits == dict.fromkeys(exits, 0)


def test_the_round_was_whole(exits):
    assert len(exits) == 15
