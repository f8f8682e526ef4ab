"""Keeping the rows of an export, or plain ones. Doing it twice is doing it once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from pinyon.domain.answers import Exported, Imported
from pinyon.domain.change import Change, Put, PutEvent
from pinyon.domain.draft import Draft
from pinyon.domain.event import Event
from pinyon.domain.filter import In
from pinyon.domain.ids import EventId, memory_id
from pinyon.domain.memory import Memory
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.errors import InvalidFile, PinyonError
from pinyon.moving.jsonl import read_row
from pinyon.ports.client import Progress
from pinyon.ports.records import Records
from pinyon.text.index_rows import index_rows
from pinyon.text.normal import content_hash
from pinyon.text.passages import passages_of
from pinyon.write.gate import body_text
from pinyon.write.keeper import Keeper

CHUNK = 1_000


class Importer:
    """Reads rows in chunks; each chunk is kept whole or not at all."""

    def __init__(self, records: Records, keeper: Keeper, *, space: Space, by: Actor) -> None:
        self._records, self._keeper, self._space, self._by = records, keeper, space, by
        self._created = self._equal = 0

    async def run(
        self, rows: Iterable[Mapping[str, object]], progress: Progress | None = None
    ) -> Imported:
        """Keep rows, and return how many were new.

        Raises:
            InvalidFile: A row cannot be kept; it names the line. Chunks before it are kept already,
                and importing the mended file again does not double them.
        """
        drafts: list[Draft] = []
        exported: list[Exported] = []
        line = 0
        for line, row in enumerate(rows, start=1):
            if not isinstance(row, Mapping):
                raise InvalidFile("import", "it holds no JSON object", line=line)
            read = read_row(row, self._space, line=line)
            if isinstance(read, Draft):
                drafts.append(_named(read, row))
            elif read is not None:
                exported.append(read)
            if len(drafts) + len(exported) >= CHUNK:
                await self._keep(drafts, exported, line)
                if progress is not None:
                    progress(line)
        await self._keep(drafts, exported, line)
        if progress is not None:
            progress(line)
        return Imported(created=self._created, equal=self._equal)

    async def _keep(self, drafts: list[Draft], exported: list[Exported], line: int) -> None:
        try:
            if drafts:
                written = await self._keeper.keep(self._space, drafts, by=self._by)
                self._count([one.created for one in written])
            if exported:
                await self._put(exported)
        except InvalidFile:
            raise
        except PinyonError as error:
            first = line - len(drafts) - len(exported) + 1
            place = f"lines {max(first, 1)}-{line}"
            raise InvalidFile("import", f"{place} were not kept: {error}") from error
        drafts.clear()
        exported.clear()

    async def _put(self, exported: Sequence[Exported]) -> None:
        memories = [_checked(one) for one in exported if one.memory is not None]
        events = [_checked_event(one.event) for one in exported if one.event is not None]
        held = await self._records.get(self._space, [one.id for one, _ in memories])
        known = {memory.id for memory in held}
        changes: list[Change] = []
        texts: dict[str, str] = {}
        for memory, earlier in memories:
            texts[memory.id] = memory.text
            if memory.id not in known:
                context = await self._context(memory, texts)
                unless = In("id", (memory.id,))
                rows = index_rows(memory, context)
                changes.append(Put(memory, rows, unless=unless, earlier=earlier))
        changes += [PutEvent(event, 0) for event in events]
        applied = await self._records.apply(self._space, changes, by=self._by)
        self._count([False] * len(known))
        self._count([identifier not in applied.equals for identifier in _ids(changes)])

    async def _context(self, memory: Memory, texts: Mapping[str, str]) -> str:
        previous = memory.links.previous
        if previous is None:
            return ""
        return texts.get(previous) or await self._records.turn_text(self._space, previous) or ""

    def _count(self, created: Sequence[bool]) -> None:
        self._created += sum(created)
        self._equal += len(created) - sum(created)


def _named(draft: Draft, row: Mapping[str, object]) -> Draft:
    """Give an episode that has neither time nor message id one that a second import has again."""
    if draft.kind != "episodic" or draft.message_id or draft.occurred_at is not None:
        return draft
    digest = blake2b(repr(sorted(row.items())).encode("utf-8", "replace"), digest_size=12)
    return replace(draft, message_id=f"import-{digest.hexdigest()}")


def _checked(exported: Exported) -> tuple[Memory, tuple[Memory, ...]]:
    """Return a memory of an export as if it had passed the gate: its derived parts made anew."""
    memory = exported.memory
    assert memory is not None  # noqa: S101 - chosen by the caller
    text = body_text("text", memory.text)
    derived: dict[str, Any] = {
        "id": memory_id(memory.id),
        "text": text,
        "content_hash": content_hash(text),
        "passages": passages_of(text),
    }
    now = replace(memory, **derived)
    earlier = tuple(replace(old, **derived) for old in exported.earlier)
    return now, earlier


def _checked_event(event: Event) -> Event:
    text = body_text("text", event.text)
    return replace(
        event,
        id=EventId("evt_" + memory_id(event.id.removeprefix("evt_"))[4:]),
        text=text,
        content_hash=content_hash(text),
    )


def _ids(changes: Sequence[Change]) -> list[str]:
    return [
        change.memory.id if isinstance(change, Put) else change.event.id
        for change in changes
        if isinstance(change, Put | PutEvent)
    ]
