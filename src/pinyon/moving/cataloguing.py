"""Making the catalog of a space equal to documents. Doing it twice changes nothing.

A document is known by its name and by what it was imported as; its chunks are known by their title
and text. Entries that were written by hand are never touched.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace

from pinyon.domain.answers import CatalogDocument, CatalogImported
from pinyon.domain.change import Change, Erase, Link, Put
from pinyon.domain.draft import Draft
from pinyon.domain.filter import Eq, Exists, Filter, all_of
from pinyon.domain.ids import NewUuid
from pinyon.domain.memory import CatalogEntry, Memory
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.errors import BadInput, InvalidFile, NotWanted, Refused
from pinyon.moving.documents import Document, Documents
from pinyon.ports.client import Progress
from pinyon.ports.clock import Clock
from pinyon.ports.records import Records, every_memory
from pinyon.text.chunks import Chunk
from pinyon.text.index_rows import index_rows
from pinyon.write.gate import Gate, admit
from pinyon.write.keeper import Keeper
from pinyon.write.limits import TITLE_CHARS_MAX

IMPORT_KEY = "import"
"""Under which a chunk's metadata says what it was imported as."""

CHANGES_AT_ONCE = 1_000

_CATALOG = Eq("kind", "catalog")


@dataclass(frozen=True, slots=True)
class Difference:
    """What it takes to make a document that is held equal to the one that was read."""

    new: tuple[Memory, ...]
    moved: tuple[Link, ...]
    gone: tuple[Memory, ...]

    def changes(self) -> list[Put | Link | Erase]:
        """Return it as changes, those that make room first."""
        puts = (Put(memory, index_rows(memory, "")) for memory in self.new)
        return [*(Erase(memory.id) for memory in self.gone), *puts, *self.moved]


def difference(held: Sequence[Memory], wanted: Sequence[Memory]) -> Difference:
    """Return what makes `held` equal to `wanted`: what is there already keeps its id.

    Args:
        held: The chunks that the space has of the document.
        wanted: Those that it should have, in the order of the document.
    """
    known: dict[tuple[str, str], list[Memory]] = {}
    for memory in sorted(held, key=_position):
        known.setdefault((memory.title, memory.text), []).append(memory)
    standing = [_taken(known, memory) for memory in wanted]
    there = {memory.id: memory for memory in held}
    new: list[Memory] = []
    moved: list[Link] = []
    for memory, entry in zip(standing, _entries(standing), strict=True):
        if memory.id not in there:
            new.append(replace(memory, catalog=entry))
        elif memory.catalog != entry:
            moved.append(Link(id=memory.id, catalog=entry))
    gone = (memory for rest in known.values() for memory in rest)
    return Difference(tuple(new), tuple(moved), tuple(gone))


