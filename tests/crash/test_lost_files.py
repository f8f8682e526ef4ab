"""What a home loses beside its spaces: the registry can be made anew, the secret cannot."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import anyio
import pytest

import pinyon
from pinyon.errors import StoreCorrupt

SCRIBBLE = b"This was a registry once. " * 400
WITHOUT_A_SECRET = pytest.mark.parametrize(
    "ask",
    [
        lambda memory: memory.write("The hub stands in the hall"),
        lambda memory: memory.list(),
        lambda memory: memory.recall("bulb"),
    ],
    ids=["write", "list", "recall"],
)


@pytest.fixture
def kept(home):
    for user in ("sarah", "bob"):
        with pinyon.open(home, user=user) as memory:
            memory.write(f"The bulbs of {user} show only white")
    return home


def files_of(home):
    return {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}


def operated(home, ask):
    """Return what an operator of the home is answered."""

    async def act():
        async with pinyon.operate(home) as operator:
            return await ask(operator)

    return anyio.run(act)


@pytest.mark.parametrize("content", [None, b"", SCRIBBLE], ids=["gone", "empty", "garbage"])
def test_spaces_are_listed_although_the_registry_is_lost(kept, content):
    for path in kept.glob("registry.db*"):
        path.unlink()
    if content is not None:
        (kept / "registry.db").write_bytes(content)
    listed = operated(kept, lambda operator: operator.spaces())

    assert [str(info.space) for info in listed] == ["default/user/bob", "default/user/sarah"]


def test_a_user_is_answered_although_the_registry_is_garbage(kept):
    (kept / "registry.db").write_bytes(SCRIBBLE)

    with pinyon.open(kept, user="sarah") as memory:
        memory.write("The hub stands in the hall")
        assert len(memory.list().memories) == 2


def test_a_registry_that_was_made_anew_leaves_nothing_for_verify_to_find(kept):
    (kept / "registry.db").write_bytes(SCRIBBLE)
    operated(kept, lambda operator: operator.spaces())
    verified = operated(kept, lambda operator: operator.verify())

    assert [one.findings for one in verified] == [(), ()]


@WITHOUT_A_SECRET
def test_a_home_without_its_secret_is_never_taken_for_an_empty_one(kept, ask):
    (kept / "secret.key").unlink()

    with pinyon.open(kept, user="sarah") as memory, pytest.raises(StoreCorrupt):
        ask(memory)


@WITHOUT_A_SECRET
def test_a_home_with_a_broken_secret_says_so(kept, ask):
    (kept / "secret.key").write_text("not a secret")

    with pinyon.open(kept, user="sarah") as memory, pytest.raises(StoreCorrupt):
        ask(memory)


def test_a_lost_secret_is_named_by_doctor(kept):
    (kept / "secret.key").unlink()
    health = operated(kept, lambda operator: operator.health())

    assert not health.ok
    assert any("secret.key" in note for note in health.notes)


def test_a_lost_secret_is_named_by_verify(kept):
    (kept / "secret.key").unlink()
    verified = operated(kept, lambda operator: operator.verify())

    assert any("secret.key" in finding for one in verified for finding in one.findings)


def test_nothing_is_overwritten_in_a_home_without_its_secret(kept):
    (kept / "secret.key").unlink()
    before = files_of(kept)
    with pinyon.open(kept, user="sarah") as memory, pytest.raises(StoreCorrupt):
        memory.write("The hub stands in the hall")

    assert not (kept / "secret.key").exists()
    assert {path: body for path, body in files_of(kept).items() if path in before} == before


READ_ONLY_CHILD = """
import os, sys
import pinyon
from pinyon.errors import PinyonError

def ask(home, verb):
    try:
        with pinyon.open(home, user="sarah") as memory:
            getattr(memory, verb)("The hub stands in the hall")
    except PinyonError as error:
        return f"{error.code} {error.exit_code}"
    return "answered 0"

# Once with every right, so that nothing is left to import when they are gone.
for verb in ("write", "recall"):
    ask(sys.argv[2], verb)
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
for verb in ("write", "recall"):
    print(ask(sys.argv[1], verb))
"""


@pytest.mark.skipif(os.name != "posix", reason="permissions")
@pytest.mark.parametrize("held", [True, False], ids=["with memories", "empty"])
def test_a_home_that_may_not_be_written_is_an_error_with_a_code(tmp_path, held):
    # Outside of pytest's own folder, which no other user may look into.
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir()
        if held:
            with pinyon.open(home, user="sarah") as memory:
                memory.write("The bulbs show only white")
        for path in (Path(folder), home, *home.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        child = subprocess.run(
            [sys.executable, "-c", READ_ONLY_CHILD, home, tmp_path / "another"],
            env={**os.environ, "PYTHONPATH": str(Path(pinyon.__file__).parents[1])},
            capture_output=True,
            text=True,
            check=False,
        )
        for path in (Path(folder), home, *home.rglob("*")):
            path.chmod(0o700 if path.is_dir() else 0o600)

    written, recalled = child.stdout.splitlines()
    assert written == "store_read_only 8", child.stderr
    assert recalled in ("answered 0", "store_read_only 8")


def test_a_file_that_loses_its_name_while_it_is_open_is_let_go(kept):
    """Nothing is written into a file that nobody can find any more."""
    with pinyon.open(kept, user="sarah") as memory:
        memory.list()
        for path in (kept / "spaces").glob("??/*.db*"):
            path.unlink()
        assert memory.list().memories == ()
        written = memory.write("A new beginning")
    with pinyon.open(kept, user="sarah") as memory:
        assert [one.id for one in memory.list().memories] == [written.id]
