"""API keys between processes, in files, and over what breaks."""

import anyio
import pytest

import pinyon
from pinyon.access.keys import Keyring
from pinyon.domain.credential import Holder
from pinyon.domain.ids import KeyId
from pinyon.domain.space import Space
from pinyon.stores.sqlite import SqliteStore
from pinyon.testing.makers import memory_of, put
from pinyon.testing.store_contract import BY
from pinyon.wiring import SystemClock, new_uuid

pytestmark = pytest.mark.anyio

USER = "wqz31canaryuser"
SARAH = Holder(tenant="default", role="user", user=USER)
OWN = Space.of_user("default", USER)


@pytest.fixture
async def store(home):
    store = SqliteStore(home, clock=SystemClock(), durable=False)
    yield store
    await store.close()


@pytest.fixture
def keyring(store):
    return Keyring(store.keys, clock=SystemClock(), new_uuid=new_uuid)


@pytest.fixture
def other(home, servant):
    """Another process that knows the home's keys."""
    process = servant()
    process.ask("open", home=str(home))
    process.ask("keys")
    return process


def files_that_hold(folder, needle):
    found = [path for path in folder.rglob("*") if path.is_file()]
    assert found
    return [path.name for path in found if needle in path.read_bytes()]


@pytest.mark.promise(
    "keys", "A key that one process revokes is refused by every other at its next call."
)
async def test_a_key_that_is_revoked_elsewhere_is_refused_at_once(store, keyring, other):
    key, shown = await keyring.create(SARAH)
    assert other.ask("authenticate", token=shown) == key.id

    await store.keys.revoke(key.id, SystemClock().now_us())

    other.tell("authenticate", token=shown)
    assert "Unauthenticated" in other.answer_or_error()


async def test_a_key_that_is_revoked_in_a_registry_made_anew_is_refused_by_who_had_the_old_open(
    store, keyring, other
):
    _, shown = await keyring.create(SARAH)
    key, doomed = await keyring.create(SARAH)
    other.ask("authenticate", token=doomed)

    store.home.rebuild_registry()
    await store.keys.revoke(key.id, SystemClock().now_us())

    other.tell("authenticate", token=doomed)
    assert "Unauthenticated" in other.answer_or_error()
    assert other.ask("authenticate", token=shown)


async def test_a_key_that_is_made_after_another_made_the_registry_anew_is_known_to_both(
    keyring, other
):
    await keyring.create(SARAH)
    other.ask("rebuild")
    _, shown = await keyring.create(SARAH)

    assert other.ask("authenticate", token=shown)
    assert (await keyring.authenticate(shown)).user == USER


async def test_of_two_processes_that_begin_at_once_one_makes_the_first_key(home, servant, store):
    processes = [servant() for _ in range(3)]
    for process in processes:
        process.ask("open", home=str(home))
        process.ask("keys")
    for process in processes:
        process.tell("first_key")
    made = [process.answer() for process in processes]

    (shown,) = [one for one in made if one is not None]
    assert [process.ask("authenticate", token=shown) for process in processes]
    assert len(await store.keys.list_keys()) == 1


@pytest.mark.promise(
    "keys",
    "No file of the home, or of a backup, holds the secret of a key, in use or closed.",
)
async def test_no_file_holds_the_secret_of_a_key(home, store, keyring, tmp_path):
    secrets = []
    for name in ("one", "other"):
        key, shown = await keyring.create(SARAH, name=name)
        await keyring.authenticate(shown)
        secrets.append(shown.rpartition("_")[2].encode())
    await keyring.flush()
    await store.keys.revoke(key.id, 5)
    store.home.rebuild_registry()
    async with pinyon.operate(home) as operator:
        await operator.backup(tmp_path / "copy")

    folders = [home, tmp_path / "copy"]
    assert [files_that_hold(folder, one) for folder in folders for one in secrets] == [[]] * 4
    await store.close()
    assert [files_that_hold(home, one) for one in secrets] == [[], []]
    assert files_that_hold(home, b"other")


