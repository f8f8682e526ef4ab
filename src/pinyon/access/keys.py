"""API keys: made, shown once, and known again by a hash."""

import hmac
import re
import secrets
from collections.abc import Callable
from contextlib import suppress

from pinyon.domain.credential import ApiKey, Holder
from pinyon.domain.draft import When
from pinyon.domain.ids import KeyId, NewUuid
from pinyon.domain.space import checked_name
from pinyon.domain.times import LAST_US, US_PER_S, read_instant, show_instant
from pinyon.errors import InvalidValue, Unauthenticated, Unavailable
from pinyon.ports.clock import Clock
from pinyon.ports.keys import Keys

PREFIX = "pyn_"
OPENS_NOTHING = "this credential opens nothing here"
"""What is said of one that never was, is revoked, has expired or was changed: the same of each."""

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SECRET_BYTES = 32
_SECRET_CHARS = 43
"""As many as 256 bits need, of 62 characters."""
_SHOWN = re.compile(rf"pyn_([0-9a-f]{{32}})_([0-9A-Za-z]{{{_SECRET_CHARS}}})", re.ASCII)
_DAYS = re.compile(r"([0-9]{1,5})d", re.ASCII)
_MINUTE_US = 60 * US_PER_S
_DAY_US = 24 * 60 * _MINUTE_US
_NOBODYS_HASH = bytes(32)


class Keyring:
    """Makes keys, and tells whose one is.

    A key reads `pyn_`, the 32 digits of its id, `_` and 256 random bits. Nobody keeps those: the
    store has a hash of them, which is worth nothing without the home's secret. A slow hash would
    add nothing, because nobody can guess 256 bits.

    When a key was last used is noted to the minute. It is gathered here and written at most once a
    minute, and by `flush`.
    """

    def __init__(
        self,
        keys: Keys,
        *,
        clock: Clock,
        new_uuid: NewUuid,
        random: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._keys, self._clock = keys, clock
        self._new_uuid, self._random = new_uuid, random
        self._hash_key: bytes | None = None
        self._used: dict[KeyId, int] = {}
        self._written_at_us = clock.now_us()

    async def create(
        self, holder: Holder, *, name: str = "", expires_at_us: int | None = None
    ) -> tuple[ApiKey, str]:
        """Make a key; return it, and what its holder sends. That cannot be had a second time.

        Raises:
            InvalidName: A name is none.
            InvalidValue: There can be no such holder, or the key would have expired by now.
        """
        key, shown, secret_hash = await self._made(holder, name, expires_at_us)
        await self._keys.put(key, secret_hash)
        return key, shown

    async def create_first(self, holder: Holder, *, name: str = "") -> tuple[ApiKey, str] | None:
        """Make a key as `create` does, but only if its tenant never had one; else `None`.

        Of several processes that start at once, one gets a key.
        """
        if await self._keys.list_keys(holder.tenant):
            return None
        key, shown, secret_hash = await self._made(holder, name, None)
        return (key, shown) if await self._keys.put_first(key, secret_hash) else None

    async def authenticate(self, token: str) -> ApiKey:
        """Return the key that a token is.

        Raises:
            Unauthenticated: It is none, or one that opens nothing any more; always the same words.
        """
        read = _SHOWN.fullmatch(token)
        if read is None:
            raise Unauthenticated(OPENS_NOTHING)
        key_id, secret = KeyId(f"key_{read[1]}"), read[2]
        found = await self._keys.find(key_id)
        key, expected = found or (None, _NOBODYS_HASH)
        # Hashed and compared also where there is no such key, so that the time tells nothing.
        given = _hash_of(await self._key_for_hashing() if key else _NOBODYS_HASH, key_id, secret)
        is_right = hmac.compare_digest(given, expected)
        now_us = self._clock.now_us()
        if key is None or not is_right or not key.opens_at(now_us):
            raise Unauthenticated(OPENS_NOTHING)
        await self._note(key, now_us)
        return key

    async def flush(self) -> None:
        """Write down when keys were last used."""
        used, self._used = self._used, {}
        self._written_at_us = self._clock.now_us()
        try:
            if used:
                await self._keys.used(used)
        except BaseException:
            self._used = used | self._used
            raise

    async def _made(
        self, holder: Holder, name: str, expires_at_us: int | None
    ) -> tuple[ApiKey, str, bytes]:
        now_us = self._clock.now_us()
        if expires_at_us is not None and expires_at_us <= now_us:
            raise InvalidValue("expires", show_instant(expires_at_us), "a time to come")
        checked = Holder.of(
            holder.role,
            tenant=holder.tenant,
            user=holder.user,
            agent=holder.agent,
            project=holder.project,
        )
        key = ApiKey(
            id=KeyId(f"key_{self._new_uuid()}"),
            tenant=checked.tenant,
            role=checked.role,
            user=checked.user,
            agent=checked.agent,
            project=checked.project,
            name=checked_name("name", name) if name else "",
            created_at_us=now_us,
            expires_at_us=expires_at_us,
        )
        secret = _base62(self._random(_SECRET_BYTES))
        secret_hash = _hash_of(await self._key_for_hashing(), key.id, secret)
        return key, f"{PREFIX}{key.id[4:]}_{secret}", secret_hash

    async def _key_for_hashing(self) -> bytes:
        if self._hash_key is None:
            self._hash_key = await self._keys.hash_key()
        return self._hash_key

    async def _note(self, key: ApiKey, now_us: int) -> None:
        minute_us = now_us - now_us % _MINUTE_US
        if key.last_used_at_us is None or key.last_used_at_us < minute_us:
            self._used[key.id] = minute_us
        if now_us - self._written_at_us < _MINUTE_US:
            return
        with suppress(Unavailable):
            # It is nice to know, and no reason to turn anybody away. The next minute tries again.
            await self.flush()


def expiry_us(expires: When, now_us: int) -> int | None:
    """Read when a key is to expire: an instant, days from now as `90d`, or never.

    Raises:
        InvalidTime: It is neither.
        InvalidValue: It is no time to come.
    """
    if expires is None:
        return None
    days = _DAYS.fullmatch(expires) if isinstance(expires, str) else None
    at_us = now_us + int(days[1]) * _DAY_US if days else read_instant(expires)[0]
    if not now_us < at_us <= LAST_US:
        raise InvalidValue("expires", str(expires), "a time to come, as 90d, or an instant")
    return at_us


def _hash_of(hash_key: bytes, key_id: KeyId, secret: str) -> bytes:
    """Return what stands for a secret; it fits no other key than that of the id."""
    return hmac.digest(hash_key, f"{key_id}_{secret}".encode(), "sha256")


def _base62(raw: bytes) -> str:
    """Return bytes in letters and digits, always as many."""
    number = int.from_bytes(raw)
    digits = []
    for _ in range(_SECRET_CHARS):
        number, digit = divmod(number, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))
