"""The tutorial is true: its commands are run, and answer what it shows."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import pinyon

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "http.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def steps():
    """Yield the commands of the page with the answers that it shows; "" where it shows none."""
    for kind, body in BLOCK.findall(PAGE.read_text("utf-8")):
        if kind == "sh" and body.startswith("curl"):
            yield body, ""
        elif kind == "console":
            for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                lines = part.split("\n")
                end = next(n for n, line in enumerate(lines) if not line.endswith("\\"))
                yield "\n".join(lines[: end + 1]), "\n".join(lines[end + 1 :]).strip()


def as_pattern(shown):
    """Return what an answer must be: as it is shown, with anything where it says `…`."""
    return re.sub(r"(?:, )?…(?:, )?", ".*", re.escape(shown).replace("\\ ", " "))


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_tutorial_answers_what_it_shows(server, tmp_path):
    shell = subprocess.Popen(
        [shutil.which("bash"), "-e"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "URL": server.url, "KEY": server.key},
        text=True,
    )
    script = "".join(f"{command}\nprintf '\\n%s\\n' ---\n" for command, _ in steps())
    said = shell.communicate(script, timeout=120)[0].split("\n---\n")
    differ = [
        (command, shown, answer.strip())
        for (command, shown), answer in zip(steps(), said[:-1], strict=True)
        if not re.fullmatch(as_pattern(shown), answer.strip(), re.DOTALL)
    ]

    assert differ == []
    assert len(said) > 12


def test_its_python_does_what_it_says(server):
    (source,) = (body for kind, body in BLOCK.findall(PAGE.read_text("utf-8")) if kind == "py")
    shown = source.replace("http://127.0.0.1:7469", server.url).replace("pyn_…", server.key)

    exec(compile(shown, str(PAGE), "exec"), {})  # noqa: S102 - our own page

    (memory,) = server.ask("GET", "/v1/memory").json()["memories"]
    assert memory["text"] == "The dog chews sensor cables"


def test_a_blocking_client_knows_for_whom_it_speaks(server):
    with pinyon.connect(server.url, server.key) as memory:
        assert memory.principal.user == "sarah"
