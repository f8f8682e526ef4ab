"""API keys over a dictionary."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace

from pinyon.domain.credential import ApiKey
from pinyon.domain.ids import KeyId
from pinyon.domain.space import Space


class InMemoryKeys:
    """See `pinyon.ports.keys.Keys`."""

    def __init__(self, check_open: Callable[[], None]) -> None:
        self._check_open = check_open
        self._hash_key = secrets.token_bytes(32)
        self._held: dict[KeyId, tuple[ApiKey, bytes]] = {}

    async def hash_key(self) -> bytes:
        """See the port."""
        self._check_open()
        return self._hash_key

    async def put(self, key: ApiKey, secret_hash: bytes) -> None:
        """See the port."""
        self._check_open()
        self._held[key.id] = (key, secret_hash)

    async def put_first(self, key: ApiKey, secret_hash: bytes) -> bool:
        """See the port."""
        self._check_open()
        if any(held.tenant == key.tenant for held, _ in self._held.values()):
            return False
        self._held[key.id] = (key, secret_hash)
        return True

    async def find(self, key_id: KeyId) -> tuple[ApiKey, bytes] | None:
        """See the port."""
        self._check_open()
        return self._held.get(key_id)

    async def list_keys(self, tenant: str | None = None) -> list[ApiKey]:
        """See the port."""
        self._check_open()
        found = [key for key, _ in self._held.values() if tenant in (None, key.tenant)]
        return sorted(found, key=lambda key: (key.created_at_us, key.id))

    async def revoke(self, key_id: KeyId, at_us: int) -> bool:
        """See the port."""
        self._check_open()
        if key_id not in self._held or self._held[key_id][0].revoked_at_us is not None:
            return False
        key, secret_hash = self._held[key_id]
        self._held[key_id] = (replace(key, revoked_at_us=at_us), secret_hash)
        return True

    async def used(self, at_us: Mapping[KeyId, int]) -> None:
        """See the port."""
        self._check_open()
        for key_id, last_us in at_us.items():
            if key_id in self._held:
                key, secret_hash = self._held[key_id]
                later_us = max(last_us, key.last_used_at_us or last_us)
                self._held[key_id] = (replace(key, last_used_at_us=later_us), secret_hash)

    def drop_closed(self, space: Space, now_us: int) -> None:
        """Drop the keys of whose own space it is that open nothing any more."""
        for key_id, (key, _) in list(self._held.items()):
            is_theirs = space.is_own and (key.tenant, key.user) == (space.tenant, space.segments[1])
            if is_theirs and not key.opens_at(now_us):
                del self._held[key_id]