async def test_keys_outlive_a_registry_that_is_made_anew(store, keyring):
    key, shown = await keyring.create(SARAH)
    revoked, closed = await keyring.create(SARAH)
    await store.keys.revoke(revoked.id, 5)
    before = await store.keys.list_keys()

    store.home.rebuild_registry()

    assert await store.keys.list_keys() == before
    assert (await keyring.authenticate(shown)).id == key.id
    with pytest.raises(pinyon.errors.Unauthenticated):
        await keyring.authenticate(closed)


async def test_a_backup_has_the_keys_although_nothing_was_ever_remembered(home, store, tmp_path):
    keyring = Keyring(store.keys, clock=SystemClock(), new_uuid=new_uuid)
    key, shown = await keyring.create(SARAH)
    async with pinyon.operate(home) as operator:
        assert await operator.backup(tmp_path / "copy") == 0
    pinyon.restore(tmp_path / "copy", tmp_path / "restored")

    restored = SqliteStore(tmp_path / "restored", clock=SystemClock())
    again = Keyring(restored.keys, clock=SystemClock(), new_uuid=new_uuid)
    assert (await again.authenticate(shown)).id == key.id
    await restored.close()


@pytest.mark.promise(
    "keys", "`restore --forgotten-in` lets in no key that was revoked since the backup."
)
async def test_a_restore_takes_over_what_was_revoked_since(home, store, keyring, tmp_path):
    kept, revoked = [await keyring.create(SARAH) for _ in range(2)]
    await store.records.apply(OWN, [put(memory_of(1, space=OWN))], by=BY)
    async with pinyon.operate(home) as operator:
        await operator.backup(tmp_path / "copy")
    await store.keys.revoke(revoked[0].id, 5)

    def restore():
        pinyon.restore(tmp_path / "copy", tmp_path / "restored", forgotten_in=home)

    await anyio.to_thread.run_sync(restore)
    restored = SqliteStore(tmp_path / "restored", clock=SystemClock())
    held = {key.id: key.revoked_at_us for key in await restored.keys.list_keys()}
    assert held == {kept[0].id: None, revoked[0].id: 5}
    await restored.close()


async def test_a_key_that_is_gone_since_opens_no_restored_home(home, store, keyring, tmp_path):
    key, _ = await keyring.create(SARAH)
    await store.records.apply(OWN, [put(memory_of(1, space=OWN))], by=BY)
    async with pinyon.operate(home) as operator:
        await operator.backup(tmp_path / "copy")
    await store.keys.revoke(key.id, 5)
    await store.erase(OWN)
    assert await store.keys.list_keys() == []

    def restore():
        pinyon.restore(tmp_path / "copy", tmp_path / "restored", forgotten_in=home)

    await anyio.to_thread.run_sync(restore)
    restored = SqliteStore(tmp_path / "restored", clock=SystemClock())
    held = [one for one in await restored.keys.list_keys() if one.revoked_at_us is None]
    assert held == []
    await restored.close()


@pytest.mark.promise(
    "everything",
    "The user's keys go along once they are revoked or have expired; one that opens something "
    "still holds the name.",
)
async def test_the_name_in_a_closed_key_goes_with_all_that_is_remembered(home, store, keyring):
    key, _ = await keyring.create(SARAH, name=USER)
    await store.records.apply(OWN, [put(memory_of(1, space=OWN))], by=BY)
    await store.keys.revoke(key.id, 5)
    await store.erase(OWN)
    await store.close()

    assert files_that_hold(home, USER.encode()) == []


async def test_without_the_homes_secret_no_key_opens_anything(home, store, keyring):
    _, shown = await keyring.create(SARAH)
    await store.close()
    (home / "secret.key").unlink()
    (home / "secret.key").write_text("ab" * 32 + "\n")
    again = SqliteStore(home, clock=SystemClock())
    ring = Keyring(again.keys, clock=SystemClock(), new_uuid=new_uuid)

    with pytest.raises(pinyon.errors.Unauthenticated):
        await ring.authenticate(shown)
    await again.close()


async def test_to_look_for_a_key_makes_no_home(home, store, keyring):
    assert await store.keys.find(KeyId("key_" + "0" * 32)) is None
    with pytest.raises(pinyon.errors.Unauthenticated):
        await keyring.authenticate(f"pyn_{'0' * 32}_{'0' * 43}")

    assert not home.exists()
