"""API keys: made, shown once, known again, and nothing else accepted for one."""

import hmac
import re
import secrets
from dataclasses import replace

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.access import keys as access_keys
from pinyon.access.keys import Keyring, expiry_us
from pinyon.domain.credential import Holder
from pinyon.domain.ids import KeyId
from pinyon.errors import InvalidName, InvalidTime, InvalidValue, StoreBusy, Unauthenticated
from pinyon.stores.in_memory import InMemoryStore
from pinyon.testing import FrozenClock
from pinyon.testing.makers import counting_ids
from pinyon.text.sensitive import find_sensitive

pytestmark = pytest.mark.anyio
ON_EVERY_STORE = True

ANN = Holder.of("user", tenant="acme", user="ann")
MINUTE_US = 60_000_000
DAY_US = 24 * 60 * MINUTE_US


@pytest.fixture
def keyring(store, clock):
    return Keyring(store.keys, clock=clock, new_uuid=counting_ids())


async def refusal(keyring, token):
    with pytest.raises(Unauthenticated) as refused:
        await keyring.authenticate(token)
    return str(refused.value)


async def test_a_key_that_was_made_is_known_again(keyring, clock):
    holder = Holder.of("agent", tenant="acme", user="ann", agent="app", project="hub")
    key, shown = await keyring.create(holder, name="laptop", expires_at_us=clock.now_us() + 1)

    assert re.fullmatch(r"pyn_[0-9a-f]{32}_[0-9A-Za-z]{43}", shown)
    assert shown[4:36] == key.id[4:]
    assert await keyring.authenticate(shown) == key
    assert (key.role, key.user, key.agent, key.project) == ("agent", "ann", "app", "hub")
    assert (key.name, key.created_at_us) == ("laptop", clock.now_us())


async def test_another_process_knows_it_too(keyring, store, clock):
    key, shown = await keyring.create(ANN)
    other = Keyring(store.keys, clock=clock, new_uuid=counting_ids())

    assert await other.authenticate(shown) == key


async def test_the_store_gets_a_hash_that_is_not_the_secrets(keyring, store):
    key, shown = await keyring.create(ANN)
    secret = shown.rpartition("_")[2]

    _, held = await store.keys.find(key.id)
    assert len(held) == 32
    assert held != hmac.digest(bytes(32), f"{key.id}_{secret}".encode(), "sha256")
    assert secret not in repr(await store.keys.find(key.id))


@pytest.mark.promise(
    "keys",
    "A key that never was, one with another secret, a revoked and an expired one are refused in "
    "the same words.",
)
async def test_whatever_opens_nothing_is_refused_in_the_same_words(keyring, store, clock):
    revoked, shown_revoked = await keyring.create(ANN)
    _, expired = await keyring.create(ANN, expires_at_us=clock.now_us() + 5)
    _, good = await keyring.create(ANN)
    await store.keys.revoke(revoked.id, clock.now_us())
    clock.forward(1)
    never = f"pyn_{'0' * 31}f_{good[37:]}"
    swapped = good[:37] + expired[37:]

    tokens = (shown_revoked, expired, never, swapped, "pyn_", "", "a.b.c")
    assert len({await refusal(keyring, token) for token in tokens}) == 1
    assert (await keyring.authenticate(good)).user == "ann"


async def test_a_revoked_key_is_refused_at_the_next_call(keyring, store, clock):
    key, shown = await keyring.create(ANN)
    await keyring.authenticate(shown)
    await store.keys.revoke(key.id, clock.now_us())

    await refusal(keyring, shown)


async def test_a_secret_fits_no_other_key(keyring, store):
    """Whoever could write to the registry gains nothing by moving a hash."""
    key, shown = await keyring.create(ANN)
    _, held = await store.keys.find(key.id)
    other = replace(key, id=KeyId("key_" + "9" * 32), role="admin")
    await store.keys.put(other, held)

    await refusal(keyring, f"pyn_{'9' * 32}_{shown[37:]}")


