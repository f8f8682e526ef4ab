"""Keeping the rows of an export, or plain ones. Doing it twice is doing it once."""

from collections.abc import AsyncIterable, AsyncIterator, Collection, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from pinyon.domain.answers import Exported, Imported
from pinyon.domain.change import Change, Put, PutEvent
from pinyon.domain.draft import Draft
from pinyon.domain.event import SUMMARY, Event, is_summary
from pinyon.domain.filter import In
from pinyon.domain.ids import EventId, memory_id, turn_id
from pinyon.domain.memory import CatalogEntry, Copy, Facets, Memory, Procedure, Summary
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.errors import BadInput, InvalidFile, NotWanted, Refused
from pinyon.moving.jsonl import read_row
from pinyon.ports.client import Progress, Rows
from pinyon.ports.receipts import Receipts
from pinyon.ports.records import Records
from pinyon.text.index_rows import index_rows
from pinyon.text.normal import content_hash, keep
from pinyon.text.summarising import RULES, refusal
from pinyon.write.copies import may_follow
from pinyon.write.form import body_text, instant, metadata_of
from pinyon.write.form import line as short_text
from pinyon.write.gate import Gate, admit, event_type_in
from pinyon.write.keeper import Keeper

CHUNK = 1_000


class Importer:
    """Reads rows in chunks; each chunk is kept whole or not at all."""

    def __init__(
        self,
        records: Records,
        keeper: Keeper,
        *,
        space: Space,
        by: Actor,
        name: str = "import",
        receipts: Receipts,
        writes: Collection[Space],
    ) -> None:
        self._writes = frozenset(writes)
        self._records, self._keeper, self._space, self._by = records, keeper, space, by
        self._name, self._receipts = name, receipts
        self._gone: frozenset[str] = frozenset()
        self._emptied_at_us = 0
        self._created = self._equal = self._forgotten = self._not_wanted = 0

    async def run(self, rows: Rows, progress: Progress | None = None) -> Imported:
        """Keep rows, and return how many were new. A row that is `None` is a blank line.

        What speaks of a topic that its user never wants kept, or is of a session of which nothing
        is kept, is left out and counted, like what was forgotten since.

        Raises:
            NotWanted: The user paused memory.
            InvalidFile: A row cannot be kept; it names the line. Chunks before it are kept already,
                and importing the mended file again does not double them.
        """
        chunk: list[tuple[int, Draft | Exported]] = []
        line = 0
        if (await self._keeper.gate_for(self._space)).allowed.is_paused:
            raise NotWanted("paused")
        await self._read_receipts()
        async for row in _one_by_one(rows):
            line += 1
            read = self._read(row, line)
            if read is not None:
                chunk.append((line, read))
            if len(chunk) >= CHUNK:
                await self._keep(chunk)
                chunk.clear()
                if progress is not None:
                    progress(line)
        await self._keep(chunk)
        if progress is not None:
            progress(line)
        return Imported(
            created=self._created,
            equal=self._equal,
            forgotten=self._forgotten,
            not_wanted=self._not_wanted,
        )

    async def _read_receipts(self) -> None:
        """Note what was forgotten here, so that no file from before brings it back."""
        receipts = await self._receipts.of_space(self._space)
        self._gone = frozenset(one for r in receipts for one in (*r.ids, *r.masked))
        self._emptied_at_us = max((r.at_us for r in receipts if r.whole), default=0)

    async def _still_wanted(
        self, chunk: Sequence[tuple[int, Draft | Exported]]
    ) -> list[tuple[int, Draft | Exported]]:
        """Return a chunk without what was forgotten since it was written."""
        hashes = {line: content_hash(keep(text)) for line, one in chunk if (text := _text(one))}
        forgotten = await self._receipts.forgotten(self._space, list(set(hashes.values())))
        wanted = [
            (line, one)
            for line, one in chunk
            if not self._is_forgotten(one, forgotten.get(hashes.get(line, "")))
        ]
        self._forgotten += len(chunk) - len(wanted)
        return wanted

    def _is_forgotten(self, one: Draft | Exported, forgotten_at_us: int | None) -> bool:
        if isinstance(one, Draft):
            if forgotten_at_us is None:
                return False
            at_us = instant("occurred_at", one.occurred_at)
            return at_us is None or at_us <= forgotten_at_us
        held = one.memory or one.event
        if held is None or held.id in self._gone:
            return held is not None
        since_us = held.created_at_us if isinstance(held, Event) else held.times.created_at_us
        return since_us <= max(self._emptied_at_us, forgotten_at_us or 0)

    def _read(self, row: Mapping[str, object] | None, line: int) -> Draft | Exported | None:
        if row is None:
            return None
        if not isinstance(row, Mapping):
            raise InvalidFile(self._name, "it holds no JSON object", line=line)
        read = read_row(row, self._space, name=self._name, line=line)
        return _named(read, row) if isinstance(read, Draft) else read

    async def _keep(self, chunk: Sequence[tuple[int, Draft | Exported]]) -> None:
        chunk = await self._still_wanted(chunk)
        gate = await self._keeper.gate_for(self._space, {_session(one) for _, one in chunk})
        chunk = self._allowed(chunk, gate)
        drafts = [read for _, read in chunk if isinstance(read, Draft)]
        exported = [
            (line, self._complete(read, line, gate))
            for line, read in chunk
            if isinstance(read, Exported)
        ]
        try:
            written = await self._keeper.keep(
                self._space, drafts, by=self._by, repeats_support=False
            )
            self._count([one.created for one in written])
            await self._put([read for _, read in exported])
        except (BadInput, Refused) as error:
            line = self._first_wrong(chunk, gate)
            raise InvalidFile(self._name, f"{error}", line=line) from error

    def _allowed(
        self, chunk: Sequence[tuple[int, Draft | Exported]], gate: Gate
    ) -> list[tuple[int, Draft | Exported]]:
        """Return a chunk without what its user does not want kept."""
        wanted: list[tuple[int, Draft | Exported]] = []
        for line, one in chunk:
            try:
                for draft in _drafts(one):
                    gate.allowed.check(draft)
            except NotWanted:
                self._not_wanted += 1
            else:
                wanted.append((line, one))
        return wanted

    def _complete(self, exported: Exported, line: int, gate: Gate) -> Exported:
        """Return a row of an export as if it had passed the gate, its derived parts made anew."""
        try:
            if exported.event is not None:
                return Exported(event=_checked_event(exported.event, self._space.tenant, gate))
            assert exported.memory is not None  # noqa: S101 - a row holds one or the other
            passed = _passed(exported.memory, self._writes, gate)
            earlier = tuple(_passed(old, self._writes, gate) for old in exported.earlier)
            return Exported(memory=passed, earlier=earlier)
        except (BadInput, Refused) as error:
            raise InvalidFile(self._name, str(error), line=line) from error

    def _first_wrong(self, chunk: Sequence[tuple[int, Draft | Exported]], gate: Gate) -> int:
        """Return the line that the gate refuses, found by asking it about each."""
        for line, read in chunk:
            if isinstance(read, Draft):
                try:
                    admit(
                        read,
                        self._space,
                        now_us=0,
                        new_uuid=lambda: "0" * 32,
                        gate=gate,
                    )
                except (BadInput, Refused):
                    return line
        return chunk[0][0]

    async def _put(self, exported: Sequence[Exported]) -> None:
        memories = [(one.memory, one.earlier) for one in exported if one.memory is not None]
        events = [one.event for one in exported if one.event is not None]
        held = await self._records.get(self._space, [memory.id for memory, _ in memories])
        known = {memory.id for memory in held}
        memories = [(await self._attributed(memory), earlier) for memory, earlier in memories]
        texts: dict[str, str] = {event.id: event.text for event in events}
        puts: list[Put] = []
        told: dict[EventId, str] = {}
        for memory, earlier in memories:
            texts[memory.id] = memory.text
            if memory.id not in known:
                context = await self._context(memory, texts)
                if context and str(memory.links.previous).startswith("evt_"):
                    told[EventId(str(memory.links.previous))] = context
                unless = In("id", (memory.id,))
                rows = index_rows(memory, context)
                puts.append(Put(memory, rows, unless=unless, earlier=earlier))
        self._count([False] * len(known))
        vectorised, _ = await self._keeper.with_vectors(self._space, puts, told)
        changes: list[Change] = [*(PutEvent(event, 0) for event in events), *vectorised]
        if changes:
            applied = await self._records.apply(self._space, changes, by=self._by)
            self._count(applied.created)

    async def _attributed(self, memory: Memory) -> Memory:
        """Return a memory that names as its original only what says so too: a file may claim it."""
        origin = memory.links.copy_of
        if origin is None:
            return memory
        held = await self._records.get(origin.space, [origin.id])
        if held and Copy(memory.space, memory.id) in held[0].links.copies:
            return memory
        return replace(memory, links=replace(memory.links, copy_of=None))

    async def _context(self, memory: Memory, texts: Mapping[str, str]) -> str:
        previous = memory.links.previous
        if previous is None:
            return ""
        return texts.get(previous) or await self._records.turn_text(self._space, previous) or ""

    def _count(self, created: Sequence[bool]) -> None:
        self._created += sum(created)
        self._equal += len(created) - sum(created)


