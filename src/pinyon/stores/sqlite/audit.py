"""The journal's chain: each entry's MAC covers the one before it, under the home's secret."""

import hmac
from hashlib import blake2b

import apsw

from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.ports.journal import Entry
from pinyon.stores.sqlite.connection import Row, Value, find_row, get_row
from pinyon.stores.sqlite.queries import query

MAC_BYTES = 16
_KINDS = {b"m": "mem_", b"e": "evt_", b"j": "job_", b"r": "rcp_"}


def chain_key(secret: bytes, space: Space) -> bytes:
    """Return the key of a space's chain."""
    return hmac.digest(secret, b"journal:" + str(space).encode(), "sha256")


def keyed_hash(content_hash: str, hash_key: bytes) -> bytes:
    """Return the hash that stands for a content: useless once the space's key is gone."""
    if not content_hash:
        return b""
    return blake2b(bytes.fromhex(content_hash), key=hash_key, digest_size=16).digest()


def mac_of(key: bytes, before: bytes, entry: Entry) -> bytes:
    """Return the MAC of an entry that follows the one whose MAC is `before`."""
    fields = (entry.n, entry.at_us, entry.actor, entry.surface, entry.action, entry.target)
    line = "\x1f".join(map(str, (*fields, entry.keyed_hash)))
    return hmac.digest(key, before + line.encode(), "sha256")[:MAC_BYTES]


def entry_of(row: Row) -> Entry:
    """Return the entry of a row of the journal."""
    n, at_us, actor, surface, action, target, keyed, mac = row
    return Entry(
        n=n,
        at_us=at_us,
        actor=actor,
        surface=surface,
        action=action,
        target=_KINDS[target[:1]] + target[1:].hex(),
        keyed_hash=keyed.hex(),
        mac=mac,
    )


class Pen:
    """Writes the entries of one transaction."""

    def __init__(self, connection: apsw.Connection, *, key: bytes, by: Actor, now_us: int) -> None:
        self._connection, self._key, self._by, self._now_us = connection, key, by, now_us
        self._actor: int | None = None
        self.n: int
        self.mac: bytes
        self.surface = by.surface
        self.n, self.mac = find_row(connection, query("last_entry")) or (0, b"")
        self._lines: list[tuple[Value, ...]] = []

    def note(self, action: str, target: str, keyed: bytes = b"") -> None:
        """Add an entry; it is written by `flush`."""
        entry = Entry(
            n=self.n + 1,
            at_us=self._now_us,
            actor=self._by.name,
            surface=self._by.surface,
            action=action,
            target=target,
            keyed_hash=keyed.hex(),
            mac=b"",
        )
        self.n, self.mac = entry.n, mac_of(self._key, self.mac, entry)
        raw = target[:1].encode() + bytes.fromhex(target[4:])
        self._lines.append((self.n, self._now_us, self._actor_id(), action, raw, keyed, self.mac))

    def flush(self) -> None:
        """Write the entries."""
        self._connection.executemany(query("put_entry"), self._lines)
        self._lines.clear()

    def _actor_id(self) -> int:
        if self._actor is None:
            name, surface = self._by.name, self._by.surface
            row = get_row(self._connection, query("actor_of"), name=name, surface=surface)
            self._actor = int(row[0])
        return self._actor
