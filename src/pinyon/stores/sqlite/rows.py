"""Between a memory and its row. One list of columns serves writing, reading and filtering."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from pinyon.domain.event import Event
from pinyon.domain.ids import EventId, JobId, MemoryId, ReceiptId, turn_id
from pinyon.domain.job import PRIORITIES, Job
from pinyon.domain.memory import (
    Awaits,
    CatalogEntry,
    Copy,
    Counts,
    Facets,
    Links,
    Memory,
    Metadata,
    Passage,
    Procedure,
    Source,
    Span,
    Step,
    Summary,
    Times,
)
from pinyon.domain.receipt import Receipt
from pinyon.domain.space import Space
from pinyon.stores.sqlite.connection import Row, Value

AWAITS_BITS: Mapping[Awaits, int] = {"vectors": 1, "consolidation": 2}


def dump(value: object) -> str:
    """Return a value as compact JSON; "" for what is empty, which most lists are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value else ""


def id_bytes(identifier: str) -> bytes:
    """Return the 16 bytes of an id."""
    return bytes.fromhex(identifier[4:])


def turn_bytes(identifier: str | None) -> bytes | None:
    """Return 17 bytes for the id of a memory or an event: which of them, and the id."""
    return None if identifier is None else identifier[:1].encode() + id_bytes(identifier)


def memory_id_of(raw: bytes) -> MemoryId:
    """Return the id that 16 bytes stand for."""
    return MemoryId("mem_" + raw.hex())


def turn_id_of(raw: bytes | None) -> MemoryId | EventId | None:
    """Return the id that 17 bytes stand for."""
    if raw is None:
        return None
    bare = raw[1:].hex()
    return EventId("evt_" + bare) if raw[:1] == b"e" else MemoryId("mem_" + bare)


def _rest(memory: Memory) -> str:
    links, source = memory.links, memory.source
    rest: dict[str, object] = {
        "scenarios": memory.scenarios,
        "offset": memory.times.offset_min,
        "parent": source.parent_event,
        "spans": [(span.memory_id, span.start, span.end) for span in source.spans],
        "supporting": source.supporting,
        "derived": source.derived_from,
        "supersedes": links.supersedes,
        "contradiction": links.contradiction,
        "conflicts": links.conflicts_with,
        "copies": [(str(copy.space), copy.id) for copy in links.copies],
        "copy_of": links.copy_of and (str(links.copy_of.space), links.copy_of.id),
        "stage": memory.facets.stage,
    }
    if memory.procedure is not None:
        rest["procedure"] = asdict(memory.procedure)
    if memory.catalog is not None:
        rest["catalog"] = asdict(memory.catalog)
    if memory.summary is not None:
        rest["summary"] = asdict(memory.summary)
    passages = memory.passages
    if passages and passages != (Passage(0, 0, len(memory.text)),):
        rest["passages"] = [(passage.start, passage.end) for passage in passages]
    elif not passages:
        rest["passages"] = "none"
    return dump({name: value for name, value in rest.items() if value})


def _optional_id(identifier: str | None) -> bytes | None:
    return None if identifier is None else id_bytes(identifier)


_FIXED = (
    "id", "kind", "text", "content_hash", "trust", "session", "task", "agent", "event_type", "role",
    "speaker", "message_id", "language", "task_type", "document", "has_code", "has_error",
    "entities", "occurred_at_us", "created_at_us", "previous",
)  # fmt: skip
# What an annotation or a link may change; the table `version` keeps old values of these.
_VERSIONED = (
    "version", "updated_at_us", "status", "shelf", "title", "keywords", "category", "project",
    "module", "tags", "metadata", "importance", "confidence", "pinned", "valid_from_us",
    "valid_until_us", "expires_at_us", "superseded_by", "superseded_at_us", "outdated_by", "rest",
)  # fmt: skip
_COUNTED = (
    "uses", "support", "successes", "failures", "last_used_at_us", "last_success_at_us", "awaits",
)  # fmt: skip
COLUMNS = (*_FIXED, *_VERSIONED, *_COUNTED)


