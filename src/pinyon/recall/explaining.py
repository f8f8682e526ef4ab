"""Why a memory came, and why another did not."""

from collections.abc import Collection, Mapping, Sequence

from pinyon.domain.answers import LegPlace, Why, WhyNot
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory, Passage
from pinyon.ports.search import Candidate
from pinyon.recall.conditions import Conditions
from pinyon.recall.recalling import Key, Recalling, Scored
from pinyon.text.tokens import spellings

_Place = tuple[str, int, Candidate]
"""A leg, and the place that it gave a candidate."""

# What replaced something that was found, and that no leg found by itself.
_BROUGHT_ALONG = Candidate(id=MemoryId(""), score=0.0, passage=0)


class Explaining:
    """Says why each of several memories is among the hits; what is true of all is read off once."""

    def __init__(self, recalling: Recalling, hits: Sequence[Scored]) -> None:
        self._recalling = recalling
        self._places = _places(recalling, {one.key[1] for one in hits})
        self._written = _written(recalling)
        self._rarest_first = sorted(recalling.weights, key=lambda word: -recalling.weights[word])

    def why(self, scored: Scored) -> Why:
        """Return why a memory is among the hits."""
        recalling, memory = self._recalling, self._recalling.memories[scored.key]
        places = self._places.get(scored.key, ())
        best = places[0][2] if places else _BROUGHT_ALONG
        instead = [one.read for one in recalling.alternatives if one.words <= best.matched]
        matched = (*self._as_written(best.matched), *dict.fromkeys(instead))
        context = self._as_written(best.context_matched)
        said_again = recalling.same.get(scored.key, ())
        said_at = (one.times.occurred_at_us for one in said_again)
        starts_us = memory.times.valid_from_us
        return Why(
            summary=_summary(places, matched, context, len(said_again)),
            space=memory.space,
            legs={leg: LegPlace(rank=rank, score=one.score) for leg, rank, one in places},
            matched=matched,
            context_matched=context,
            relevance=scored.relevance,
            passage=_passage(memory, recalling.passage_of.get(scored.key, best.passage)),
            scores=scored.scores,
            factors=scored.factors,
            judged=scored.judged,
            also_at_us=tuple(sorted(at_us for at_us in said_at if at_us is not None)),
            starts_later=starts_us is not None and starts_us > recalling.question.now_us,
        )

    def _as_written(self, words: frozenset[str]) -> tuple[str, ...]:
        """Return matched words as the question has them, not as the index does; rarest first."""
        held = [word for word in self._rarest_first if word in words]
        return tuple(dict.fromkeys(self._written.get(word, word) for word in held))


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


def _places(recalling: Recalling, ids: Collection[MemoryId]) -> Mapping[Key, Sequence[_Place]]:
    """Return where each leg has the memories of some ids."""
    places: dict[Key, list[_Place]] = {}
    for (leg, space), brought in recalling.found.items():
        for rank, candidate in enumerate(brought, start=1):
            if candidate.id in ids:
                places.setdefault((space, candidate.id), []).append((leg, rank, candidate))
    return places


def _summary(
    places: Sequence[_Place],
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


def _written(recalling: Recalling) -> Mapping[str, str]:
    """Return how the question has each word; where several readings do, the first."""
    texts = [recalling.question.text, *(one.text for one in recalling.planned.readings[1:])]
    return {word: said for text in reversed(texts) for word, said in spellings(text).items()}


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(f"“{word}”" for word in words)


def _passage(memory: Memory, position: int) -> Passage:
    if position < len(memory.passages):
        return memory.passages[position]
    return Passage(0, 0, len(memory.text))
