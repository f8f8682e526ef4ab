"""Where the output goes is nobody's misfortune: a closed pipe, a terminal of few characters."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pinyon as package

SOURCES = str(Path(package.__file__).parents[1])
CURSE = "止损 ✓ 👩‍👩‍👧‍👦 bulb"


@pytest.fixture
def many(pinyon):
    rows = "".join(f'{{"text": "Bulb {number} is white"}}\n' for number in range(900))
    pinyon("import", "-", stdin=rows)


@pytest.mark.skipif(os.name != "posix", reason="pipes")
@pytest.mark.parametrize(
    "command",
    [
        ["list", "--limit", "900", "--json"],
        ["list", "--limit", "1", "--json"],
        ["--help"],
    ],
    ids=" ".join,
)
def test_whoever_stops_reading_causes_no_complaint(home, many, command):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "pinyon", *command],
        env={
            **os.environ,
            "PYTHONPATH": SOURCES,
            "PINYON_HOME": str(home),
            "PINYON_USER": "sarah",
        },
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)

    assert done.stderr == b""


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize(
    "command",
    [
        ["write", "Another bulb"],
        ["list"],
        ["list", "--json"],
        ["recall", "bulb", "--explain"],
        ["recall", "bulb", "--json"],
        ["export"],
        ["verify"],
        ["show", "止损"],
    ],
    ids=" ".join,
)
def test_an_output_of_few_characters_crashes_nothing(pinyon, encoding, command):
    pinyon("write", CURSE)
    said = pinyon(*command, encoding=encoding)

    assert "Traceback" not in said.err
    assert said.exit == (2 if "show" in command else 0)


def test_a_pipe_is_given_no_colours(process):
    done = process("write", "The hub stands in the hall")

    assert b"\x1b" not in done.stdout


def test_a_long_text_is_one_field_of_the_json_whatever_the_width(pinyon):
    text = "The hub stands in the hall and the bulbs hang in the kitchen. " * 20
    written = pinyon("write", text, "--json").json["id"]
    shown = pinyon("show", written, "--json", COLUMNS="20")

    assert shown.out.count("\n") == 1
    assert shown.json["text"] == text