@cache
def column_names(*, versioned_only: bool = False) -> str:
    """Return the names of all columns, or of those that `version` keeps, for a query."""
    return ", ".join(_VERSIONED if versioned_only else COLUMNS)


@cache
def placeholders(*, versioned_only: bool = False) -> str:
    """Return as many `?` as `column_names` has names."""
    return ", ".join("?" for _ in (_VERSIONED if versioned_only else COLUMNS))


def column_sql(name: str, *, known: bool = False) -> str:
    """Return the expression that reads a column: off the record, or off the version known then."""
    if known and name in _VERSIONED:
        return f"iif(v.seq IS NULL, m.{name}, v.{name})"
    return f"m.{name}"


@cache
def selected(*, known: bool = False, old: bool = False) -> str:
    """Return the expressions that `to_memory` reads; `old` takes what it can from `version`."""
    if old:
        return ", ".join(f"{'v' if name in _VERSIONED else 'm'}.{name}" for name in COLUMNS)
    return ", ".join(column_sql(name, known=known) for name in COLUMNS)


def to_row(memory: Memory, *, versioned_only: bool = False) -> tuple[Value, ...]:
    """Return a memory's row, in the order of `COLUMNS`, or the part of it that `version` keeps."""
    if versioned_only:
        return _versioned_row(memory)
    source, facets, counts = memory.source, memory.facets, memory.counts
    return (
        id_bytes(memory.id),
        memory.kind,
        memory.text,
        bytes.fromhex(memory.content_hash),
        memory.trust,
        source.session,
        source.task,
        source.agent,
        source.event_type,
        source.role,
        source.speaker,
        source.message_id,
        facets.language,
        facets.task_type,
        memory.catalog.document if memory.catalog else "",
        int(facets.has_code),
        int(facets.has_error),
        dump(facets.entities),
        memory.times.occurred_at_us,
        memory.times.created_at_us,
        turn_bytes(memory.links.previous),
        *_versioned_row(memory),
        counts.uses,
        counts.support,
        counts.successes,
        counts.failures,
        counts.last_used_at_us,
        counts.last_success_at_us,
        sum([AWAITS_BITS[what] for what in memory.awaits]),
    )


def _versioned_row(memory: Memory) -> tuple[Value, ...]:
    times, links = memory.times, memory.links
    return (
        memory.version,
        times.updated_at_us,
        memory.status,
        memory.shelf,
        memory.title,
        dump(memory.keywords),
        memory.category,
        memory.project,
        memory.module,
        dump(memory.tags),
        dump(dict(memory.metadata)) if memory.metadata else "",
        memory.importance,
        memory.confidence,
        int(memory.pinned),
        times.valid_from_us,
        times.valid_until_us,
        times.expires_at_us,
        _optional_id(links.superseded_by),
        links.superseded_at_us,
        _optional_id(links.outdated_by),
        _rest(memory),
    )


def to_memory(row: Row, space: Space) -> Memory:
    """Return the memory of a row of a space that was read by `selected`."""
    held = dict(zip(COLUMNS, row, strict=False))  # a query may add columns behind
    rest: Mapping[str, Any] = json.loads(held["rest"]) if held["rest"] else {}
    return Memory(
        id=memory_id_of(held["id"]),
        space=space,
        kind=held["kind"],
        text=held["text"],
        title=held["title"],
        keywords=_words(held["keywords"]),
        scenarios=tuple(rest.get("scenarios", ())),
        category=held["category"],
        project=held["project"],
        module=held["module"],
        tags=_words(held["tags"]),
        metadata=_metadata(held["metadata"]),
        importance=held["importance"],
        confidence=held["confidence"],
        trust=held["trust"],
        status=held["status"],
        shelf=held["shelf"],
        pinned=bool(held["pinned"]),
        version=held["version"],
        content_hash=held["content_hash"].hex(),
        times=_times(held, rest),
        source=_source(held, rest),
        links=_links(held, rest),
        counts=_counts(held),
        procedure=_procedure(rest.get("procedure")),
        catalog=CatalogEntry(**rest["catalog"]) if "catalog" in rest else None,
        summary=Summary(**rest["summary"]) if "summary" in rest else None,
        facets=_facets(held, rest),
        passages=_passages(rest.get("passages"), held["text"]),
        awaits=tuple(what for what, bit in AWAITS_BITS.items() if held["awaits"] & bit),
    )


