"""The dense vectors of a space under one model, kept in memory and brought up to date by sequence.

Exact search is a product over a contiguous matrix at memory bandwidth.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pinyon.domain.filter import Filter
from pinyon.ports.search import Candidate
from pinyon.ranking.packing import unpacked
from pinyon.stores.sqlite.columns import FREE, Columns, Ints, Mask, best_rows, longer

Floats = NDArray[np.float32]

_UNPACKED_AT_ONCE = 256
"""Few enough that what they are unpacked into is the same memory each time: to get a space's worth
of it from the system takes longer than to fill it."""


class Matrix:
    """Vectors by passage, with columns beside them; rows of what is gone are reused.

    Attributes:
        seq: The space's sequence number that it is as new as.
        vectors: float32 (capacity, dim), L2-normalised.
        columns: Which passage each row holds, and what filters ask of it.
    """

    def __init__(self, dim: int) -> None:
        self.seq = -1
        self.vectors: Floats = np.zeros((0, dim), np.float32)
        self.columns = Columns(reuses=True)

    def drop(self, seqs: Iterable[int]) -> None:
        """Forget the rows of memories, by their place in the space."""
        self.vectors[self.columns.drop(seqs)] = 0

    def known_seqs(self) -> set[int]:
        """Return the memories that have rows."""
        return self.columns.known_seqs()

    def put(
        self, passages: Sequence[tuple[int, bytes]], columns: Mapping[int, Sequence[object]]
    ) -> None:
        """Add rows.

        Args:
            passages: Passage number, and its vector as `pinyon.ranking.packing` packs it.
            columns: By memory, what its row of `columns_changed` says after `seq`.
        """
        at = self.columns.put([passage for passage, _ in passages], columns)
        if len(self.columns.passages) > len(self.vectors):
            self.vectors = longer(self.vectors, len(self.columns.passages))
        for start in range(0, len(passages), _UNPACKED_AT_ONCE):
            part = slice(start, start + _UNPACKED_AT_ONCE)
            self.vectors[at[part]] = unpacked([vector for _, vector in passages[part]])

    def mask(self, where: Filter) -> Mask | None:
        """Return which rows pass a filter, or `None` where the columns do not tell."""
        return self.columns.mask(where)

    def best(
        self, query: Floats, mask: Mask | None, allowed: Ints | None, limit: int
    ) -> list[Candidate]:
        """Return the best memories by cosine, best first, newer ones first at a tie.

        Args:
            query: float32 (dim,), L2-normalised.
            mask: Which rows may come; all where `None`.
            allowed: Which memories may come, ascending; all where `None`.
            limit: How many memories.
        """
        passages = self.columns.passages
        keep = passages != FREE
        if mask is not None:
            keep &= mask
        if allowed is not None:
            keep &= np.isin(self.columns.seqs, allowed)
        # vecdot, not @: a threaded matrix product spins on busy machines.
        scores = np.where(keep, np.vecdot(self.vectors, query), -np.inf)
        rows = best_rows(scores, passages, limit)
        return [
            Candidate(
                id=self.columns.memory_of(row),
                score=float(scores[row]),
                passage=int(passages[row]) & 63,
            )
            for row in rows
        ]
