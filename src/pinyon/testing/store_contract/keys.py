"""What a store promises of API keys."""

from dataclasses import replace

from pinyon.domain.credential import ApiKey
from pinyon.domain.ids import KeyId
from pinyon.domain.space import Space
from pinyon.ports.store import Store
from pinyon.testing.clocks import FrozenClock
from pinyon.testing.makers import memory_of, put
from pinyon.testing.store_contract.promises import Promises
from pinyon.testing.store_contract.values import BY

HASH, OTHER_HASH = bytes(range(32)), bytes(range(32, 64))


def key_of(number: int = 1, **fields: object) -> ApiKey:
    """Return a key whose id and time are a small number."""
    values = {"tenant": "acme", "role": "user", "user": "ann", **fields}
    return ApiKey(id=KeyId(f"key_{number:032x}"), created_at_us=number, **values)  # type: ignore[arg-type]


class KeyPromises(Promises):
    """Keys are kept without their secrets."""

    async def test_a_key_is_found_by_its_id_with_the_hash_of_its_secret(self, store: Store) -> None:
        whole = key_of(
            1, agent="app", project="hub", name="“Ann’s” %_", expires_at_us=7, last_used_at_us=5
        )
        bare = key_of(2, role="service", user=None)
        await store.keys.put(whole, HASH)
        await store.keys.put(bare, OTHER_HASH)

        assert await store.keys.find(whole.id) == (whole, HASH)
        assert await store.keys.find(bare.id) == (bare, OTHER_HASH)
        assert await store.keys.find(key_of(3).id) is None

    async def test_where_nothing_was_written_there_is_no_key(self, store: Store) -> None:
        assert await store.keys.find(key_of().id) is None
        assert await store.keys.list_keys() == []
        assert not await store.keys.revoke(key_of().id, 5)

    async def test_keys_are_listed_by_tenant_oldest_first(self, store: Store) -> None:
        for key in (key_of(3), key_of(1), key_of(2, tenant="globex"), key_of(4, tenant="acm_")):
            await store.keys.put(key, HASH)

        assert await store.keys.list_keys("acme") == [key_of(1), key_of(3)]
        assert await store.keys.list_keys("acm_") == [key_of(4, tenant="acm_")]
        assert [key.created_at_us for key in await store.keys.list_keys()] == [1, 2, 3, 4]

    async def test_a_key_is_revoked_once(self, store: Store) -> None:
        await store.keys.put(key_of(1), HASH)
        await store.keys.put(key_of(2), HASH)

        assert await store.keys.revoke(key_of(1).id, 9)
        assert not await store.keys.revoke(key_of(1).id, 10)
        assert await store.keys.find(key_of(1).id) == (key_of(1, revoked_at_us=9), HASH)
        assert await store.keys.find(key_of(2).id) == (key_of(2), HASH)

    async def test_a_later_use_replaces_an_earlier_one_and_no_later(self, store: Store) -> None:
        one, other = key_of(1), key_of(2)
        await store.keys.put(one, HASH)
        await store.keys.put(other, HASH)

        await store.keys.used({one.id: 60, other.id: 120, key_of(3).id: 60})
        await store.keys.used({one.id: 180, other.id: 60})

        used = {key.id: key.last_used_at_us for key in await store.keys.list_keys()}
        assert used == {one.id: 180, other.id: 120}

    async def test_a_first_key_is_kept_only_where_its_tenant_never_had_one(
        self, store: Store
    ) -> None:
        assert await store.keys.put_first(key_of(1), HASH)
        await store.keys.revoke(key_of(1).id, 5)

        assert not await store.keys.put_first(key_of(2), HASH)
        assert await store.keys.put_first(key_of(3, tenant="globex"), HASH)
        assert [key.created_at_us for key in await store.keys.list_keys()] == [1, 3]

    async def test_what_secrets_are_hashed_under_stays_the_same(self, store: Store) -> None:
        before = await store.keys.hash_key()
        await store.keys.put(key_of(), HASH)

        assert len(before) == 32
        assert await store.keys.hash_key() == before

    async def test_a_users_keys_that_open_nothing_go_with_all_that_is_remembered(
        self, store: Store, clock: FrozenClock
    ) -> None:
        now_us = clock.now_us()
        revoked, expired = key_of(1, revoked_at_us=5), key_of(2, expires_at_us=now_us)
        good = key_of(3, expires_at_us=now_us + 1)
        others = [key_of(4, user="an_", revoked_at_us=5), replace(revoked, id=key_of(5).id)]
        others[1] = replace(others[1], tenant="globex", created_at_us=5)
        for key in (revoked, expired, good, *others):
            await store.keys.put(key, HASH)
        own, notes = Space.of_user("acme", "ann"), Space.of_agent("acme", "ann", "app")
        for space in (notes, own):
            await store.records.apply(space, [put(memory_of(1, space=space))], by=BY)

        await store.erase(notes)
        assert len(await store.keys.list_keys()) == 5
        await store.erase(own)

        assert await store.keys.list_keys() == [good, *others]