def links_of(memory: Memory) -> set[tuple[bytes, str]]:
    """Return the rows of `link` that a memory's lists amount to: `(target, relation)`."""
    lists: tuple[tuple[str, Sequence[str]], ...] = (
        ("supersedes", memory.links.supersedes),
        ("conflicts", memory.links.conflicts_with),
        ("supports", memory.source.supporting),
        ("derived", memory.source.derived_from),
        ("outdated", () if memory.links.outdated_by is None else (memory.links.outdated_by,)),
    )
    return {(id_bytes(target), relation) for relation, targets in lists for target in targets}


def event_row(event: Event) -> dict[str, Value]:
    """Return an event's row, by name."""
    return {
        "id": id_bytes(event.id),
        "session": event.session,
        "role": event.role,
        "event_type": event.event_type,
        "text": event.text,
        "content_hash": bytes.fromhex(event.content_hash),
        "speaker": event.speaker,
        "message_id": event.message_id,
        "parent": event.parent,
        "task": event.task,
        "previous": turn_bytes(event.previous),
        "occurred_at_us": event.occurred_at_us,
        "offset_min": event.offset_min,
        "created_at_us": event.created_at_us,
        "metadata": dump(dict(event.metadata)),
    }


def to_event(row: Row) -> Event:
    """Return the event of a row of `scan_events`."""
    return Event(
        id=EventId("evt_" + row[0].hex()),
        session=row[1],
        role=row[2],
        event_type=row[3],
        text=row[4],
        content_hash=row[5].hex(),
        speaker=row[6],
        message_id=row[7],
        parent=row[8],
        previous=turn_id_of(row[9]),
        occurred_at_us=row[10],
        offset_min=row[11],
        created_at_us=row[12],
        metadata=_metadata(row[13]),
        task=row[14],
    )


def job_row(job: Job) -> dict[str, Value]:
    """Return a job's row, by name."""
    return {
        "id": id_bytes(job.id),
        "task": job.task,
        "payload": dump(dict(job.payload)),
        "priority": PRIORITIES.index(job.priority),
        "dedupe_key": job.dedupe_key,
        "run_at_us": job.run_at_us,
        "state": job.state,
        "attempts": job.attempts,
        "lease_until_us": job.lease_until_us,
        "last_error": job.last_error,
        "forgiven": job.forgiven,
    }


def to_job(row: Row) -> Job:
    """Return the job of a row of `list_jobs`."""
    return Job(
        id=JobId("job_" + row[0].hex()),
        task=row[1],
        payload=_metadata(row[2]),
        priority=PRIORITIES[row[3]],
        dedupe_key=row[4],
        run_at_us=row[5],
        state=row[6],
        attempts=row[7],
        lease_until_us=row[8],
        last_error=row[9],
        forgiven=row[10],
    )


def _times(held: Mapping[str, Any], rest: Mapping[str, Any]) -> Times:
    return Times(
        occurred_at_us=held["occurred_at_us"],
        offset_min=rest.get("offset", 0),
        valid_from_us=held["valid_from_us"],
        valid_until_us=held["valid_until_us"],
        created_at_us=held["created_at_us"],
        updated_at_us=held["updated_at_us"],
        expires_at_us=held["expires_at_us"],
    )


