"""BM25 over fields, as SQLite's FTS5 computes it, for stores without an engine of their own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

K1 = 1.2
B = 0.75
HEAD_WEIGHT, BODY_WEIGHT, CONTEXT_WEIGHT = 2.0, 1.0, 0.5
_IDF_MIN = 1e-6


@dataclass(frozen=True, slots=True)
class Fields:
    """The tokens of one passage, by field."""

    head: Sequence[str]
    body: Sequence[str]
    context: Sequence[str]

    @property
    def length(self) -> int:
        """Return how many tokens there are in all fields."""
        return len(self.head) + len(self.body) + len(self.context)


def inverse_frequency(df: int, passages: int) -> float:
    """Return the idf of a term: ln((N - n + ½) / (n + ½)), never below 1e-6.

    A term in more than half of the passages counts next to nothing, but never against a text.

    Source:
        Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009; the
        lower bound is FTS5's.
    """
    return max(log((passages - df + 0.5) / (df + 0.5)), _IDF_MIN)


def bm25(
    frequencies: Mapping[str, float], idf: Mapping[str, float], relative_length: float
) -> float:
    """Return the score of a passage.

    Args:
        frequencies: Weighted occurrences in the passage, per term that occurs.
        idf: Weight of each term.
        relative_length: Length of the passage over the mean length.

    Returns:
        At least 0.
    """
    damping = K1 * (1 - B + B * relative_length)
    return sum(
        idf[term] * frequency * (K1 + 1) / (frequency + damping)
        for term, frequency in frequencies.items()
    )


def weighted_frequency(term: tuple[str, ...], fields: Fields) -> float:
    """Return how often a term (a word, or a phrase's words in a row) occurs, by field weight."""
    return (
        HEAD_WEIGHT * _occurrences(term, fields.head)
        + BODY_WEIGHT * _occurrences(term, fields.body)
        + CONTEXT_WEIGHT * _occurrences(term, fields.context)
    )


def _occurrences(term: tuple[str, ...], tokens: Sequence[str]) -> int:
    if len(term) == 1:
        return tokens.count(term[0])
    return sum(
        tuple(tokens[at : at + len(term)]) == term for at in range(len(tokens) - len(term) + 1)
    )
