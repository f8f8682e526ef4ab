"""The calls that the README shows."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_what_is_said_is_found_and_forgotten_by_three_calls(server):
    (shown,) = re.findall(r"^```sh\npinyon serve.*?\n\n(.*?)^```$", README, re.M | re.S)
    calls = shown.replace("localhost:7469", server.url).replace("curl ", "\ncurl -sSf -w '\\n' ")
    done = subprocess.run(
        ["/bin/sh", "-ec", calls],
        env={"KEY": server.key, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    said, found, forgotten = (json.loads(line) for line in done.stdout.splitlines())

    assert [hit["id"] for hit in found["hits"]] == [said["id"]]
    assert forgotten["receipt"]["ids"] == [said["id"]]