@pytest.mark.parametrize(
    "changed",
    [
        lambda key: key + "\n",
        lambda key: " " + key,
        lambda key: key.upper(),
        lambda key: key.replace("pyn_", "PYN_"),
        lambda key: key.replace("_", "-"),
        lambda key: key[:-1],
        lambda key: key + "0",
        lambda key: key[:37] + "0" + key[37:],
        lambda key: key[:37] + "\u0660" * 43,  # digits, but of another script
        lambda key: key.replace("pyn_", "pyn_key_"),
        lambda key: key * 1000,
    ],
)
async def test_a_key_is_read_strictly(keyring, changed):
    _, shown = await keyring.create(ANN)

    await refusal(keyring, changed(shown))


@pytest.mark.promise("keys", "A key of which any character was changed is refused.")
@given(st.data())
def test_a_key_of_which_any_character_was_changed_is_refused(data):
    async def act():
        clock = FrozenClock()
        store = InMemoryStore(clock=clock)
        keyring = Keyring(store.keys, clock=clock, new_uuid=counting_ids())
        _, shown = await keyring.create(ANN)
        place = data.draw(st.integers(0, len(shown) - 1))
        instead = data.draw(st.characters().filter(lambda one: one != shown[place]))
        await refusal(keyring, shown[:place] + instead + shown[place + 1 :])

    anyio.run(act)


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32))
def test_different_secrets_are_shown_differently(one, other):
    async def shown(random):
        clock = FrozenClock()
        keys = InMemoryStore(clock=clock).keys
        keyring = Keyring(keys, clock=clock, new_uuid=lambda: "0" * 32, random=lambda _: random)
        return (await keyring.create(ANN))[1]

    assert (anyio.run(shown, one) == anyio.run(shown, other)) == (one == other)


async def test_a_secret_has_256_bits(store, clock):
    asked = []

    def random(count):
        asked.append(count)
        return secrets.token_bytes(count)

    await Keyring(store.keys, clock=clock, new_uuid=counting_ids(), random=random).create(ANN)

    assert asked == [32]


async def test_the_time_that_a_refusal_takes_tells_nothing_of_the_secret(keyring, monkeypatch):
    """Every secret is hashed and compared as a whole, also where there is no such key."""
    compared = []
    compare = hmac.compare_digest

    def noted(one, other):
        compared.append((len(one), len(other)))
        return compare(one, other)

    _, shown = await keyring.create(ANN)
    monkeypatch.setattr(access_keys.hmac, "compare_digest", noted)
    await refusal(keyring, shown[:37] + "0" * 43)
    await refusal(keyring, f"pyn_{'0' * 32}_{shown[37:]}")
    await keyring.authenticate(shown)

    assert compared == [(32, 32)] * 3


@pytest.mark.parametrize(
    ("holder", "error"),
    [
        (Holder(tenant="acme", role="user"), InvalidValue),
        (Holder(tenant="acme", role="service", user="ann"), InvalidValue),
        (Holder(tenant="acme", role="user", user=" "), InvalidName),
        (Holder(tenant="", role="admin"), InvalidName),
    ],
)
async def test_no_key_is_made_for_whom_there_cannot_be(keyring, store, holder, error):
    with pytest.raises(error):
        await keyring.create(holder)

    assert await store.keys.list_keys() == []


async def test_no_key_is_made_that_has_expired(keyring, clock):
    with pytest.raises(InvalidValue, match="expires"):
        await keyring.create(ANN, expires_at_us=clock.now_us())
    with pytest.raises(InvalidName, match="name"):
        await keyring.create(ANN, name="two\nlines")


@pytest.mark.parametrize(
    ("expires", "at_us"),
    [
        (None, None),
        ("1d", DAY_US),
        ("90d", 90 * DAY_US),
        ("1970-01-01T00:01:00+00:00", MINUTE_US),
    ],
)
def test_an_end_is_days_from_now_or_an_instant(expires, at_us):
    assert expiry_us(expires, 0) == at_us


@pytest.mark.parametrize("expires", ["0d", "1970-01-01T00:00:00Z", "99999d"])
def test_an_end_lies_in_the_time_to_come(expires):
    now_us = expiry_us("9990-01-01T00:00:00Z", 0) if expires == "99999d" else 0

    with pytest.raises(InvalidValue, match="expires"):
        expiry_us(expires, now_us)


