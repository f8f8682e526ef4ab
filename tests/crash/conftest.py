"""Real processes on real files, and a way to touch a file behind Pinyon's back."""

import json
import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import apsw
import pytest

import pinyon

CHILDREN = Path(__file__).parent / "children"
SOURCES = str(Path(pinyon.__file__).parents[1])
PATIENCE_S = 120


class Failed(Exception):
    """A servant's answer was an error; its text is the error's class and message."""


class Servant:
    """A process that holds a home open and does what it is told, a line of JSON at a time."""

    def __init__(self, process):
        self.process = process

    def tell(self, do, **given):
        self.process.stdin.write(json.dumps({"do": do, **given}) + "\n")
        self.process.stdin.flush()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failed("the process is gone")
        value = json.loads(line)
        if "error" in value:
            raise Failed(value["error"])
        return value["answer"]

    def answer_or_error(self):
        try:
            return self.answer()
        except Failed as error:
            return str(error)

    def ask(self, do, **given):
        self.tell(do, **given)
        return self.answer()

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE_S)


def environment():
    inherited = {name: value for name, value in os.environ.items() if name[:7] != "PINYON_"}
    return {**inherited, "PYTHONPATH": SOURCES, "PYTHONWARNINGS": "error"}


@pytest.fixture(scope="module")
def start():
    """Start a script of `children/`, or `-m pinyon`; whatever still runs at the end is killed."""
    with ExitStack() as started:

        def begin(*args, **options):
            command = [sys.executable]
            command += args if args[0] == "-m" else [CHILDREN / args[0], *args[1:]]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
            process = subprocess.Popen(
                list(map(str, command)), env=environment(), **{**pipes, **options}
            )
            started.enter_context(process)
            started.callback(process.kill)
            return process

        yield begin


@pytest.fixture(scope="module")
def servant(start):
    """Start a servant."""
    return lambda: Servant(start("servant.py"))


@pytest.fixture(scope="session")
def run_pinyon():
    """Run the program to its end."""

    def run(*args, **options):
        command = [sys.executable, "-m", "pinyon", *map(str, args)]
        return subprocess.run(
            command,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
            **options,
        )

    return run


@pytest.fixture(autouse=True)
def not_waiting_for_the_disk(monkeypatch):
    """Let homes that are opened in this process not wait for the disk; the children do."""
    monkeypatch.setenv("PINYON_DURABLE", "false")


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def file_of(home):
    """Return the file of one of the home's spaces."""

    def find(space):
        for path in home.glob("spaces/??/*.db"):
            connection = apsw.Connection(str(path))
            held = connection.execute("SELECT space FROM meta").fetchone()[0]
            connection.close()
            if held == space:
                return path
        raise LookupError(space)

    return find


@pytest.fixture
def behind_its_back(file_of):
    """Open a space's file as somebody would who knows nothing of Pinyon."""

    @contextmanager
    def open_file(space):
        connection = apsw.Connection(str(file_of(space)))
        try:
            yield connection
        finally:
            connection.close()

    return open_file
