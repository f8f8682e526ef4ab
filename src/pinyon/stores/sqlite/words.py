"""The words of a space, kept in memory: what FTS5 would find and how it would score, sooner.

FTS5 reads a page for every row that holds a word, and thousands of rows hold a common one. Here a
word's rows lie side by side with how often they hold it, and a question of ten words is a few sums
over them. It is made from the passages, brought up to date by sequence, and may be let go at any
time: the index on the disk is the one that counts.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pinyon.domain.filter import Filter
from pinyon.ports.search import Candidate, TermStats
from pinyon.ranking.bm25 import BODY_WEIGHT, CONTEXT_WEIGHT, HEAD_WEIGHT, K1, B, inverse_frequency
from pinyon.stores.sqlite.columns import FREE, Columns, Ints, Mask, best_rows, longer

FOLDED_FROM = 4_096
"""Postings of what was written since; so many are worth being sorted in among the others."""

WORN_FROM = 1_024
"""Rows that hold nothing any more, and are a quarter: it had better be made anew."""

WordRow: TypeAlias = tuple[int, str, str, str]
"""A passage's number, and the tokens of its head, body and context."""

_ROWS_AT_ONCE = 100
"""Few enough that nobody else waits long for the interpreter; a sort of sorted parts is quick."""
_Counts: TypeAlias = NDArray[np.float16]
"""How often, weighted; exact up to 2,048."""


@dataclass(frozen=True, slots=True)
class _Holding:
    """Rows that hold one word, ascending, and how often: in themselves, and in the turn before."""

    rows: NDArray[np.int32]
    own: _Counts
    context: _Counts

    def among(self, which: Mask) -> "_Holding":
        """Return those of some rows."""
        chosen = which[self.rows]
        return _Holding(self.rows[chosen], self.own[chosen], self.context[chosen])

    def and_those(self, others: "_Holding") -> "_Holding":
        """Return these, and others behind them."""
        return _Holding(
            np.concatenate([self.rows, others.rows]),
            np.concatenate([self.own, others.own]),
            np.concatenate([self.context, others.context]),
        )


@dataclass(frozen=True, slots=True)
class _Postings:
    """What rows hold which word.

    Attributes:
        words: int64 (n,): what stands for each word, ascending.
        starts: int64 (n + 1,): where its rows begin; the last one is where they all end.
    """

    words: Ints
    starts: Ints
    held: _Holding

    @classmethod
    def of_rows(cls, added: Sequence[WordRow], rows: Ints) -> "tuple[_Postings, Ints]":
        """Return what rows hold, which come in ascending order, and how many tokens each has."""
        fields = [field for _, *of_row in added for field in of_row]
        # Tokens have one blank between them: to count those is quicker than to split each field.
        sizes = np.array([field.count(" ") + 1 if field else 0 for field in fields], np.int64)
        tokens = " ".join(fields).split()
        own = np.tile(np.array([HEAD_WEIGHT, BODY_WEIGHT, 0], np.float32), len(added))
        context = np.tile(np.array([0, 0, 1], np.float32), len(added))
        postings = cls._summed(
            np.fromiter(map(hash, tokens), np.int64, len(tokens)),
            np.repeat(np.repeat(rows, 3), sizes),
            np.repeat(own, sizes),
            np.repeat(context, sizes),
        )
        return postings, sizes.reshape(-1, 3).sum(axis=1)

    @classmethod
    def _summed(
        cls, words: Ints, rows: Ints, own: NDArray[np.float32], context: NDArray[np.float32]
    ) -> "_Postings":
        """Return postings of tokens, one for each word and row."""
        if not len(words):
            return NO_POSTINGS
        order = np.argsort(words, kind="stable")
        words, rows = words[order], rows[order]
        is_first = np.ones(len(words), np.bool_)
        is_first[1:] = (words[1:] != words[:-1]) | (rows[1:] != rows[:-1])
        firsts = np.flatnonzero(is_first)
        held = _Holding(
            rows[firsts].astype(np.int32),
            np.add.reduceat(own[order], firsts).astype(np.float16),
            np.add.reduceat(context[order], firsts).astype(np.float16),
        )
        return cls._begun(words[firsts], held)

    @classmethod
    def _begun(cls, words: Ints, held: _Holding) -> "_Postings":
        """Return postings whose words are ascending, one for each row."""
        is_first = np.ones(len(words), np.bool_)
        is_first[1:] = words[1:] != words[:-1]
        starts = np.flatnonzero(is_first)
        return cls(words[starts], np.append(starts, len(words)), held)

    def of(self, word: str) -> _Holding:
        """Return the rows that hold a word."""
        code = hash(word)
        place = int(np.searchsorted(self.words, code))
        if place == len(self.words) or self.words[place] != code:
            return _NOWHERE
        span = slice(self.starts[place], self.starts[place + 1])
        return _Holding(self.held.rows[span], self.held.own[span], self.held.context[span])

    def and_those(self, *others: "_Postings") -> "_Postings":
        """Return these, and those of later rows."""
        each = (self, *others)
        words = np.concatenate([one._spread() for one in each])
        order = np.argsort(words, kind="stable")
        held = _Holding(
            np.concatenate([one.held.rows for one in each])[order],
            np.concatenate([one.held.own for one in each])[order],
            np.concatenate([one.held.context for one in each])[order],
        )
        return self._begun(words[order], held)

    def _spread(self) -> Ints:
        return np.repeat(self.words, np.diff(self.starts))


