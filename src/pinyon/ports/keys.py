"""API keys that were given out."""

from collections.abc import Mapping
from typing import Protocol

from pinyon.domain.credential import ApiKey
from pinyon.domain.ids import KeyId


class Keys(Protocol):
    """Keeps keys without their secrets: of each only a hash, under a key that is the home's."""

    async def hash_key(self) -> bytes:
        """Return 32 bytes to hash secrets under: always the same of one home, never of another.

        A home that does not exist yet is begun.
        """

    async def put(self, key: ApiKey, secret_hash: bytes) -> None:
        """Keep a new key, so that not even a power cut takes it."""

    async def put_first(self, key: ApiKey, secret_hash: bytes) -> bool:
        """Keep a key only where its tenant never had one; return whether it was kept.

        Of several processes that try at once, one does.
        """

    async def find(self, key_id: KeyId) -> tuple[ApiKey, bytes] | None:
        """Return a key and the hash of its secret, as they are now in every process.

        It is asked with each request: one look into an index.
        """

    async def list_keys(self, tenant: str | None = None) -> list[ApiKey]:
        """Return the keys of a tenant, or of all, in the order in which they were made."""

    async def revoke(self, key_id: KeyId, at_us: int) -> bool:
        """Let a key open nothing any more; return whether there was one that had not been revoked.

        What returned is true in every process, and outlives a power cut.
        """

    async def used(self, at_us: Mapping[KeyId, int]) -> None:
        """Note when keys were last used; an earlier time never replaces a later one."""
