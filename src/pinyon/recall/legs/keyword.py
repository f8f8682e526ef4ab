"""The keyword leg: BM25 over the words of the question that are worth looking up."""

from dataclasses import replace

from pinyon.domain.filter import Eq
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms
from pinyon.ports.search import Candidate, Search
from pinyon.ranking.relevance import affordable, word_weights
from pinyon.recall.recalling import Recalling
from pinyon.recall.side_by_side import side_by_side

ROWS_SCORED_MAX = 12_000
"""Rows that a question may have scored in one space: about 8 ms."""


class WordStats:
    """Asks how common the question's words are, over all spaces that may answer."""

    name = "words"

    def __init__(self, search: Search) -> None:
        self._search = search

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether there are words."""
        return bool(recalling.planned.terms)

    async def run(self, recalling: Recalling) -> Recalling:
        """Weigh the words, and leave out those that would cost more than they tell."""
        terms, spaces = recalling.planned.terms, recalling.question.spaces
        words = tuple(dict.fromkeys((*terms.words, *(w for p in terms.phrases for w in p))))
        stats = await side_by_side([self._search.term_stats(space, words) for space in spaces])
        df = {word: sum(one.df[word] for one in stats) for word in words}
        weights = word_weights(df, sum(one.passages for one in stats))
        largest = {word: max(one.df[word] for one in stats) for word in words}
        asked = affordable(terms.words, largest, rows=ROWS_SCORED_MAX)
        unknown = tuple(word for word in words if not df[word])
        return replace(
            recalling,
            weights=weights,
            asked=tuple(asked),
            unknown=unknown,
            passages={space: one.passages for space, one in zip(spaces, stats, strict=True)},
            with_words=tuple(
                space for space, one in zip(spaces, stats, strict=True) if any(one.df.values())
            ),
            note=f"{len(unknown)} of {len(words)} unknown" if unknown else "",
        )


class KeywordLeg:
    """Finds memories that hold the words."""

    name = "keyword"

    def __init__(self, search: Search) -> None:
        self._search = search

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether the plan asks this leg and any word is known."""
        asks = "keyword" in recalling.planned.legs
        return asks and bool(recalling.asked or recalling.planned.terms.phrases)

    async def run(self, recalling: Recalling) -> Recalling:
        """Ask every space, side by side."""
        question, plan = recalling.question, recalling.planned
        terms = Terms(recalling.asked, plan.terms.phrases)
        where = question.conditions()
        answers = await side_by_side(
            [
                self._search.keyword(
                    space, terms, where, limit=plan.per_leg, known_at_us=question.known_at_us
                )
                for space in recalling.with_words
            ]
        )
        found = dict(zip(recalling.with_words, answers, strict=True))
        came = await self._pin(recalling, terms, found)
        if not any(found.values()) and question.is_filtered:
            recalling = await self._kept_out(recalling, terms)
        legs = {("keyword", space): tuple(brought) for space, brought in found.items() if brought}
        return replace(recalling, found={**recalling.found, **legs}, pinned_came=came)

    async def _pin(
        self, recalling: Recalling, terms: Terms, found: dict[Space, list[Candidate]]
    ) -> bool:
        """Return whether the pinned memory came by itself; if not, add it behind the others."""
        if recalling.pinned is None:
            return False
        space, memory_id = recalling.pinned
        if any(candidate.id == memory_id for candidate in found.get(space, ())):
            return True
        found.setdefault(space, [])
        found[space] += await self._search.keyword(space, terms, Eq("id", memory_id), limit=1)
        return False

    async def _kept_out(self, recalling: Recalling, terms: Terms) -> Recalling:
        """Tell "there is none" from "the filter keeps it out"."""
        question = recalling.question
        where = question.unfiltered()
        answers = await side_by_side(
            [
                self._search.keyword(space, terms, where, limit=1, known_at_us=question.known_at_us)
                for space in recalling.with_words
            ]
        )
        brought = zip(recalling.with_words, answers, strict=True)
        return recalling.keep_out({space: [one.id for one in found] for space, found in brought})
