"""Does what its parent tells it, a line of JSON at a time, on a home that it holds open."""

import json
import sys
from pathlib import Path

import anyio
import apsw
import numpy as np

from pinyon.access.keys import Keyring
from pinyon.client import MemoryClient
from pinyon.domain.change import Erase, PutVectors
from pinyon.domain.credential import Holder
from pinyon.domain.principal import Actor, Principal
from pinyon.stores.sqlite import SqliteStore
from pinyon.wiring import SystemClock, new_uuid

BY = Actor("default/user/sarah", "test")


class Servant:
    """Each method is a command; what it returns is the answer."""

    async def open(self, home, user="sarah", durable=True, scripts=None):
        numbered = {int(n): s for n, s in scripts.items()} if scripts else None
        clock = SystemClock()
        self.store = SqliteStore(Path(home), clock=clock, durable=durable, scripts=numbered)
        principal = Principal.of_home(tenant="default", user=user)
        self.space = principal.space("own")
        self.client = MemoryClient(self.store, principal, clock=clock, new_uuid=new_uuid)

    async def remember(self, text, **details):
        written = await self.client.remember(text, **details)
        return {"id": written.id, "created": written.created}

    async def write(self, text, **details):
        written = await self.client.write(text, **details)
        return {"id": written.id, "created": written.created}

    async def edit(self, memory, **annotations):
        return (await self.client.edit(memory, **annotations)).version

    async def erase(self, memory):
        return (await self.store.records.apply(self.space, [Erase(memory)], by=BY)).seq

    async def erase_space(self):
        await self.store.erase(self.space)

    async def put_vector(self, memory, vector):
        dense = {0: np.array(vector, np.float32).tobytes()}
        change = PutVectors(memory, "test@1", dense, len(vector))
        return (await self.store.records.apply(self.space, [change], by=BY)).seq

    async def list(self):
        listing = await self.client.list(limit=1000)
        return [{"id": memory.id, "title": memory.title} for memory in listing.memories]

    async def recall(self, question):
        answer = await self.client.recall(question)
        return [{"id": hit.memory.id, "title": hit.memory.title} for hit in answer.hits]

    async def dense(self, vector):
        asked = np.array(vector, np.float32).tobytes()
        found = await self.store.search.dense(self.space, asked, "test@1", limit=10)
        return [candidate.id for candidate in found]

    async def hold(self):
        """Begin to read, and go on: what this sees must stay in the log."""
        (path,) = self.store.home.files()
        self.reader = apsw.Connection(str(path))
        self.reader.execute("BEGIN")
        return self.reader.execute("SELECT count(*) FROM memory").fetchone()[0]

    async def let_go(self):
        self.reader.close()

    async def forget(self, memory):
        receipt = (await self.client.forget(memory)).receipt
        return {"id": receipt.id, "complete": receipt.complete}

    async def keys(self):
        self.keyring = Keyring(self.store.keys, clock=SystemClock(), new_uuid=new_uuid)

    async def first_key(self):
        made = await self.keyring.create_first(Holder(tenant="default", role="admin"))
        return made and made[1]

    async def authenticate(self, token):
        return (await self.keyring.authenticate(token)).id

    async def rebuild(self):
        return self.store.home.rebuild_registry()

    async def verify(self):
        return [finding.what for finding in await self.store.verify(self.space)]

    async def close(self):
        await self.store.close()


async def main():
    servant = Servant()
    for line in sys.stdin:
        given = json.loads(line)
        try:
            answer = {"answer": await getattr(servant, given.pop("do"))(**given)}
        except Exception as error:  # noqa: BLE001 - the parent judges it
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)  # noqa: T201 - it is what the parent reads


anyio.run(main)
