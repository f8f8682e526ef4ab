"""The keyword leg: BM25 over the words of the question that are worth looking up."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pinyon.domain.filter import Eq
from pinyon.domain.space import Space
from pinyon.domain.synonyms import Synonyms
from pinyon.domain.terms import Terms
from pinyon.ports.search import Candidate, Search, TermStats
from pinyon.ranking.relevance import affordable, word_weights
from pinyon.recall.recalling import Alternative, Recalling
from pinyon.recall.rewording import Thesaurus, read_as, respelt
from pinyon.recall.side_by_side import side_by_side
from pinyon.text.tokens import question_terms

ROWS_SCORED_MAX = 12_000
"""Rows that a question may have scored in one space: about 8 ms."""


class WordStats:
    """Asks how common the question's words are, over all spaces that may answer."""

    name = "words"

    def __init__(self, search: Search, synonyms: Synonyms, *, respells: bool = True) -> None:
        self._search, self._respells = search, respells
        self._thesaurus = Thesaurus(synonyms)

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether there are words."""
        return bool(recalling.planned.terms)

    async def run(self, recalling: Recalling) -> Recalling:
        """Weigh the words, find others for them, and leave out what costs more than it tells."""
        terms, spaces = recalling.planned.terms, recalling.question.spaces
        of_a_time = {
            word for one in recalling.planned.windows for word in question_terms(one.said).words
        }
        quoted = [word for phrase in terms.phrases for word in phrase]
        words = tuple(dict.fromkeys((*terms.words, *quoted)))
        called = self._thesaurus.others(words, spaces[0].tenant)  # all are one tenant's
        looked_up = tuple(dict.fromkeys((*words, *(w for one in called for w in one.words))))
        stats = await side_by_side([self._search.term_stats(space, looked_up) for space in spaces])
        passages = sum(one.passages for one in stats)
        most, df = _most(stats), _in_all(stats)
        # "In April" is found by its date; that nobody said so tells nothing.
        words = tuple(word for word in words if df[word] or word not in of_a_time)
        others = [one for one in called if all(df[word] for word in one.words)]
        unknown = _unknown(words, df, others)
        tried = [word for word in unknown if word not in quoted]
        if self._respells and passages and _is_worth_respelling(recalling, words, tried):
            slips, more = await respelt(self._search, spaces, recalling.question.text, tried)
            most, df = {**_most(more), **most}, {**_in_all(more), **df}
            others += slips
            unknown = _unknown(words, df, others)
        for one in others:
            for word in one.stand_for:
                # What is called otherwise here is as common as that.
                df[word] = max(df[word], min(df[w] for w in one.words))
        instead = tuple(word for one in others for word in one.words)
        asked = affordable(
            tuple(dict.fromkeys((*terms.words, *instead))), most, rows=ROWS_SCORED_MAX
        )
        return replace(
            recalling,
            weights=word_weights({word: df[word] for word in words}, passages),
            asked=tuple(asked),
            unknown=tuple(unknown),
            alternatives=tuple(others),
            passages={space: one.passages for space, one in zip(spaces, stats, strict=True)},
            with_words=tuple(
                space
                for space, one in zip(spaces, stats, strict=True)
                if any(one.df.values()) or (others and one.passages)
            ),
            note=_note(unknown, words, read_as(others)),
        )


def _is_worth_respelling(
    recalling: Recalling, words: Sequence[str], unknown: Sequence[str]
) -> bool:
    """Return whether unknown words are tried otherwise: without them little is left to look for.

    That costs 6 ms a word. Where most words are known, or meaning is compared, the rest is found
    without: on five long chats and the bundled corpus nothing is lost by it.
    """
    if "vector" not in recalling.planned.legs:
        return bool(unknown)
    return bool(unknown) and 2 * len(unknown) >= len(words)


def _unknown(
    words: Sequence[str], df: Mapping[str, int], others: Sequence[Alternative]
) -> list[str]:
    """Return the words that no memory holds, nor any other word for them."""
    known = {word for one in others for word in one.stand_for}
    return [word for word in words if not df[word] and word not in known]


def _in_all(stats: Sequence[TermStats]) -> dict[str, int]:
    return {word: sum(one.df[word] for one in stats) for word in (stats[0].df if stats else ())}


def _most(stats: Sequence[TermStats]) -> dict[str, int]:
    return {word: max(one.df[word] for one in stats) for word in (stats[0].df if stats else ())}


def _note(unknown: Sequence[str], words: Sequence[str], read: Mapping[str, str]) -> str:
    said = [f"{len(unknown)} of {len(words)} unknown"] if unknown else []
    said += [f"“{word}” read as “{other}” too" for word, other in read.items()]
    return "; ".join(said)


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