async def _one_by_one(rows: Rows) -> AsyncIterator[Mapping[str, object] | None]:
    if isinstance(rows, AsyncIterable):
        async for row in rows:
            yield row
    else:
        for row in rows:
            yield row


def _text(one: Draft | Exported) -> str:
    if isinstance(one, Draft):
        return one.text if isinstance(one.text, str) else ""
    held = one.memory or one.event
    return "" if held is None else held.text


def _drafts(one: Draft | Exported) -> list[Draft]:
    """Return what a row says as drafts: a memory with its earlier versions, or an event."""
    if isinstance(one, Draft):
        return [one]
    if one.event is not None:
        return [_draft_of_event(one.event)]
    memories = [memory for memory in (one.memory, *one.earlier) if memory is not None]
    summaries = [
        Draft(text=memory.summary.text) for memory in memories if memory.summary is not None
    ]
    return [*map(_draft_of, memories), *summaries]


def _session(one: Draft | Exported) -> str:
    return str(_drafts(one)[0].session)


def _named(draft: Draft, row: Mapping[str, object]) -> Draft:
    """Give an episode that has neither time nor message id one that a second import has again."""
    if draft.kind != "episodic" or draft.message_id or draft.occurred_at is not None:
        return draft
    digest = blake2b(repr(sorted(row.items())).encode("utf-8", "replace"), digest_size=12)
    return replace(draft, message_id=f"import-{digest.hexdigest()}")


