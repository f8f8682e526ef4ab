"""A backup is taken while others write, and restored whole."""

import json
import shutil

import anyio
import pytest

import pinyon
from pinyon.domain.space import Space
from pinyon.errors import InvalidFile, NotEmpty
from pinyon.stores.sqlite import SqliteStore
from pinyon.wiring import SystemClock

SARAH = Space.of_user("default", "sarah")


def held_in(home):
    """Return the ids of a home's memories, and what `verify` says of them."""

    async def look():
        store = SqliteStore(home, clock=SystemClock())
        found, cursor = set(), ""
        while cursor is not None:
            page = await store.records.scan(SARAH, cursor=cursor or None, limit=1000)
            found.update(memory.id for memory in page.memories)
            cursor = page.next_cursor
        findings = await store.verify(SARAH)
        await store.close()
        return found, findings

    return anyio.run(look)


def operated(home, ask):
    """Return what an operator of the home is answered."""

    async def act():
        async with pinyon.operate(home) as operator:
            return await ask(operator)

    return anyio.run(act)


@pytest.fixture(scope="module")
def taken(start, tmp_path_factory):
    """A backup that was taken while three threads wrote and erased, and what they had said."""
    home = tmp_path_factory.mktemp("backups") / "home"
    target = home.with_name("backup")
    writer = start("writer.py", home, 0)
    before = [writer.stdout.readline().split() for _ in range(60)]
    spaces = operated(home, lambda operator: operator.backup(target))
    writer.kill()
    # From the same buffer as before: what lies in it already would be lost to `communicate`.
    after = [line.split() for line in writer.stdout.read().splitlines() if " mem_" in line]
    writer.wait()
    kept = {one for sign, one in before if sign == "+"}
    erased = {one for sign, one in [*before, *after] if sign == "?"}
    return {
        "home": home,
        "backup": target,
        "spaces": spaces,
        "kept": kept - erased,
        "written after": len(after),
    }


@pytest.fixture
def backup(taken, tmp_path):
    """A copy of the backup, to be spoilt."""
    return shutil.copytree(taken["backup"], tmp_path / "backup")


@pytest.fixture
def restored(backup, home):
    pinyon.restore(backup, home)
    return home


def test_a_backup_is_taken_while_others_write(taken):
    assert taken["spaces"] == 1
    assert taken["written after"] > 0


def test_a_restored_backup_holds_all_that_was_there_when_it_began(taken, restored):
    held, _ = held_in(restored)

    assert taken["kept"] <= held


def test_a_restored_backup_verifies_clean(restored):
    _, findings = held_in(restored)

    assert findings == []


def test_a_restored_home_can_be_written_and_recalled_from(restored):
    with pinyon.open(restored, user="sarah") as memory:
        memory.write("The dog chews sensor cables")
        found = memory.recall("dog").hits

    assert [hit.memory.text for hit in found] == ["The dog chews sensor cables"]


def test_a_restored_home_lists_its_spaces(restored):
    listed = operated(restored, lambda operator: operator.spaces())

    assert [info.space for info in listed] == [SARAH]


def test_a_home_that_holds_something_is_not_restored_over(backup, home):
    home.mkdir()
    (home / "mine.txt").write_text("mine")

    with pytest.raises(NotEmpty):
        pinyon.restore(backup, home)
    assert [path.name for path in home.iterdir()] == ["mine.txt"]


def test_a_folder_that_holds_something_is_not_backed_up_into(taken, backup):
    before = {path: path.stat().st_mtime_ns for path in backup.rglob("*")}

    with pytest.raises(NotEmpty):
        operated(taken["home"], lambda operator: operator.backup(backup))
    assert {path: path.stat().st_mtime_ns for path in backup.rglob("*")} == before


def flip_a_byte(backup):
    path = next(backup.glob("spaces/??/*.db"))
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 1
    path.write_bytes(whole)


def take_a_file(backup):
    next(backup.glob("spaces/??/*.db")).unlink()


def change_the_secret(backup):
    (backup / "secret.key").write_text("00" * 32)


def take_the_manifest(backup):
    # As a backup that was killed on its way leaves it.
    (backup / "backup.json").unlink()


def break_the_manifest(backup):
    (backup / "backup.json").write_text("{")


def point_outside(backup):
    manifest = json.loads((backup / "backup.json").read_text())
    manifest["files"]["../outside"] = "00" * 32
    (backup / "backup.json").write_text(json.dumps(manifest))


@pytest.mark.promise(
    "soundness",
    "A backup with a changed or missing file, or one that points outside, is refused before "
    "anything is made.",
)
@pytest.mark.parametrize(
    "spoil",
    [
        flip_a_byte,
        take_a_file,
        change_the_secret,
        take_the_manifest,
        break_the_manifest,
        point_outside,
    ],
)
def test_a_spoilt_backup_is_refused_before_anything_is_made(backup, home, spoil):
    spoil(backup)

    with pytest.raises(InvalidFile):
        pinyon.restore(backup, home)
    assert not home.exists()


def test_grants_and_receipts_are_in_a_backup(home, tmp_path):
    """A restored home is as closed as it was, and knows what was forgotten in it."""
    hub = Space.of_project("default", "hub")
    with pinyon.open(home, user="sarah") as memory:
        memory.write("The hub is v2")
        memory.forget(everything=True)
        memory.write("The hub is v3")
    operated(home, lambda operator: operator.grant(hub, "sarah", "read"))
    assert operated(home, lambda operator: operator.backup(tmp_path / "copy")) == 1

    assert pinyon.restore(tmp_path / "copy", tmp_path / "again") == 1

    assert operated(tmp_path / "again", lambda operator: operator.grants()) == operated(
        home, lambda operator: operator.grants()
    )
    with pinyon.open(tmp_path / "again", user="sarah") as memory:
        (receipt,) = memory.receipts()
        assert receipt.whole
        assert receipt.complete
        assert [one.text for one in memory.list().memories] == ["The hub is v3"]
    assert all(one.findings == () for one in operated(tmp_path / "again", lambda o: o.verify()))