class DocumentImporter:
    """Keeps documents; what changes of one document is kept at once."""

    def __init__(
        self,
        records: Records,
        keeper: Keeper,
        *,
        space: Space,
        by: Actor,
        clock: Clock,
        new_uuid: NewUuid,
    ) -> None:
        self._records, self._keeper, self._space, self._by = records, keeper, space, by
        self._clock, self._new_uuid = clock, new_uuid

    async def run(self, read: Documents, progress: Progress | None = None) -> CatalogImported:
        """Keep what was read, and remove what is no longer there.

        Raises:
            NotWanted: The user of the space paused memory.
            InvalidFile: A chunk cannot be kept; it names the document. Documents before it are kept
                already, and importing all of them again does not double them.
        """
        gate = await self._keeper.gate_for(self._space)
        if gate.allowed.is_paused:
            raise NotWanted("paused")
        created = kept = removed = 0
        for count, document in enumerate(read.documents, start=1):
            wanted = [self._passed(chunk, document, read.name, gate) for chunk in document.chunks]
            held = [memory async for memory in self._held(read.name, document.name)]
            found = difference(held, wanted)
            await self._apply(found.changes())
            created, removed = created + len(found.new), removed + len(found.gone)
            kept += len(wanted) - len(found.new)
            if progress is not None:
                progress(count)
        if read.is_whole:
            removed += await self._remove_others(read)
        return CatalogImported(
            documents=len(read.documents),
            created=created,
            kept=kept,
            removed=removed,
            skipped=read.skipped,
        )

    def _passed(self, chunk: Chunk, document: Document, name: str, gate: Gate) -> Memory:
        draft = Draft(
            text=chunk.text,
            kind="catalog",
            trust="document",
            title=_title(chunk, document.name),
            document=document.name,
            metadata={IMPORT_KEY: name},
        )
        try:
            admitted = admit(
                draft,
                self._space,
                now_us=self._clock.now_us(),
                new_uuid=self._new_uuid,
                gate=gate,
            )
        except (BadInput, Refused) as error:
            raise InvalidFile(document.name, str(error)) from error
        return admitted.memory

    async def _remove_others(self, read: Documents) -> int:
        """Remove documents that were imported under this name and are no longer there."""
        names = {document.name for document in read.documents}
        gone = [
            Erase(memory.id)
            async for memory in self._held(read.name)
            if _document_of(memory) not in names
        ]
        await self._apply(gone)
        return len(gone)

    def _held(self, name: str, document: str | None = None) -> AsyncIterator[Memory]:
        where: list[Filter] = [_CATALOG, Eq(f"metadata.{IMPORT_KEY}", name)]
        if document is not None:
            where.append(Eq("document", document))
        return every_memory(self._records, self._space, all_of(*where), order="oldest")

    async def _apply(self, changes: Sequence[Put | Link | Erase]) -> None:
        for start in range(0, len(changes), CHANGES_AT_ONCE):
            part = changes[start : start + CHANGES_AT_ONCE]
            puts = [change for change in part if isinstance(change, Put)]
            others = [change for change in part if not isinstance(change, Put)]
            vectorised, _ = await self._keeper.with_vectors(self._space, puts, {})
            whole: list[Change] = [*others, *vectorised]
            await self._records.apply(self._space, whole, by=self._by)


async def catalog_of(records: Records, space: Space) -> tuple[CatalogDocument, ...]:
    """Return the documents of a space, by what they were imported as and by name."""
    found: dict[tuple[str, str], list[int]] = {}
    async for memory in every_memory(
        records, space, all_of(_CATALOG, Exists("document")), order="oldest"
    ):
        imported_as = dict(memory.metadata).get(IMPORT_KEY)
        key = (imported_as if isinstance(imported_as, str) else "", _document_of(memory))
        found.setdefault(key, []).append(memory.times.updated_at_us)
    return tuple(
        CatalogDocument(
            name=name, imported_as=imported_as, chunks=len(times), updated_at_us=max(times)
        )
        for (imported_as, name), times in sorted(found.items())
    )


def _taken(known: dict[tuple[str, str], list[Memory]], wanted: Memory) -> Memory:
    """Return the first that says the same and strike it off; the wanted one if there is none."""
    same = known.get((wanted.title, wanted.text))
    return same.pop(0) if same else wanted


def _entries(standing: Sequence[Memory]) -> Iterator[CatalogEntry]:
    ids = [None, *(memory.id for memory in standing), None]
    for position, memory in enumerate(standing):
        yield CatalogEntry(
            document=_document_of(memory),
            position=position,
            before=ids[position],
            after=ids[position + 2],
        )


def _title(chunk: Chunk, document: str) -> str:
    """Return the headings of a chunk; of a title that is too long the end says the most."""
    title = " › ".join(chunk.headings) or document
    return title if len(title) <= TITLE_CHARS_MAX else "…" + title[1 - TITLE_CHARS_MAX :]


def _document_of(memory: Memory) -> str:
    return memory.catalog.document if memory.catalog else ""


def _position(memory: Memory) -> int:
    return memory.catalog.position if memory.catalog else 0