def _draft_of(memory: Memory) -> Draft:
    source, procedure = memory.source, memory.procedure
    steps = (*procedure.steps, *procedure.refined_steps) if procedure else ()
    return Draft(
        text=memory.text,
        kind=memory.kind,
        title=memory.title,
        keywords=memory.keywords,
        scenarios=memory.scenarios,
        category=memory.category,
        project=memory.project,
        module=memory.module,
        tags=memory.tags,
        metadata=dict(memory.metadata),
        importance=memory.importance,
        confidence=memory.confidence,
        trust=memory.trust,
        pinned=memory.pinned,
        session=source.session,
        task=source.task,
        agent=source.agent,
        # Not for a writer to say: what it is stays with it, below.
        event_type="" if is_summary(memory) else source.event_type,
        role=source.role,
        speaker=source.speaker,
        parent_event=source.parent_event,
        message_id=source.message_id,
        trigger=procedure.trigger if procedure else "",
        steps=[step.instruction for step in steps],
        tools=[step.tool for step in steps],
        document=memory.catalog.document if memory.catalog else "",
    )


def _passed(memory: Memory, writes: Collection[Space], gate: Gate) -> Memory:
    source, draft = memory.source, _draft_of(memory)
    bare, now_us = memory_id(memory.id)[4:], memory.times.created_at_us
    passed = admit(draft, memory.space, now_us=now_us, new_uuid=lambda: bare, gate=gate).memory
    kept = replace(
        passed.source,
        event_type=SUMMARY if is_summary(memory) else passed.source.event_type,
        spans=source.spans,
        supporting=tuple(memory_id(one) for one in source.supporting),
        derived_from=tuple(turn_id(one) for one in source.derived_from),
    )
    return replace(
        memory,
        id=passed.id,
        text=passed.text,
        title=passed.title,
        keywords=passed.keywords,
        scenarios=passed.scenarios,
        # What had none when it was exported has none: somebody may have taken it away.
        category=passed.category if memory.category else "",
        project=passed.project,
        module=passed.module,
        tags=passed.tags,
        metadata=passed.metadata,
        source=kept,
        # A file may name any space; what follows a memory is only where its owner may write.
        links=replace(memory.links, copies=_own_copies(memory, writes)),
        content_hash=passed.content_hash,
        passages=passed.passages,
        facets=_facets(memory, passed, gate),
        procedure=_procedure(memory, passed),
        catalog=_catalog(memory, passed),
        summary=_summary(memory, passed),
        shelf=passed.shelf if passed.shelf == "quarantined" else memory.shelf,
        # Vectors are not exported; they are made anew.
        awaits=tuple(dict.fromkeys(("vectors", *memory.awaits))) if passed.awaits else (),
    )


