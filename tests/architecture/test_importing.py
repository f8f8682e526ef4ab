"""Importing pinyon costs next to nothing and touches nothing."""

import json
import os
import statistics
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import pinyon

SOURCES = Path(pinyon.__file__).parents[1]
CPU_S_MAX = 0.3


def in_a_child(script):
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


WATCHED = """
import json, os, sys, threading

class Watched:
    asked = []

    def __getattr__(self, name):
        self.asked.append(name)
        raise AttributeError(name)

    def __getitem__(self, name):
        self.asked.append(name)
        raise KeyError(name)

    def __contains__(self, name):
        self.asked.append(name)
        return False

    def __iter__(self):
        self.asked.append("all of it")
        return iter(())

opened, sockets, threads = [], [], []

def hook(event, args):
    if event == "open":
        opened.append(str(args[0]))
    elif event.startswith("socket."):
        sockets.append(event)
    elif event == "_thread.start_new_thread":
        threads.append(event)

kept, os.environ = os.environ, Watched()
sys.addaudithook(hook)
import pinyon
answer = {
    "environment": Watched.asked,
    "opened": list(opened),
    "sockets": list(sockets),
    "threads": list(threads),
}
os.environ = kept
for name in pinyon.__all__:
    getattr(pinyon, name)
answer["sockets of all"] = [event for event in sockets if event != "socket.__new__"]
answer["threads of all"] = threads + [one.name for one in threading.enumerate()[1:]]
answer["packages"] = sorted({name.split(".")[0] for name in sys.modules})
print(json.dumps(answer))
"""


@pytest.fixture(scope="module")
def watched():
    return in_a_child(WATCHED)


def test_importing_costs_little_processor_time():
    script = (
        "import json, time; before = time.process_time(); import pinyon; "
        "print(json.dumps(time.process_time() - before))"
    )

    assert statistics.median(in_a_child(script) for _ in range(3)) < CPU_S_MAX


def test_importing_reads_no_environment(watched):
    assert watched["environment"] == []


@pytest.mark.promise(
    "isolation",
    "Importing the package opens no file but its own and Python's, and no socket; a round "
    "through fifteen commands asks for no network.",
)
def test_importing_opens_no_file_but_its_own_and_pythons(watched):
    library = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    ours = tuple(str(Path(folder).resolve()) for folder in (SOURCES / "pinyon", *library))
    foreign = [path for path in watched["opened"] if not os.path.realpath(path).startswith(ours)]

    assert foreign == []


@pytest.mark.promise(
    "isolation",
    "Importing the package opens no file but its own and Python's, and no socket; a round "
    "through fifteen commands asks for no network.",
)
@pytest.mark.parametrize("what", ["sockets", "threads"])
def test_importing_opens_no_socket_and_starts_no_thread(watched, what):
    assert watched[what] == []


@pytest.mark.parametrize("what", ["sockets of all", "threads of all"])
def test_loading_every_public_name_connects_nowhere_and_starts_no_thread(watched, what):
    assert watched[what] == []


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_the_library_does_not_load_what_only_the_command_line_needs(watched, package):
    assert package not in watched["packages"]