def _source(held: Mapping[str, Any], rest: Mapping[str, Any]) -> Source:
    return Source(
        session=held["session"],
        task=held["task"],
        agent=held["agent"],
        event_type=held["event_type"],
        role=held["role"],
        speaker=held["speaker"],
        parent_event=rest.get("parent", ""),
        message_id=held["message_id"],
        spans=tuple(Span(*span) for span in rest.get("spans", ())),
        supporting=tuple(rest.get("supporting", ())),
        derived_from=tuple(rest.get("derived", ())),
    )


def _links(held: Mapping[str, Any], rest: Mapping[str, Any]) -> Links:
    return Links(
        previous=turn_id_of(held["previous"]),
        supersedes=tuple(rest.get("supersedes", ())),
        superseded_by=_optional_memory_id(held["superseded_by"]),
        superseded_at_us=held["superseded_at_us"],
        contradiction=rest.get("contradiction"),
        conflicts_with=tuple(rest.get("conflicts", ())),
        outdated_by=_optional_memory_id(held["outdated_by"]),
        copies=tuple(map(_copy, rest.get("copies", ()))),
        copy_of=_copy(rest["copy_of"]) if "copy_of" in rest else None,
    )


def _counts(held: Mapping[str, Any]) -> Counts:
    return Counts(
        uses=held["uses"],
        support=held["support"],
        successes=held["successes"],
        failures=held["failures"],
        last_used_at_us=held["last_used_at_us"],
        last_success_at_us=held["last_success_at_us"],
    )


def _facets(held: Mapping[str, Any], rest: Mapping[str, Any]) -> Facets:
    return Facets(
        language=held["language"],
        has_code=bool(held["has_code"]),
        has_error=bool(held["has_error"]),
        task_type=held["task_type"],
        stage=rest.get("stage", ""),
        entities=_words(held["entities"]),
    )


def _optional_memory_id(raw: bytes | None) -> MemoryId | None:
    return None if raw is None else memory_id_of(raw)


def _copy(raw: Sequence[str]) -> Copy:
    space, identifier = raw
    return Copy(Space.parse(space), MemoryId(identifier))


def receipt_row(receipt: Receipt) -> dict[str, Value]:
    """Return a receipt's row, by name."""
    return {
        "id": id_bytes(receipt.id),
        "at_us": receipt.at_us,
        "ids": dump(receipt.ids),
        "masked": dump(receipt.masked),
        "counts": dump(dict(receipt.counts)),
        "hashes": dump(receipt.hashes),
        "sessions": dump(receipt.sessions),
        "complete": int(receipt.complete),
    }


def to_receipt(row: Row) -> Receipt:
    """Return the receipt of a row of `list_receipts`."""
    identifier, at_us, ids, masked, counts, hashes, sessions, complete = row
    return Receipt(
        id=ReceiptId("rcp_" + identifier.hex()),
        at_us=at_us,
        ids=tuple(map(turn_id, _words(ids))),
        masked=tuple(map(MemoryId, _words(masked))),
        counts=json.loads(counts) if counts else {},
        hashes=_words(hashes),
        sessions=_words(sessions),
        complete=bool(complete),
    )


def _words(raw: str) -> tuple[str, ...]:
    return tuple(json.loads(raw)) if raw else ()


def _metadata(raw: str) -> Metadata:
    return tuple(sorted(json.loads(raw).items())) if raw else ()


def _procedure(raw: Mapping[str, Any] | None) -> Procedure | None:
    if raw is None:
        return None
    return Procedure(
        trigger=raw["trigger"],
        steps=tuple(Step(**step) for step in raw["steps"]),
        refined_steps=tuple(Step(**step) for step in raw["refined_steps"]),
    )


def _passages(raw: Any, text: str) -> tuple[Passage, ...]:
    if raw == "none":
        return ()
    if raw is None:
        return (Passage(0, 0, len(text)),)
    return tuple(Passage(position, start, end) for position, (start, end) in enumerate(raw))