def _summary(memory: Memory, passed: Memory) -> Summary | None:
    """Return what a file says in short where its text says so too; else what rules make of that."""
    told = memory.summary
    if told is None or told.made_by == RULES or passed.text != memory.text:
        return passed.summary
    if refusal(told.text, passed.text):
        return passed.summary
    return Summary(told.text, short_text("made_by", told.made_by))


def _facets(memory: Memory, passed: Memory, gate: Gate) -> Facets:
    """Return the cheap tags; the names among them are words too."""
    if passed.text != memory.text:
        return passed.facets
    named = Draft(text="names", keywords=memory.facets.entities)
    kept = gate.screen(named, memory.space.tenant).draft.keywords
    return replace(memory.facets, entities=tuple(kept))


def _procedure(memory: Memory, passed: Memory) -> Procedure | None:
    """Return the steps as they may be kept, the refined ones apart again."""
    if memory.procedure is None or passed.procedure is None:
        return None
    steps, first = passed.procedure.steps, len(memory.procedure.steps)
    return Procedure(
        trigger=passed.procedure.trigger, steps=steps[:first], refined_steps=steps[first:]
    )


def _catalog(memory: Memory, passed: Memory) -> CatalogEntry | None:
    if memory.catalog is None or passed.catalog is None:
        return None
    return replace(memory.catalog, document=passed.catalog.document)


def _own_copies(memory: Memory, writes: Collection[Space]) -> tuple[Copy, ...]:
    origin = Copy(memory.space, memory.id)
    return tuple(
        copy
        for copy in memory.links.copies
        if copy.space in writes and may_follow(origin, copy.space, copy.id)
    )


def _draft_of_event(event: Event) -> Draft:
    return Draft(
        text=event.text,
        session=event.session,
        role=event.role,
        speaker=event.speaker,
        message_id=event.message_id,
        event_type=event.event_type,
        parent_event=event.parent,
        task=event.task,
        metadata=dict(event.metadata),
    )


def _checked_event(event: Event, tenant: str, gate: Gate) -> Event:
    draft = gate.screen(_draft_of_event(event), tenant).draft
    text = body_text("text", draft.text)
    return replace(
        event,
        id=EventId("evt_" + memory_id(event.id.removeprefix("evt_"))[4:]),
        text=text,
        session=short_text("session", draft.session),
        role=short_text("role", draft.role),
        speaker=short_text("speaker", draft.speaker),
        message_id=short_text("message_id", draft.message_id),
        event_type=event_type_in(draft),
        parent=short_text("parent", draft.parent_event),
        task=short_text("task", draft.task),
        metadata=metadata_of(draft.metadata),
        content_hash=content_hash(text),
    )
