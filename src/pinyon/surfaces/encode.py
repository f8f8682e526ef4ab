"""Answers as JSON. These shapes are a contract; `docs/reference/cli.md` lists them."""

from collections.abc import Sequence
from typing import Any

from pinyon.domain.answers import (
    CatalogDocument,
    CatalogImported,
    EventHit,
    EventListing,
    FedBack,
    Forgotten,
    History,
    Hit,
    Imported,
    Listing,
    Noted,
    Published,
    Recall,
    StageTrace,
    Trace,
    Warmed,
    Why,
    WhyNot,
    Written,
)
from pinyon.domain.consent import Consent
from pinyon.domain.event import Turn, turn_of_event
from pinyon.domain.memory import Copy, Memory
from pinyon.domain.receipt import Receipt
from pinyon.domain.session import Session
from pinyon.domain.times import show_instant
from pinyon.errors import PinyonError, Unavailable

Json = dict[str, Any]


def error_message(error: PinyonError) -> str:
    """Return what a stranger may read of an error: not where the operator keeps a broken place."""
    path = getattr(error, "path", "") if isinstance(error, Unavailable) else ""
    return str(error).replace(str(path), "the store") if path else str(error)


def written(answer: Written) -> Json:
    """Return what `remember` and `write` answer."""
    return {
        "id": answer.id or None,
        "created": answer.created,
        "not_kept": answer.not_kept,
        "redacted": list(answer.redacted),
        "quarantined": answer.quarantined,
        "degraded": list(answer.degraded),
        "possible_conflicts": list(answer.possible_conflicts),
        "superseded": list(answer.superseded),
    }


def written_many(answer: Sequence[Written]) -> Json:
    """Return what a batch of writes answers, in its order."""
    return {"written": [written(one) for one in answer]}


def recall_in_brief(answer: Recall) -> Json:
    """Return what `recall` answers in the same shape, without how it came about.

    Legs, scores, factors and stages are empty: they are most of it, and few look at them. What a
    model judged is not handed on to another one.
    """
    whole = recall(answer)
    for one in whole["hits"]:
        one["why"] |= {"legs": {}, "scores": {}, "factors": {}, "judged": None}
    whole["trace"]["stages"] = []
    return whole


def recall(answer: Recall) -> Json:
    """Return what `recall` answers."""
    return {
        "hits": [hit(one) for one in answer.hits],
        "trace": trace(answer.trace),
        "empty_because": answer.empty_because,
        "degraded": list(answer.degraded),
        "degraded_because": answer.degraded_because,
        "events": [event_hit(one) for one in answer.events],
    }


def event_hit(answer: EventHit) -> Json:
    """Return an event that a recall found."""
    return {
        **turn(turn_of_event(answer.event)),
        "space": str(answer.space),
        "score": round(answer.score, 4),
        "matched": list(answer.matched),
    }


def turn(answer: Turn) -> Json:
    """Return one thing that was said or done."""
    return {
        "id": answer.id,
        "type": answer.event_type,
        "role": answer.role,
        "speaker": answer.speaker,
        "text": answer.text,
        "occurred_at": show_instant(answer.occurred_at_us, answer.offset_min),
        "session": answer.session,
        "message_id": answer.message_id,
        "parent": answer.parent or None,
        "task": answer.task,
        "metadata": dict(answer.metadata),
    }


def events(answer: EventListing) -> Json:
    """Return what `events` answers."""
    return {"events": [turn(one) for one in answer.turns], "next_cursor": answer.next_cursor}


def hit(answer: Hit) -> Json:
    """Return one hit; `title`, `trigger`, `neighbours` and so on are there where it has them."""
    shown: Json = {
        "id": answer.memory.id,
        "kind": answer.memory.kind,
        "text": answer.memory.text,
        "score": round(answer.score, 4),
        "occurred_at": _instant(answer.memory, answer.memory.times.occurred_at_us),
        "status": answer.memory.status,
        "superseded_at": _instant(answer.memory, answer.memory.links.superseded_at_us),
        "superseded_by": answer.memory.links.superseded_by,
        "outdated_by": answer.memory.links.outdated_by,
        "why": why(answer.memory, answer.why),
    }
    beside = [{"id": one.id, "title": one.title, "text": one.text} for one in answer.neighbours]
    return {**shown, **_kind_specific(answer.memory), **({"neighbours": beside} if beside else {})}