@pytest.mark.parametrize("expires", ["soon", "d", "-1d", "1.5d", "1 d", "٣d", "123456d", ""])
def test_what_is_no_end_is_refused(expires):
    with pytest.raises(InvalidTime):
        expiry_us(expires, 0)


# ── when it was used last ────────────────────────────────────────────────────────────────────────


async def used(store):
    return {key.name: key.last_used_at_us for key in await store.keys.list_keys()}


async def test_the_last_use_is_noted_to_the_minute_when_the_keyring_is_flushed(
    keyring, store, clock
):
    _, one = await keyring.create(ANN, name="one")
    await keyring.create(ANN, name="other")
    minute_us = clock.now_us()
    clock.forward(59.5)
    await keyring.authenticate(one)
    assert await used(store) == {"one": None, "other": None}

    await keyring.flush()

    assert await used(store) == {"one": minute_us, "other": None}


async def test_uses_are_written_at_most_once_a_minute(keyring, store, clock):
    _, shown = await keyring.create(ANN, name="one")
    started_us = clock.now_us()
    seen = []
    for _ in range(9):
        clock.forward(20)
        await keyring.authenticate(shown)
        seen.append((await used(store))["one"])

    minutes = [None if at_us is None else (at_us - started_us) // MINUTE_US for at_us in seen]
    assert minutes == [None, None, 1, 1, 1, 2, 2, 2, 3]


async def test_a_refused_key_counts_as_not_used(keyring, store):
    key, shown = await keyring.create(ANN, name="one")
    await refusal(keyring, shown[:-1] + ("0" if shown[-1] != "0" else "1"))
    await store.keys.revoke(key.id, 5)
    await refusal(keyring, shown)
    await keyring.flush()

    assert await used(store) == {"one": None}


class BusyForAWhile:
    """A store's keys whose writes fail as long as somebody else is writing."""

    def __init__(self, keys):
        self._keys, self.is_busy = keys, True

    def __getattr__(self, name):
        return getattr(self._keys, name)

    async def used(self, at_us):
        if self.is_busy:
            raise StoreBusy(5.0)
        await self._keys.used(at_us)


async def test_nobody_is_turned_away_because_a_use_cannot_be_written(store, clock):
    keys = BusyForAWhile(store.keys)
    keyring = Keyring(keys, clock=clock, new_uuid=counting_ids())
    _, one = await keyring.create(ANN, name="one")
    _, other = await keyring.create(ANN, name="other")
    started_us = clock.now_us()
    await keyring.authenticate(one)
    noted_us = clock.forward(60)
    assert (await keyring.authenticate(other)).user == "ann"
    assert await used(store) == {"one": None, "other": None}

    keys.is_busy = False
    await keyring.flush()

    assert await used(store) == {"one": started_us, "other": noted_us}


# ── the first one ────────────────────────────────────────────────────────────────────────────────


async def test_a_first_key_is_made_where_a_tenant_never_had_one(keyring, store):
    key, shown = await keyring.create_first(ANN, name="first")
    await store.keys.revoke(key.id, 5)

    assert await keyring.create_first(ANN) is None
    assert shown[4:36] == key.id[4:]
    assert (await keyring.create_first(Holder.of("admin", tenant="globex"))) is not None


async def test_of_many_that_want_a_first_key_at_once_one_gets_it(store, clock):
    new_uuid, made = counting_ids(), []

    async def start():
        keyring = Keyring(store.keys, clock=clock, new_uuid=new_uuid)
        made.append(await keyring.create_first(ANN))

    async with anyio.create_task_group() as group:
        for _ in range(8):
            group.start_soon(start)

    assert len([one for one in made if one is not None]) == 1
    assert len(await store.keys.list_keys()) == 1


async def test_a_key_that_is_told_to_memory_is_known_for_a_secret(keyring):
    _, shown = await keyring.create(ANN)
    text = f"my key is {shown}, keep it"

    (found,) = find_sensitive(text)
    assert text[found.start : found.end] == shown
