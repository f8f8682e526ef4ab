"""What the tree promises: imports go down, one place reads the environment, names are in order."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pinyon

PACKAGE = Path(pinyon.__file__).parent
ROOT = PACKAGE.parents[1]
LINTER = Path(sys.executable).with_name("lint-imports")


@pytest.mark.skipif(not LINTER.exists(), reason="import-linter is not installed")
def test_imports_only_go_down():
    done = subprocess.run(
        [LINTER, "--no-cache"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_public_names_are_sorted():
    assert pinyon.__all__ == sorted(pinyon.__all__)


@pytest.mark.parametrize("name", pinyon.__all__)
def test_every_public_name_is_there(name):
    assert getattr(pinyon, name).__doc__


def test_a_name_that_is_not_public_is_no_attribute():
    assert not hasattr(pinyon, "nothing_of_this_name")


def test_only_the_settings_read_the_environment():
    reads = re.compile(r"\bos\.(environ|getenv)|from os import .*(environ|getenv)")
    readers = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if reads.search(path.read_text("utf-8"))
    }

    assert readers == {"settings.py"}


def test_the_library_itself_never_prints():
    prints = re.compile(r"^\s*print\(|sys\.(stdout|stderr)\.", re.MULTILINE)
    printers = {
        path.relative_to(PACKAGE).parts[0]
        for path in PACKAGE.rglob("*.py")
        if prints.search(path.read_text("utf-8"))
    }

    assert printers <= {"surfaces", "evaluation"}
