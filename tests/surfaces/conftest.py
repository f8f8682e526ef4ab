"""The program as its user calls it: whole, in this process where that is enough."""

import io
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import pinyon as package
from pinyon.surfaces.cli.main import run

SOURCES = str(Path(package.__file__).parents[1])


@dataclass(frozen=True)
class Said:
    """What the program said: its exit code, and what went to stdout and stderr."""

    exit: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def error(self):
        return json.loads(self.err)["error"]


def run_here(args, stdin, environ, encoding="utf-8"):
    """Run the program in this process, with streams and an environment of its own."""
    kept = sys.argv, sys.stdin, sys.stdout, sys.stderr
    environ_kept = dict(os.environ)
    code = 0
    # A file, for whoever asks stdin for its number.
    with (
        tempfile.TemporaryFile() as typed,
        io.TextIOWrapper(typed, "utf-8", "surrogateescape") as stdin_,
        io.TextIOWrapper(io.BytesIO(), encoding) as out,
        io.TextIOWrapper(io.BytesIO(), encoding, "backslashreplace") as err,
    ):
        typed.write(stdin)
        typed.seek(0)
        sys.argv = [
            "pinyon",
            *(os.fsdecode(arg) if isinstance(arg, bytes) else str(arg) for arg in args),
        ]
        sys.stdin, sys.stdout, sys.stderr = stdin_, out, err
        os.environ.update(environ)
        try:
            run()
        except SystemExit as exit_:
            code = exit_.code or 0
        finally:
            sys.argv, sys.stdin, sys.stdout, sys.stderr = kept
            os.environ.clear()
            os.environ.update(environ_kept)
        said = []
        for stream in (out, err):
            stream.seek(0)
            said.append(stream.read())
    return Said(code, *said)


def clean_environment():
    return {name: value for name, value in os.environ.items() if name[:7] != "PINYON_"}


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch):
    for name in os.environ:
        if name.startswith("PINYON_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def pinyon(home):
    """Run the program on the test's home; `user=None` names nobody."""

    def call(*args, user="sarah", stdin=b"", encoding="utf-8", **environ):
        given = {
            "PINYON_HOME": str(home),
            "PINYON_DURABLE": "false",
            # What is tested here is the program; loading the model takes half a second a command.
            "PINYON_MODELS": "off",
            **environ,
        }
        if user is not None:
            given.setdefault("PINYON_USER", user)
        typed = stdin.encode() if isinstance(stdin, str) else stdin
        return run_here(args, typed, given, encoding)

    return call


@pytest.fixture
def process(home):
    """Run the program as a process of its own: bytes in, bytes out."""

    def call(*args, stdin=b"", **environ):
        given = {
            "PINYON_HOME": str(home),
            "PINYON_USER": "sarah",
            "PYTHONWARNINGS": "error",
            "PINYON_MODELS": "off",
        }
        return subprocess.run(
            [sys.executable, "-m", "pinyon", *args],
            env={**clean_environment(), "PYTHONPATH": SOURCES, **given, **environ},
            input=stdin,
            capture_output=True,
            timeout=120,
            check=False,
        )

    return call


@pytest.fixture
def at_a_terminal(home):
    """Run the program where a person looks and types; return its exit code and what was shown."""
    if os.name != "posix":
        pytest.skip("terminals of this kind are POSIX")

    def call(*args, typed):
        ours, theirs = os.openpty()
        given = {"PINYON_HOME": str(home), "PINYON_USER": "sarah", "PINYON_MODELS": "off"}
        program = subprocess.Popen(
            [sys.executable, "-m", "pinyon", *args],
            env={**clean_environment(), "PYTHONPATH": SOURCES, "TERM": "dumb", **given},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        os.write(ours, typed.encode())
        shown = b"".join(iter(lambda: _read(ours), b""))
        os.close(ours)
        return program.wait(timeout=60), shown.decode()

    return call


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""  # how Linux says that the other side has ended
