"""Which memories may say otherwise than a new one. They are named, and never touched.

Neither words nor vectors can tell a contradiction from a second fact about the same thing; they
find what a writer should look at.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from pinyon.domain.change import PutVectors
from pinyon.domain.filter import And, Cmp, Eq, Filter, In, Not, Or, all_of
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.terms import Terms
from pinyon.errors import OtherModel
from pinyon.ports.records import Records
from pinyon.ports.search import Candidate, Search
from pinyon.text.tokens import question_terms

NAMED_MAX = 5
LOOKED_AT = 8
WORDS_MAX = 4
FEW = 50
"""Passages that may hold a word although it is no rare one: a small memory is looked at whole."""

COSINE_LEAST = 0.94
"""From here on two texts are about the same by meaning.

Source: with the default model "Hub v2 / v3" have 0.99, "prefers tea / likes coffee most" and "lives
in Edinburgh / in Bristol, in an old flat" 0.95; two facts about one person 0.90, two jobs of one
person at one company 0.936.
"""

SHARED_LEAST = 0.6
"""Share of the shorter text's words that stand in the other, from which on words say the same."""

SHARED_LEAST_UNSPACED = 0.5
"""The same where words are pairs of characters, of which one that differs spoils two."""

_NEGATIONS = frozenset(
    "not no never none n't cannot without neither nor 不 没 没有 无 非 别 未 don't doesn't didn't "
    "isn't aren't wasn't weren't won't can't".split()
)


class Conflicts:
    """Looks for them in one store."""

    def __init__(self, records: Records, search: Search) -> None:
        self._records, self._search = records, search

    async def of(
        self,
        memory: Memory,
        vectors: PutVectors | None,
        *,
        known: frozenset[MemoryId],
        apart: frozenset[str] = frozenset(),
    ) -> tuple[MemoryId, ...]:
        """Return ids of memories that may say otherwise than a fact or procedure, nearest first.

        Args:
            memory: The new one.
            vectors: Its vectors, where there are any.
            known: Ids that the writer named already: what it supersedes and what supports it.
            apart: Sessions that keep to themselves what is said in them.
        """
        where = all_of(_standing(memory), Not(In("session", tuple(sorted(apart)))))
        near = await self._near(memory, vectors, where)
        if near is None:
            near = dict.fromkeys([one.id for one in await self._worded(memory, where)])
        ids = [one for one in near if one not in known]
        held = {one.id: one for one in await self._records.get(memory.space, ids)}
        new = Said.by(memory)
        found = [one for one in ids if one in held and may_conflict(new, held[one], near[one])]
        return tuple(found[:NAMED_MAX])

    async def _worded(self, memory: Memory, where: Filter) -> Sequence[Candidate]:
        """Return what shares a rare word: what is said of the same thing names it."""
        words = [word for word in question_terms(memory.text).words if word not in _NEGATIONS]
        stats = await self._search.term_stats(memory.space, words)
        known = sorted((count, word) for word, count in stats.df.items() if count)
        rare = [word for count, word in known if count <= max(FEW, stats.passages // 500)]
        if not rare:
            return []
        terms = Terms(tuple(rare[:WORDS_MAX]))
        return await self._search.keyword(memory.space, terms, where, limit=LOOKED_AT)

    async def _near(
        self, memory: Memory, vectors: PutVectors | None, where: Filter
    ) -> Mapping[MemoryId, float | None] | None:
        """Return what is near in meaning; `None` where no vectors can tell."""
        if vectors is None or not vectors.dense:
            return None
        first = vectors.dense[min(vectors.dense)]
        try:
            found = await self._search.dense(
                memory.space, first, vectors.model, where, limit=LOOKED_AT
            )
        except OtherModel:
            return None
        return {one.id: one.score for one in found}


@dataclass(frozen=True, slots=True)
class Said:
    """What a new memory says, read once for all that it is held against."""

    memory: Memory
    words: frozenset[str]
    denies: bool

    @classmethod
    def by(cls, memory: Memory) -> Self:
        """Read it off the memory's text."""
        return cls(memory, _words(memory.text), _denies(memory.text))


def may_conflict(new: Said, old: Memory, cosine: float | None) -> bool:
    """Return whether two memories are about the same thing and say it differently.

    They are about the same if their words or their vectors are near. They differ if one denies
    what the other does not, or if each names something that the other leaves out: what only adds
    to another takes nothing back.
    """
    ours, theirs = new.words, _words(old.text)
    shared = len(ours & theirs) / max(1, min(len(ours), len(theirs)))
    least = SHARED_LEAST if new.memory.text.isascii() else SHARED_LEAST_UNSPACED
    is_near = shared >= least or (cosine is not None and cosine >= COSINE_LEAST)
    says_other = new.memory.content_hash != old.content_hash and old.links.outdated_by is None
    if not is_near or not says_other:
        return False
    if new.denies is not _denies(old.text):
        return True
    return bool(ours - theirs) and bool(theirs - ours)


def _standing(memory: Memory) -> Filter:
    """Return what a memory must be to stand against this one: it holds, and a person said it."""
    kinds: Sequence[Filter] = (Eq("kind", "semantic"), Eq("kind", "episodic"))
    if memory.kind == "procedural":
        kinds = (Eq("kind", "procedural"),)
    now_us = memory.times.created_at_us
    return And(
        (
            Or(tuple(kinds)),
            Eq("status", "active"),
            Eq("shelf", "open"),
            Not(Cmp("valid_until", "lte", now_us)),
        )
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(question_terms(text).words) - _NEGATIONS


def _denies(text: str) -> bool:
    lowered = text.lower().replace("’", "'")
    return any(
        word in lowered if not word.isascii() else word in lowered.replace(",", " ").split()
        for word in _NEGATIONS
    )
