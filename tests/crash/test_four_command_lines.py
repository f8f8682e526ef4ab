"""Four programs write two hundred memories each into one space while another reads it."""

import json
import subprocess

import pytest

WRITES = 200
WRITERS = 4


@pytest.fixture(scope="module")
def after(start, servant, tmp_path_factory):
    home = tmp_path_factory.mktemp("busy") / "home"
    command = ("-m", "pinyon", "remember", "-", "--lines", "--json", "--user", "sarah")
    writers = [
        start(*command, "--home", home, "--session", f"s{number}", stderr=subprocess.PIPE)
        for number in range(WRITERS)
    ]
    for number, writer in enumerate(writers):
        lines = [f"Bulb {number}-{line} shows only white" for line in range(WRITES)]
        writer.stdin.write("\n".join(lines))
        writer.stdin.close()
    reader = servant()
    reader.ask("open", home=str(home))
    reads = 0
    while any(writer.poll() is None for writer in writers):
        reader.ask("recall", question="white bulb")
        reader.ask("list")
        reads += 1
    said = [(writer.stdout.read(), writer.stderr.read()) for writer in writers]
    return {
        "errors": "".join(err for _, err in said),
        "exits": [writer.returncode for writer in writers],
        "ids": [one["id"] for out, _ in said for one in json.loads(out)["results"]],
        "held": {one["id"] for one in reader.ask("list")},
        "findings": reader.ask("verify"),
        "reads": reads,
    }


def test_nothing_is_lost(after):
    assert len(set(after["ids"])) == WRITERS * WRITES
    assert set(after["ids"]) == after["held"]


def test_nobody_is_told_that_the_database_is_locked(after):
    assert after["errors"] == ""
    assert after["exits"] == [0] * WRITERS


def test_the_indexes_equal_the_records(after):
    assert after["findings"] == []


def test_reading_went_on_meanwhile(after):
    assert after["reads"] > 1
