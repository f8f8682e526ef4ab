"""One transaction's worth of changes: each variant turned into statements."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import assert_never

import apsw

from pinyon.domain.change import (
    EXPOSURE_KEPT_US,
    Absent,
    Applied,
    Await,
    Change,
    Count,
    Enqueue,
    Erase,
    Expose,
    FeedbackChange,
    FinishJob,
    Index,
    IndexRow,
    Link,
    LogChange,
    Mask,
    MemoryChange,
    Patch,
    Put,
    PutEvent,
    PutReceipt,
    PutTurnVectors,
    PutVectors,
    ServeVectors,
    SessionChange,
    Settle,
    TallyChange,
    Unset,
    VectorChange,
)
from pinyon.domain.event import Event
from pinyon.domain.evolve import linked, patched
from pinyon.domain.filter import Filter
from pinyon.domain.ids import MemoryId
from pinyon.domain.job import ENDED_KEPT, JobState
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.errors import AlreadyThere, ForeignHit, InvalidValue, NotFound, VersionConflict
from pinyon.ranking.packing import packed
from pinyon.stores.sqlite import lineage
from pinyon.stores.sqlite.audit import Pen, keyed_hash
from pinyon.stores.sqlite.connection import Row, Value, find_row, get_row
from pinyon.stores.sqlite.conversing import change_feedback, change_session
from pinyon.stores.sqlite.filters import Compiled, hash_asked
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.rows import (
    AWAITS_BITS,
    column_names,
    event_row,
    id_bytes,
    job_row,
    links_of,
    placeholders,
    receipt_row,
    selected,
    to_memory,
    to_row,
    turn_bytes,
)
from pinyon.text.event_words import event_words
from pinyon.text.tokens import TOKENIZER

TOKEN_PIECE_BYTES = 1_920
"""Twenty tokens; four pieces fill a page of 8 kB."""

_WHOLE = {"columns": column_names() + ", changed_seq", "values": placeholders() + ", ?"}


class Batch:
    """Applies changes one by one; the caller holds the transaction."""

    def __init__(
        self,
        connection: apsw.Connection,
        space: Space,
        *,
        pen: Pen,
        hash_key: bytes,
        now_us: int,
    ) -> None:
        self._connection, self._space, self._pen = connection, space, pen
        self._hash_key, self._now_us = hash_key, now_us
        self._seq: int | None = None
        self.equals: dict[str, str] = {}
        self.ids: list[str] = []
        self.created: list[bool] = []

    def apply(self, changes: Sequence[Change]) -> None:
        """Apply changes, in order."""
        for change in changes:
            self._apply(change)
        self._pen.flush()

    def applied(self) -> Applied:
        """Return what became of them."""
        (mark,) = get_row(self._connection, query("read_mark"))
        return Applied(
            seq=mark, equals=self.equals, ids=tuple(self.ids), created=tuple(self.created)
        )

    def _apply(self, change: Change) -> None:
        if isinstance(change, MemoryChange):
            self._apply_to_memory(change)
        elif isinstance(change, TallyChange):
            self._apply_tally(change)
        elif isinstance(change, VectorChange):
            self._apply_vectors(change)
        elif isinstance(change, LogChange):
            self._apply_to_log(change)
        elif isinstance(change, SessionChange):
            self._change_session(change)
        elif isinstance(change, FeedbackChange):
            change_feedback(self._connection, change)
        else:
            assert_never(change)

    def _apply_to_memory(self, change: MemoryChange) -> None:
        match change:
            case Put():
                self._put(change)
            case Patch() | Link():
                self._evolve(change)
            case Mask():
                self._mask(change)
            case Index():
                seq = self._seq_of(change.id)
                self._drop_derived(seq, vectors=False)
                self._index(seq, change.rows)
                self._run("touch_memory", changed_seq=self._move(), seq=seq)
            case Absent():
                if (there := self._equal(change.where)) is not None:
                    raise AlreadyThere(there)
            case _:
                assert_never(change)

    def _apply_tally(self, change: TallyChange) -> None:
        match change:
            case Count():
                self._count(change)
            case Expose():
                self._expose(change)
            case Settle():
                self._settle(change)
            case Await():
                self._must("owe_memory", _owed(change), change.id)
            case _:
                assert_never(change)

    def _apply_vectors(self, change: VectorChange) -> None:
        match change:
            case PutVectors():
                self._put_vectors(change)
            case PutTurnVectors():
                self._put_turn_vectors(change)
            case ServeVectors():
                self._serve(change)
            case _:
                assert_never(change)

    def _apply_to_log(self, change: LogChange) -> None:
        match change:
            case Erase():
                self._erase(change)
            case PutReceipt():
                self._put_receipt(change)
            case PutEvent():
                self._put_event(change)
            case Enqueue():
                self._enqueue(change)
            case FinishJob():
                self._finish(change)
            case _:
                assert_never(change)

    # ── memories ─────────────────────────────────────────────────────────────────────────────

    def _put(self, change: Put) -> None:
        memory = change.memory
        if memory.space != self._space:
            raise ForeignHit(memory.id)
        if change.unless is not None and (equal := self._equal(change.unless)) is not None:
            self.equals[memory.id] = equal
            self._answer(equal, created=False)
            return
        held = self._find("seq_of", id=id_bytes(memory.id))
        if held is None:
            row = (*to_row(memory), self._move())
            self._connection.execute(query("insert_memory", **_WHOLE), row)
            seq = self._connection.last_insert_rowid()
            self._run("unmark_gone", id=id_bytes(memory.id))
        else:
            seq = held[0]
            self._replace(seq, memory)
        self._index(seq, self._rows_of(change))
        self._link(seq, memory)
        self._keep_earlier(seq, change)
        if change.vectors is not None:
            self._put_vectors(change.vectors)
        self._answer(memory.id, created=True)
        self._pen.note("put", memory.id, keyed_hash(memory.content_hash, self._hash_key))

    def _rows_of(self, change: Put) -> Sequence[IndexRow]:
        turn = turn_bytes(change.memory.links.previous)
        if not change.context_hash or turn is None:
            return change.rows
        held = self._find("turn_hash", kind=turn[:1].decode(), id=turn[1:])
        if held is not None and held[0].hex() == change.context_hash:
            return change.rows
        return [replace(row, context="") for row in change.rows]

    def _replace(self, seq: int, memory: Memory) -> None:
        """Write a memory over the one that is there, and drop all that was made from that."""
        row = (*to_row(memory), self._move(), seq)
        self._connection.execute(query("replace_memory", **_WHOLE), row)
        self._drop_derived(seq)
        self._run("drop_versions", seq=seq)
        self._run("drop_links", seq=seq)

    def _equal(self, unless: Filter) -> str | None:
        text = hash_asked(unless)
        if text is not None and self._find("any_of_hash", content_hash=text) is None:
            return None
        compiled = Compiled(unless)
        sql = query("equal_memory", where=compiled.sql)
        row = find_row(self._connection, sql, **compiled.values)
        return None if row is None else "mem_" + row[0].hex()

    def _keep_earlier(self, seq: int, change: Put) -> None:
        states = [*change.earlier, change.memory]
        for earlier, later in pairwise(states):
            parts = {
                "columns": column_names(versioned_only=True),
                "values": placeholders(versioned_only=True),
            }
            row = to_row(earlier, versioned_only=True)
            replaced_at_us = later.times.updated_at_us
            self._connection.execute(query("insert_version", **parts), (seq, replaced_at_us, *row))

    def _evolve(self, change: Patch | Link) -> None:
        seq, memory = self._memory(change.id)
        if isinstance(change, Patch):
            evolved, action = patched(memory, change, self._now_us), "patch"
        else:
            evolved, action = linked(memory, change, self._now_us), change.act
        names = column_names(versioned_only=True)
        self._connection.execute(
            query("keep_version", columns=names), {"seq": seq, "replaced_at_us": self._now_us}
        )
        parts = {
            "columns": names + ", changed_seq",
            "values": placeholders(versioned_only=True) + ", ?",
        }
        row = to_row(evolved, versioned_only=True)
        self._connection.execute(query("evolve_memory", **parts), (*row, self._move(), seq))
        if links_of(evolved) != links_of(memory):
            self._run("drop_links", seq=seq)
            self._link(seq, evolved)
        if isinstance(change, Patch) and not isinstance(change.rows, Unset):
            self._drop_derived(seq, vectors=False)
            self._index(seq, change.rows)
        self._pen.note(action, memory.id, keyed_hash(memory.content_hash, self._hash_key))

    def _memory(self, memory_id: MemoryId) -> tuple[int, Memory]:
        sql = query("get_memories", columns=selected() + ", m.seq")
        row = find_row(self._connection, sql, ids=json.dumps([memory_id[4:]]))
        if row is None:
            raise NotFound(memory_id)
        return row[-1], to_memory(row, self._space)

    def _count(self, change: Count) -> None:
        values: dict[str, Value] = {
            "id": id_bytes(change.id),
            "uses": change.uses,
            "support": change.support,
            "successes": change.successes,
            "failures": change.failures,
            "used_at_us": change.used_at_us,
            "succeeded_at_us": change.succeeded_at_us,
        }
        self._must("count_memory", values, change.id)

    def _expose(self, change: Expose) -> None:
        held = self._find("expose_memory", id=id_bytes(change.id), at_us=change.at_us)
        if held is not None:
            self._run(
                "put_exposure",
                seq=held[0],
                at_us=change.at_us,
                session=change.session,
                surface=self._pen.surface,
            )
            self._run("drop_old_exposures", before_us=self._now_us - EXPOSURE_KEPT_US)

    def _settle(self, change: Settle) -> None:
        values = {**_owed(change), "is_first": change.is_first}
        if self._find("settle_memory", **values) is None:
            _, held = self._memory(change.id)
            raise VersionConflict(change.id, expected=held.version, actual=held.version)

    def _mask(self, change: Mask) -> None:
        memory = change.memory
        if memory.space != self._space:
            raise ForeignHit(memory.id)
        seq, held = self._memory(memory.id)
        masked = replace(memory, counts=held.counts)
        self._replace(seq, masked)
        self._run("drop_feedback_of_memory", seq=seq)
        self._index(seq, change.rows)
        self._link(seq, masked)
        if change.vectors is not None:
            self._put_vectors(change.vectors)
        self._pen.note("mask", memory.id, keyed_hash(memory.content_hash, self._hash_key))

    def _put_receipt(self, change: PutReceipt) -> None:
        receipt = change.receipt
        hashes = [keyed_hash(one, self._hash_key) for one in change.content_hashes]
        for hashed in hashes:
            self._run("put_forgotten", hash=hashed, at_us=receipt.at_us)
        held = self._find("receipt_hashes", id=id_bytes(receipt.id))
        earlier = json.loads(held[0] or "[]") if held is not None else []
        kept = replace(receipt, hashes=(*earlier, *(hashed.hex() for hashed in hashes)))
        self._connection.execute(query("put_receipt"), receipt_row(kept))
        self._pen.note("forget", receipt.id)

    def _erase(self, change: Erase) -> None:
        raw, moved = id_bytes(change.id), self._move()
        if change.id.startswith("evt_"):
            if self._find("find_event", id=raw) is None:
                raise NotFound(change.id)
            lineage.erase_event(self._connection, raw, change.id)
        else:
            seq = self._seq_of(MemoryId(change.id))
            lineage.erase_memory(self._connection, seq, raw, change.id)
            self._run("mark_gone", id=raw, seq=moved)
        self._pen.note("erase", change.id)

    # ── what is derived from a memory ────────────────────────────────────────────────────────

    def _index(self, seq: int, rows: Sequence[IndexRow]) -> None:
        for row in rows:
            values = {
                "passage": (seq << 6) + row.position,
                "tokenizer": row.tokenizer,
                "head": row.head,
                "body": row.body,
                "context": row.context,
            }
            self._connection.execute(query("put_passage"), values)
            del values["tokenizer"]
            self._connection.execute(query("index_passage"), values)

    def _drop_derived(self, seq: int, *, vectors: bool = True) -> None:
        span: dict[str, Value] = {"first": seq << 6, "last": (seq << 6) + 63}
        self._run("unindex_passages", **span)
        self._run("drop_passages", **span)
        if vectors:
            self._run("drop_dense", **span, model=None)
            self._run("drop_token", **span, model=None)

    def _link(self, seq: int, memory: Memory) -> None:
        for target, relation in sorted(links_of(memory)):
            self._run("put_link", target=target, relation=relation, seq=seq)

    def _put_vectors(self, change: PutVectors) -> None:
        seq = self._seq_of(change.id)
        model = self._model(change)
        span: dict[str, Value] = {"first": seq << 6, "last": (seq << 6) + 63, "model": model}
        self._run("drop_dense", **span)
        self._run("drop_token", **span)
        for position, raw in change.dense.items():
            vector = packed(raw)
            self._run("put_dense", passage=(seq << 6) + position, model=model, vector=vector)
        for position, raw in change.tokens.items():
            passage = (seq << 6) + position
            for piece, start in enumerate(range(0, len(raw), TOKEN_PIECE_BYTES)):
                part = raw[start : start + TOKEN_PIECE_BYTES]
                self._run("put_token", passage=passage, model=model, piece=piece, vectors=part)
        self._run("serve_if_none", model=model)
        self._run("touch_memory", changed_seq=self._move(), seq=seq)

    def _put_turn_vectors(self, change: PutTurnVectors) -> None:
        if self._find("find_event", id=id_bytes(change.id)) is None:
            raise NotFound(change.id)
        model, event = self._model(change), id_bytes(change.id)
        self._run("put_turn_token", event=event, model=model, vectors=change.tokens)

    def _serve(self, change: ServeVectors) -> None:
        row = self._find("find_model", fingerprint=change.model)
        if row is None:
            raise NotFound(change.model)
        for name in (
            "serve", "drop_other_dense", "drop_other_token", "drop_other_turn_token",
            "drop_other_models",
        ):  # fmt: skip
            self._run(name, model=row[0])
        self._move()

    def _model(self, change: PutVectors | PutTurnVectors) -> int:
        number, dim = get_row(
            self._connection,
            query("model_of"),
            fingerprint=change.model,
            dim=change.dim,
            token_dim=change.token_dim,
        )
        if dim != change.dim:
            raise InvalidValue("dim", change.dim, f"{dim}, as the model's other vectors have it")
        return int(number)

    # ── events and jobs ──────────────────────────────────────────────────────────────────────

    def _put_event(self, change: PutEvent) -> None:
        row = event_row(change.event)
        if change.unless_retry_within_us is not None:
            names = (
                "content_hash", "session", "role", "event_type", "message_id", "occurred_at_us",
            )  # fmt: skip
            values = {name: row[name] for name in names}
            values["within_us"] = change.unless_retry_within_us
            equal = self._find("equal_event", **values)
            if equal is not None:
                self.equals[change.event.id] = "evt_" + equal[0].hex()
                self._answer(self.equals[change.event.id], created=False)
                return
        self._move()
        (seq,) = get_row(self._connection, query("put_event"), **row)
        self._index_event(seq, change.event)
        self._answer(change.event.id, created=True)
        keyed = keyed_hash(change.event.content_hash, self._hash_key)
        self._pen.note("put_event", change.event.id, keyed)

    def _index_event(self, seq: int, event: Event) -> None:
        """Index an event by what it says now; another one may have had its id."""
        self._run("unindex_event", event=seq)
        self._run("drop_event_words", event=seq)
        words = event_words(event)
        if words is not None:
            self._run("put_event_words", event=seq, tokenizer=TOKENIZER, body=words)
            self._run("index_event", event=seq, body=words)

    def _change_session(self, change: SessionChange) -> None:
        key, now_us = self._hash_key, self._now_us
        if change_session(self._connection, change, hash_key=key, now_us=now_us):
            self._move()

    def _enqueue(self, change: Enqueue) -> None:
        equal = self._find("equal_job", dedupe_key=change.job.dedupe_key)
        if equal is not None:
            self.equals[change.job.id] = "job_" + equal[0].hex()
            return
        self._connection.execute(query("put_job"), job_row(change.job))

    def _finish(self, change: FinishJob) -> None:
        state: JobState = "done" if not change.error else "dead"
        if change.error and change.retry_at_us is not None:
            state = "waiting"
        values: dict[str, Value] = {
            "id": id_bytes(change.id),
            "attempts": change.attempt,
            "state": state,
            "last_error": change.error,
            "retry_at_us": change.retry_at_us,
        }
        self._must("finish_job", values, change.id)
        if state == "done":
            self._run("drop_ended_jobs", kept=ENDED_KEPT)

    # ── small things ─────────────────────────────────────────────────────────────────────────

    def _answer(self, identifier: str, *, created: bool) -> None:
        self.ids.append(identifier)
        self.created.append(created)

    def _move(self) -> int:
        """Move the space's sequence number on, once a batch."""
        if self._seq is None:
            self._seq = int(get_row(self._connection, query("move_seq"))[0])
        return self._seq

    def _run(self, name: str, **values: Value) -> None:
        self._connection.execute(query(name), values)

    def _seq_of(self, memory_id: MemoryId) -> int:
        held = self._find("seq_of", id=id_bytes(memory_id))
        if held is None:
            raise NotFound(memory_id)
        return int(held[0])

    def _find(self, name: str, **values: Value) -> Row | None:
        return find_row(self._connection, query(name), **values)

    def _must(self, name: str, values: Mapping[str, Value], what: str) -> None:
        if self._find(name, **values) is None:
            raise NotFound(what)


def _owed(change: Settle | Await) -> dict[str, Value]:
    return {"id": id_bytes(change.id), "bit": AWAITS_BITS[change.awaited]}
