"""What the home holds is for its owner only, whatever the umask."""

import os

import anyio
import pytest

import pinyon

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions")


def open_to_others(folder):
    """Return what in a folder another user may read, write or enter."""
    paths = [folder, *folder.rglob("*")]
    return {
        str(path.relative_to(folder)): oct(path.stat().st_mode & 0o777)
        for path in paths
        if path.stat().st_mode & 0o077
    }


@pytest.fixture(autouse=True)
def careless():
    """Make files as somebody does who lets everybody write them."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def kept(home):
    with pinyon.open(home, user="sarah") as memory:
        memory.write("The bulbs show only white")
    return home


@pytest.fixture
def backup(kept):
    async def act():
        async with pinyon.operate(kept) as operator:
            await operator.backup(kept.with_name("backup"))

    anyio.run(act)
    return kept.with_name("backup")


def test_everything_in_a_home_is_for_its_owner_only(kept):
    assert open_to_others(kept) == {}


@pytest.mark.promise(
    "isolation",
    "Whatever the umask, a home and a backup are closed to other users of the machine.",
)
def test_everything_in_a_home_that_is_in_use_is_for_its_owner_only(kept):
    with pinyon.open(kept, user="sarah") as memory:
        memory.write("The hub stands in the hall")
        logs = list(kept.glob("spaces/??/*.db-wal"))

        assert open_to_others(kept) == {}
        assert logs


def test_a_home_that_others_may_read_is_closed_to_them_at_the_next_write(kept):
    kept.chmod(0o755)
    with pinyon.open(kept, user="sarah") as memory:
        memory.write("The hub stands in the hall")

    assert kept.stat().st_mode & 0o777 == 0o700


def test_doctor_names_a_home_that_others_may_read(kept):
    kept.chmod(0o755)

    async def examine():
        async with pinyon.operate(kept) as operator:
            return await operator.health()

    assert any("chmod" in note for note in anyio.run(examine).notes)


@pytest.mark.promise(
    "isolation",
    "Whatever the umask, a home and a backup are closed to other users of the machine.",
)
def test_everything_in_a_backup_is_for_its_owner_only(backup):
    assert open_to_others(backup) == {}


def test_everything_in_a_restored_home_is_for_its_owner_only(backup):
    restored = backup.with_name("restored")
    pinyon.restore(backup, restored)

    assert open_to_others(restored) == {}
