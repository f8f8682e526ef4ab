"""One expansion: where words find little, the rarest words of what they found are asked too."""

from collections.abc import Mapping
from dataclasses import replace

from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms
from pinyon.ports.records import Records
from pinyon.ports.search import Candidate, Search
from pinyon.recall.recalling import Recalling, Scored
from pinyon.recall.side_by_side import side_by_side
from pinyon.text.tokens import question_terms

LITTLE = 10
"""Fewer candidates than that are little, or as many as are wanted.

Source: the bundled corpus by words: evidence in 1,000 tokens 82.3 without it, 83.0 with it.
"""

HITS_READ = 3
WORDS_MAX = 6
WORDS_READ_MAX = 200
SHARE_HELD_MAX = 0.1
"""A word that every tenth memory holds leads nowhere."""
PASSAGES_MIN = 30
"""In a smaller space every word is in every tenth memory."""

RELEVANCE = 0.5
"""What the best of what is found so counts beside the worst that was found directly."""


class Expanding:
    """Adds what shares rare words with the best hits: behind them, never by itself an answer."""

    name = "expand"

    def __init__(self, records: Records, search: Search) -> None:
        self._records, self._search = records, search

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether something answers, but little, and no meaning was compared."""
        if recalling.served or "keyword" not in recalling.planned.legs:
            return False
        few = 0 < len(recalling.ranked) < min(LITTLE, recalling.question.k)
        if not few or recalling.best < recalling.floor:
            return False
        return recalling.passages.get(recalling.ranked[0].key[0], 0) >= PASSAGES_MIN

    async def run(self, recalling: Recalling) -> Recalling:
        """Read the best hits of the space that has the best one, and ask for their words there."""
        space = recalling.ranked[0].key[0]
        words = await self._words_of_the_best(recalling, space)
        if not words:
            return replace(recalling, note="no rare word to go on with")
        question = recalling.question
        found = await self._search.keyword(
            space,
            Terms(words),
            question.conditions(),
            limit=question.k,
            known_at_us=question.known_at_us,
        )
        held = {one.key for one in recalling.ranked}
        new = [one for one in found if (space, one.id) not in held]
        least = min(one.score for one in recalling.ranked)
        scored = [_scored(space, one, best=found[0].score, least=least) for one in new]
        return replace(
            recalling,
            ranked=(*recalling.ranked, *scored),
            found={**recalling.found, ("expand", space): tuple(new)},
            note=f"{len(new)} by {', '.join(f'“{word}”' for word in words)}",
        )

    async def _words_of_the_best(self, recalling: Recalling, space: Space) -> tuple[str, ...]:
        ids = [one.key[1] for one in recalling.ranked if one.key[0] == space][:HITS_READ]
        question = recalling.question
        memories = await self._records.get(space, ids, known_at_us=question.known_at_us)
        words = [w for memory in memories for w in question_terms(_read(memory)).words]
        words = [w for w in dict.fromkeys(words) if w not in recalling.weights][:WORDS_READ_MAX]
        (stats,) = await side_by_side([self._search.term_stats(space, words)])
        return _rare(stats.df, stats.passages)


def _read(memory: Memory) -> str:
    return " ".join((memory.title, *memory.keywords, memory.text))


def _rare(df: Mapping[str, int], passages: int) -> tuple[str, ...]:
    """Return the words that lead somewhere: held by more than one memory, and by few."""
    leading = [word for word, n in df.items() if 2 <= n <= passages * SHARE_HELD_MAX]
    return tuple(sorted(leading, key=lambda word: df[word])[:WORDS_MAX])


def _scored(space: Space, one: Candidate, *, best: float, least: float) -> Scored:
    score = least * RELEVANCE * (one.score / best if best > 0 else 1.0)
    return Scored(
        key=(space, one.id), relevance=score, certainty=0.0, score=score, scores={"expanded": score}
    )
