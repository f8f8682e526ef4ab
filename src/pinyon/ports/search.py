"""The legs that a store brings: candidates of one space, best first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pinyon.domain.filter import EVERYTHING, Filter
from pinyon.domain.ids import MemoryId
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms

PASSAGES_AROUND = 2
"""Of a long memory so many passages on either side of the one that a leg found are compared.

Source: ten long work chats: recall@10 47.2 with 2, 46.3 with 8, at two thirds of the time.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that a leg found, by its best passage.

    Attributes:
        score: Greater is better; comparable within one call only.
        passage: Position of the passage that scored.
        matched: The asked words that stand in the passage itself.
        context_matched: Those that stand only in the turn before.
    """

    id: MemoryId
    score: float
    passage: int
    matched: frozenset[str] = frozenset()
    context_matched: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenVectors:
    """The token vectors by which a memory is scored; each int8 (n, token_dim), row-major.

    Attributes:
        passages: By position.
        before: Those of the turn before it; empty where there is none, or it has none.
    """

    passages: Mapping[int, bytes]
    before: bytes = b""


@dataclass(frozen=True, slots=True)
class TermStats:
    """How often words occur in a space: `df[word]` of `passages` passages hold it."""

    passages: int
    df: Mapping[str, int]


class Search(Protocol):
    """Finds candidates within one space; several spaces are several calls, side by side.

    A memory is a candidate once, by its best passage. Filters hold before any cut. Of what is
    found, ties go to the newer memory.
    """

    async def keyword(
        self,
        space: Space,
        terms: Terms,
        where: Filter = EVERYTHING,
        *,
        limit: int,
        known_at_us: int | None = None,
    ) -> list[Candidate]:
        """Return memories that hold a word or, where there are phrases, every one of them.

        Scored by BM25 (k1 1.2, b 0.75) in the space's own statistics: head 2, body 1, context ½;
        a phrase counts twice.
        """

    async def dense(
        self,
        space: Space,
        vector: bytes,
        model: str,
        where: Filter = EVERYTHING,
        *,
        limit: int,
        known_at_us: int | None = None,
    ) -> list[Candidate]:
        """Return memories by cosine to a vector (float32, L2-normalised); exact.

        A space that has no vectors yet answers with nothing.

        Raises:
            OtherModel: Vectors of another model serve the space.
        """

    async def token_vectors(
        self, space: Space, model: str, around: Mapping[MemoryId, int]
    ) -> Mapping[MemoryId, TokenVectors]:
        """Return the token vectors of memories; what has none of this model is left out.

        Args:
            space: Where.
            model: Fingerprint of the model.
            around: By memory, the passage that matters; of a long one those up to
                `PASSAGES_AROUND` places from it are returned.
        """

    async def followers(
        self,
        space: Space,
        turns: Sequence[MemoryId],
        where: Filter = EVERYTHING,
        *,
        known_at_us: int | None = None,
    ) -> Mapping[MemoryId, MemoryId]:
        """Return the memories that follow turns and pass the filter, each with the turn before."""

    async def term_stats(self, space: Space, words: Sequence[str]) -> TermStats:
        """Return in how many passages of the space each word occurs, context included."""
