"""API keys, in the registry: of the secret only a hash, keyed with what is derived from the home's.

They stand in no space's file, so that a registry that is made anew takes them over from the old.
"""

import hmac
import json
from collections.abc import Mapping

from pinyon.domain.credential import ApiKey
from pinyon.domain.ids import KeyId
from pinyon.domain.space import Space
from pinyon.stores.sqlite.connection import Row, Value
from pinyon.stores.sqlite.threads import Threads


class SqliteKeys:
    """See `pinyon.ports.keys.Keys`."""

    def __init__(self, threads: Threads) -> None:
        self._threads, self._home = threads, threads.home

    async def hash_key(self) -> bytes:
        """See the port."""
        secret = await self._threads.run(self._home.begin)
        return hmac.digest(secret, b"keys", "sha256")

    async def put(self, key: ApiKey, secret_hash: bytes) -> None:
        """See the port."""
        values = _values(key, secret_hash)
        await self._threads.run(lambda: self._home.change_registry("put_key", **values))

    async def put_first(self, key: ApiKey, secret_hash: bytes) -> bool:
        """See the port."""
        values = _values(key, secret_hash)
        made = await self._threads.run(
            lambda: self._home.change_registry("put_first_key", **values)
        )
        return bool(made)

    async def find(self, key_id: KeyId) -> tuple[ApiKey, bytes] | None:
        """See the port."""
        raw = bytes.fromhex(key_id[4:])
        rows = await self._threads.run(lambda: self._home.ask_registry("find_key", id=raw))
        return (_key(rows[0]), rows[0][-1]) if rows else None

    async def list_keys(self, tenant: str | None = None) -> list[ApiKey]:
        """See the port."""
        rows = await self._threads.run(lambda: self._home.ask_registry("list_keys", tenant=tenant))
        return [_key(row) for row in rows]

    async def revoke(self, key_id: KeyId, at_us: int) -> bool:
        """See the port."""
        raw = bytes.fromhex(key_id[4:])

        def act() -> bool:
            if not self._home.ask_registry("find_key", id=raw):
                return False
            return bool(self._home.change_registry("revoke_key", id=raw, at_us=at_us))

        return await self._threads.run(act)

    async def used(self, at_us: Mapping[KeyId, int]) -> None:
        """See the port."""
        used = json.dumps({key_id[4:]: last_us for key_id, last_us in at_us.items()})
        await self._threads.run(lambda: self._home.ask_registry("use_keys", used=used))

    async def drop_closed(self, space: Space, now_us: int) -> None:
        """Drop the keys of whose own space it is that open nothing any more."""
        if space.is_own and await self.list_keys(space.tenant):
            values: dict[str, Value] = {
                "tenant": space.tenant,
                "holder": space.segments[1],
                "now_us": now_us,
            }
            await self._threads.run(
                lambda: self._home.change_registry("drop_closed_keys", **values)
            )


def _values(key: ApiKey, secret_hash: bytes) -> dict[str, Value]:
    return {
        "id": bytes.fromhex(key.id[4:]),
        "tenant": key.tenant,
        "role": key.role,
        "holder": key.user,
        "agent": key.agent,
        "project": key.project,
        "name": key.name,
        "created_at_us": key.created_at_us,
        "expires_at_us": key.expires_at_us,
        "last_used_at_us": key.last_used_at_us,
        "revoked_at_us": key.revoked_at_us,
        "secret_hash": secret_hash,
    }


def _key(row: Row) -> ApiKey:
    raw, tenant, role, user, agent, project, name, created, expires, used, revoked, _ = row
    return ApiKey(
        id=KeyId("key_" + raw.hex()),
        tenant=tenant,
        role=role,
        user=user,
        agent=agent,
        project=project,
        name=name,
        created_at_us=created,
        expires_at_us=expires,
        last_used_at_us=used,
        revoked_at_us=revoked,
    )
