"""Why a memory came, and why another did not."""

from pinyon.domain.answers import LegPlace, WhyNot
from pinyon.domain.answers import Why as WhyAnswer
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory, Passage
from pinyon.ports.search import Candidate
from pinyon.recall.conditions import Conditions
from pinyon.recall.recalling import Key, Recalling, Scored
from pinyon.text.tokens import spellings

# What replaced something that was found, and that no leg found by itself.
_BROUGHT_ALONG = Candidate(id=MemoryId(""), score=0.0, passage=0)


def why(recalling: Recalling, scored: Scored) -> WhyAnswer:
    """Return why a memory is among the hits."""
    memory = recalling.memories[scored.key]
    places = _places(recalling, scored.key)
    best = places[0][2] if places else _BROUGHT_ALONG
    matched, context = _as_written(recalling, best)
    said_again = recalling.same.get(scored.key, ())
    times = sorted(m.times.occurred_at_us for m in said_again if m.times.occurred_at_us is not None)
    starts_us = memory.times.valid_from_us
    return WhyAnswer(
        summary=_summary(places, matched, context, len(said_again)),
        space=memory.space,
        legs={leg: LegPlace(rank=rank, score=candidate.score) for leg, rank, candidate in places},
        matched=matched,
        context_matched=context,
        relevance=scored.relevance,
        passage=_passage(memory, recalling.passage_of.get(scored.key, best.passage)),
        scores=scored.scores,
        factors=scored.factors,
        also_at_us=tuple(times),
        starts_later=starts_us is not None and starts_us > recalling.question.now_us,
    )


def why_not(recalling: Recalling, memory: Memory) -> WhyNot:
    """Return what became of a memory that was pinned into a recall."""
    key = (memory.space, memory.id)
    for place, hit in enumerate(recalling.hits, start=1):
        if hit.memory.id == memory.id and hit.memory.space == memory.space:
            reason = f"it came, at place {place}: {hit.why.summary}"
            return WhyNot(id=memory.id, came=True, stage="", reason=reason, hit=hit)
    drop = recalling.dropped.get(key)
    if drop is not None:
        return WhyNot(id=memory.id, came=False, stage=drop.stage, reason=drop.reason)
    kept_out = Conditions(recalling.question.where).keeping_out(memory)
    if kept_out:
        return WhyNot(id=memory.id, came=False, stage="filter", reason=kept_out)
    asked = ", ".join(recalling.planned.terms.words)
    reason = f"no leg found it: it holds none of what is asked for ({asked})"
    if not asked:
        reason = "no word to look for, and it is not among the newest"
    return WhyNot(id=memory.id, came=False, stage="legs", reason=reason)


def _places(recalling: Recalling, key: Key) -> list[tuple[str, int, Candidate]]:
    space, memory_id = key
    return [
        (leg, rank, candidate)
        for (leg, of), brought in recalling.found.items()
        if of == space
        for rank, candidate in enumerate(brought, start=1)
        if candidate.id == memory_id
    ]


def _summary(
    places: list[tuple[str, int, Candidate]],
    matched: tuple[str, ...],
    context: tuple[str, ...],
    repeated: int,
) -> str:
    if not places:
        return "replaces what a message says that was found"
    leg, rank, _ = places[0]
    if leg == "recent":
        return f"number {rank} of what was kept last"
    if not matched and not context:
        return f"near in meaning; {leg} {rank}"
    said = f"holds {_listed(matched)}" if matched else "answers a turn"
    if context:
        said += f"{' and follows one' if matched else ''} with {_listed(context)}"
    said += f"; {leg} {rank}"
    return said + (f"; said {repeated + 1} times" if repeated else "")


def _as_written(recalling: Recalling, best: Candidate) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the matched words as the question has them, not as the index does; rarest first."""
    texts = [recalling.question.text, *(one.text for one in recalling.planned.readings[1:])]
    written = {word: said for text in reversed(texts) for word, said in spellings(text).items()}
    by_weight = sorted(recalling.weights, key=lambda word: -recalling.weights[word])

    def shown(words: frozenset[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(written.get(word, word) for word in by_weight if word in words))

    instead = [one.read for one in recalling.alternatives if one.words <= best.matched]
    return (*shown(best.matched), *dict.fromkeys(instead)), shown(best.context_matched)


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(f"“{word}”" for word in words)


def _passage(memory: Memory, position: int) -> Passage:
    if position < len(memory.passages):
        return memory.passages[position]
    return Passage(0, 0, len(memory.text))