_NO_COUNTS = np.zeros(0, np.float16)
_NOWHERE = _Holding(np.zeros(0, np.int32), _NO_COUNTS, _NO_COUNTS)
NO_POSTINGS = _Postings(np.zeros(0, np.int64), np.zeros(1, np.int64), _NOWHERE)


class WordIndex:
    """Answers what `pinyon.ports.search.Search` is asked without a phrase, about now.

    Attributes:
        seq: The space's sequence number that it is as new as.
    """

    def __init__(self) -> None:
        self.seq = -1
        self._columns = Columns(reuses=False)
        self._lengths: Ints = np.zeros(0, np.int64)
        self._settled = self._recent = NO_POSTINGS
        self._dropped = 0

    @property
    def size(self) -> int:
        """Return how many rows there is room for."""
        return len(self._lengths)

    @property
    def is_worn(self) -> bool:
        """Return whether so much was dropped that it had better be made anew."""
        return self._dropped > max(WORN_FROM, self.size // 4)

    def known_seqs(self) -> set[int]:
        """Return the memories that have rows."""
        return self._columns.known_seqs()

    def drop(self, seqs: Iterable[int]) -> None:
        """Forget the rows of memories, by their place in the space."""
        rows = self._columns.drop(seqs)
        self._lengths[rows] = 0
        self._dropped += len(rows)

    def put(
        self,
        added: Sequence[WordRow],
        columns: Mapping[int, Sequence[object]],
        *,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        """Add rows.

        Args:
            added: Of memories that have none.
            columns: By memory, what its row of `columns_changed` says after `seq`.
            pause: Called after each part of the work, which takes about a millisecond.
        """
        self._columns.reserve(len(added))
        if len(self._columns.passages) > self.size:
            self._lengths = longer(self._lengths, len(self._columns.passages))
        made: list[_Postings] = []
        for start in range(0, len(added), _ROWS_AT_ONCE):
            part = added[start : start + _ROWS_AT_ONCE]
            rows = self._columns.put([row[0] for row in part], columns)
            postings, self._lengths[rows] = _Postings.of_rows(part, rows)
            made.append(postings)
            pause()
        self._recent = self._recent.and_those(*made)
        if len(self._recent.held.rows) > FOLDED_FROM:
            self._settled = self._settled.and_those(self._recent)
            self._recent = NO_POSTINGS

    def stats(self, words: Sequence[str]) -> TermStats:
        """See `pinyon.ports.search.Search.term_stats`."""
        held = self._columns.passages != FREE
        df = {word: len(self._holding(word, held).rows) for word in words}
        return TermStats(int(np.count_nonzero(held)), df)

    def best(self, words: Sequence[str], where: Filter, *, limit: int) -> list[Candidate] | None:
        """Return what `pinyon.ports.search.Search.keyword` does, or `None` where it cannot tell.

        What it cannot tell is whether a filter holds that asks for what is not kept here.
        """
        mask = self._columns.mask(where)
        if mask is None:
            return None
        held = self._columns.passages != FREE
        passages = int(np.count_nonzero(held))
        mean = self._lengths.sum() / max(passages, 1)
        damping = K1 * (1 - B + B * self._lengths / (mean or 1.0))
        holding = {word: self._holding(word, held) for word in words}
        scores = np.zeros(self.size)
        for of_word in holding.values():
            often = of_word.own.astype(np.float64) + CONTEXT_WEIGHT * of_word.context
            idf = inverse_frequency(len(of_word.rows), passages)
            scores[of_word.rows] += idf * often * (K1 + 1) / (often + damping[of_word.rows])
        scores[(scores == 0) | ~(mask & held)] = -np.inf
        rows = best_rows(scores, self._columns.passages, limit)
        return self._candidates(rows, scores, holding)

    def _holding(self, word: str, held: Mask) -> _Holding:
        """Return the rows that hold a word, without those that were dropped."""
        found = self._settled.of(word)
        if len(self._recent.words):
            found = found.and_those(self._recent.of(word))
        return found.among(held) if self._dropped else found

    def _candidates(
        self, rows: Sequence[int], scores: NDArray[np.float64], holding: Mapping[str, _Holding]
    ) -> list[Candidate]:
        is_found = np.zeros(self.size, np.bool_)
        is_found[list(rows)] = True
        own: dict[int, list[str]] = {row: [] for row in rows}
        context: dict[int, list[str]] = {row: [] for row in rows}
        for word, of_word in holding.items():
            of_found = of_word.among(is_found)
            for row, often in zip(of_found.rows.tolist(), of_found.own.tolist(), strict=True):
                (own if often else context)[row].append(word)
        return [
            Candidate(
                id=self._columns.memory_of(row),
                score=float(scores[row]),
                passage=int(self._columns.passages[row]) & 63,
                matched=frozenset(own[row]),
                context_matched=frozenset(context[row]),
            )
            for row in rows
        ]