def why(memory: Memory, answer: Why) -> Json:
    """Return why a memory came."""
    return {
        "summary": answer.summary,
        "space": str(answer.space),
        "legs": {
            name: {"rank": place.rank, "score": round(place.score, 4)}
            for name, place in answer.legs.items()
        },
        "matched": list(answer.matched),
        "context_matched": list(answer.context_matched),
        "relevance": round(answer.relevance, 4),
        "scores": {name: round(score, 4) for name, score in answer.scores.items()},
        "factors": {name: round(factor, 4) for name, factor in answer.factors.items()},
        "judged": answer.judged or None,
        "passage": {"start": answer.passage.start, "end": answer.passage.end},
        "also_at": [_instant(memory, at_us) for at_us in answer.also_at_us],
        "from": _instant(memory, memory.times.valid_from_us) if answer.starts_later else None,
    }


def trace(answer: Trace) -> Json:
    """Return how an answer came about."""
    return {
        "stages": _stages(answer.stages),
        "intent": answer.intent,
        "terms": list(answer.terms),
        "read_as": dict(answer.read_as),
        "unknown_terms": list(answer.unknown_terms),
        "dropped_terms": list(answer.dropped_terms),
        "spaces": [str(space) for space in answer.spaces],
        "floor": answer.floor,
        "best": round(answer.best, 4),
        "tokens": answer.tokens,
    }


def core_facts(answer: Sequence[Memory]) -> Json:
    """Return core facts, the weightiest first."""
    return {"memories": [memory(one) for one in answer]}


def warmed(answer: Warmed) -> Json:
    """Return what `warm` answers."""
    return {
        "memories": answer.memories,
        "stages": _stages(answer.stages),
        "degraded": list(answer.degraded),
        "degraded_because": answer.degraded_because,
    }


def why_not(answer: WhyNot) -> Json:
    """Return what `why-not` answers."""
    return {
        "id": answer.id,
        "came": answer.came,
        "stage": answer.stage,
        "reason": answer.reason,
        "hit": None if answer.hit is None else hit(answer.hit),
    }


def listing(answer: Listing) -> Json:
    """Return what `list` answers."""
    return {
        "memories": [memory(one) for one in answer.memories],
        "next_cursor": answer.next_cursor,
    }


def memory(answer: Memory) -> Json:
    """Return a memory whole."""
    times, source, links, counts = answer.times, answer.source, answer.links, answer.counts
    shown: Json = {
        "id": answer.id,
        "space": str(answer.space),
        "kind": answer.kind,
        "text": answer.text,
        "title": answer.title,
        "status": answer.status,
        "shelf": answer.shelf,
        "occurred_at": _instant(answer, times.occurred_at_us),
        "valid_from": _instant(answer, times.valid_from_us),
        "valid_until": _instant(answer, times.valid_until_us),
        "created_at": _instant(answer, times.created_at_us),
        "updated_at": _instant(answer, times.updated_at_us),
        "expires_at": _instant(answer, times.expires_at_us),
        "superseded_at": _instant(answer, links.superseded_at_us),
        "superseded_by": links.superseded_by,
        "supersedes": list(links.supersedes),
        "contradiction": links.contradiction,
        "outdated_by": links.outdated_by,
        "version": answer.version,
        "importance": answer.importance,
        "confidence": answer.confidence,
        "trust": answer.trust,
        "pinned": answer.pinned,
        "category": answer.category,
        "project": answer.project,
        "module": answer.module,
        "tags": list(answer.tags),
        "keywords": list(answer.keywords),
        "scenarios": list(answer.scenarios),
        "metadata": dict(answer.metadata),
        "session": source.session,
        "role": source.role,
        "speaker": source.speaker,
        "message_id": source.message_id,
        "supporting": list(source.supporting),
        "spans": [
            {"id": span.memory_id, "start": span.start, "end": span.end} for span in source.spans
        ],
        "derived_from": list(source.derived_from),
        "copies": [copy_of(one) for one in links.copies],
        "copy_of": None if links.copy_of is None else copy_of(links.copy_of),
        "previous": links.previous,
        "uses": counts.uses,
        "support": counts.support,
        "successes": counts.successes,
        "failures": counts.failures,
    }
    if answer.summary is not None:
        shown["summary"] = {"text": answer.summary.text, "made_by": answer.summary.made_by}
    return {**shown, **_kind_specific(answer)}


def history(answer: History) -> Json:
    """Return what `history` answers."""
    return {
        "chain": [memory(one) for one in answer.chain],
        "versions": [memory(one) for one in answer.versions],
        "acts": [
            {
                "at": show_instant(act.at_us),
                "actor": act.actor,
                "surface": act.surface,
                "action": act.action,
            }
            for act in answer.acts
        ],
    }


