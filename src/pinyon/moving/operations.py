"""The operations of a client that move memories in and out."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from pathlib import Path

import anyio

from pinyon.domain.answers import CatalogDocument, CatalogImported, Exported, Imported
from pinyon.domain.filter import EVERYTHING, Eq, Not
from pinyon.domain.ids import NewUuid
from pinyon.domain.principal import Actor, Principal
from pinyon.domain.space import Scope
from pinyon.moving.cataloguing import DocumentImporter, catalog_of
from pinyon.moving.documents import Texts, documents_of, read_texts
from pinyon.moving.exporting import export
from pinyon.moving.importing import Importer
from pinyon.ports.client import Progress, Rows
from pinyon.ports.clock import Clock
from pinyon.ports.store import Store
from pinyon.ports.watch import Watch, watched, watched_stream
from pinyon.write.keeper import Keeper


class MovingOperations(ABC):
    """Exports, imports and catalogs; `MemoryClient` has the rest."""

    _store: Store
    _keeper: Keeper
    _clock: Clock
    _new_uuid: NewUuid
    _by: Actor
    _watch: Watch

    @abstractmethod
    async def _who(self, scope: Scope | None = None) -> Principal:
        """Return the principal as grants leave it now."""

    @watched_stream
    async def export(self, *, scope: Scope = "own") -> AsyncIterator[Exported]:
        """Return everything that a space holds, oldest first, without loss."""
        space = (await self._who(scope)).space(scope, to="read")
        # What is in quarantine leaves a space of several users by no export.
        where = EVERYTHING if scope in ("own", "agent") else Not(Eq("shelf", "quarantined"))
        async for row in export(self._store.records, space, where):
            yield row

    @watched
    async def import_rows(
        self,
        rows: Rows,
        *,
        scope: Scope = "own",
        name: str = "import",
        progress: Progress | None = None,
    ) -> Imported:
        """Keep the rows of an export, or plain ones; what is there already is not doubled."""
        principal = await self._who()
        space = principal.space(scope)
        importer = Importer(
            self._store.records,
            self._keeper,
            space=space,
            by=self._by,
            name=name,
            receipts=self._store.receipts,
            writes=principal.writes,
        )
        return await importer.run(rows, progress)

    @watched
    async def import_catalog(
        self,
        path: Path | str,
        *,
        scope: Scope = "shared",
        name: str | None = None,
        progress: Progress | None = None,
    ) -> CatalogImported:
        """Make the catalog equal to documents. See `pinyon.ports.client.Operations`."""
        read = await anyio.to_thread.run_sync(read_texts, Path(path), name)
        return await self.import_documents(read, scope=scope, progress=progress)

    async def import_documents(
        self, read: Texts, *, scope: Scope = "shared", progress: Progress | None = None
    ) -> CatalogImported:
        """Make the catalog equal to documents that were read elsewhere; see `import_catalog`."""
        importer = DocumentImporter(
            self._store.records,
            self._keeper,
            space=(await self._who(scope)).space(scope),
            by=self._by,
            clock=self._clock,
            new_uuid=self._new_uuid,
        )
        documents = await anyio.to_thread.run_sync(documents_of, read)
        return await importer.run(documents, progress)

    @watched
    async def list_catalog(self, *, scope: Scope = "shared") -> tuple[CatalogDocument, ...]:
        """Return the documents of a catalog, by what they were imported as and by name."""
        space = (await self._who(scope)).space(scope, to="read")
        return await catalog_of(self._store.records, space)