def copy_of(answer: Copy) -> Json:
    """Return where a copy is, or what it was made from."""
    return {"space": str(answer.space), "id": answer.id}


def published(answer: Published) -> Json:
    """Return what `publish` and `withdraw` answer."""
    return {"copies": [copy_of(one) for one in answer.copies], "complete": answer.complete}


def forgotten(answer: Forgotten) -> Json:
    """Return what `forget` answers; `preview` is there where nothing was asked but to look."""
    shown: Json = {
        "receipt": None if answer.receipt is None else receipt(answer.receipt),
        "candidates": [hit(one) for one in answer.candidates],
        "meant": answer.meant,
    }
    if answer.receipt is None and not answer.candidates:
        shown["preview"] = {
            "gone": [_brief(one) for one in answer.gone],
            "masked": [_brief(one) for one in answer.masked],
            "same": [_brief(one) for one in answer.same],
            "events": answer.events,
            "counts": dict(answer.counts),
        }
    return shown


def receipt(answer: Receipt) -> Json:
    """Return what is left of what was forgotten."""
    return {
        "id": answer.id,
        "at": show_instant(answer.at_us),
        "ids": list(answer.ids),
        "masked": list(answer.masked),
        "counts": dict(answer.counts),
        "sessions": list(answer.sessions),
        "whole": answer.whole,
        "complete": answer.complete,
    }


def receipts(answer: Sequence[Receipt]) -> Json:
    """Return what `receipts` lists."""
    return {"receipts": [receipt(one) for one in answer]}


def _brief(answer: Memory) -> Json:
    return {"id": answer.id, "kind": answer.kind, "text": answer.text, "status": answer.status}


def imported(answer: Imported) -> Json:
    """Return what `import` answers."""
    return {
        "created": answer.created,
        "equal": answer.equal,
        "forgotten": answer.forgotten,
        "not_wanted": answer.not_wanted,
    }


def session(answer: Session) -> Json:
    """Return a session that was started."""
    return {
        "session": answer.name,
        "mode": answer.mode,
        "started_at": show_instant(answer.started_at_us),
        "last_turn_at": show_instant(answer.last_turn_at_us),
    }


def sessions(answer: Sequence[Session]) -> Json:
    """Return what `sessions list` answers."""
    return {"sessions": [session(one) for one in answer]}


def consent(answer: Consent) -> Json:
    """Return what a user lets memory keep."""
    return {"paused": answer.paused, "never": list(answer.never)}


def noted(answer: Noted) -> Json:
    """Return what `feedback` answers."""
    return {
        "ids": list(answer.ids),
        "outcome": answer.outcome,
        "redacted": list(answer.redacted),
        "repeated": answer.repeated,
        "not_kept": answer.not_kept,
    }


def fed_back(answer: FedBack) -> Json:
    """Return one row of `export --feedback`."""
    return {
        "query": answer.query,
        "id": answer.id,
        "text": answer.text,
        "outcome": answer.outcome,
        "at": show_instant(answer.at_us),
    }


def catalog_imported(answer: CatalogImported) -> Json:
    """Return what `catalog import` answers."""
    return {
        "documents": answer.documents,
        "created": answer.created,
        "kept": answer.kept,
        "removed": answer.removed,
        "skipped": answer.skipped,
    }


def catalog(answer: Sequence[CatalogDocument]) -> Json:
    """Return what `catalog list` answers."""
    return {
        "documents": [
            {
                "name": one.name,
                "imported_as": one.imported_as,
                "chunks": one.chunks,
                "updated_at": show_instant(one.updated_at_us),
            }
            for one in answer
        ]
    }


def _stages(stages: Sequence[StageTrace]) -> list[Json]:
    return [
        {
            "stage": stage.stage,
            "ms": round(stage.wall_ms, 3),
            "candidates": stage.candidates,
            "note": stage.note,
        }
        for stage in stages
    ]


def _kind_specific(answer: Memory) -> Json:
    shown: Json = {}
    if answer.title:
        shown["title"] = answer.title
    if answer.procedure is not None:
        shown["trigger"] = answer.procedure.trigger
        shown["steps"] = [step.instruction for step in answer.procedure.current_steps]
    if answer.catalog is not None and answer.catalog.document:
        shown["document"] = answer.catalog.document
    return shown


def _instant(answer: Memory, us: int | None) -> str | None:
    return None if us is None else show_instant(us, answer.times.offset_min)
