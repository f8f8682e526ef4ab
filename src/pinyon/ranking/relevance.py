"""How much of what a question asks for a text holds, as a number from 0 to 1."""

from collections.abc import Collection, Mapping, Sequence
from math import log

BACKGROUND_PASSAGES = 50
"""Passages that are thought to lie behind every space. In a space of five memories "half of them
hold the word" is no statistics; with fifty others behind them it is."""

CONTEXT_SHARE = 0.5
"""What a word counts that stands only in the turn before: it is what the text answers to."""


def word_weights(df: Mapping[str, int], passages: int) -> dict[str, float]:
    """Return the idf of each word: ln(1 + (N - n + ½) / (n + ½)), above 0 for every word.

    A word that occurs nowhere weighs as one that occurs once: it cannot be told from a misspelt or
    merely unlucky one.

    Args:
        df: In how many passages each word occurs, over all spaces that are asked.
        passages: How many passages these have; `BACKGROUND_PASSAGES` are added.

    Source:
        Lucene's BM25Similarity, which adds 1 so that a word in most passages still counts a little.
    """
    whole = passages + BACKGROUND_PASSAGES
    return {word: log(1 + (whole - max(n, 1) + 0.5) / (max(n, 1) + 0.5)) for word, n in df.items()}


def matched_share(
    weights: Mapping[str, float],
    matched: Collection[str],
    context_matched: Collection[str] = (),
    *,
    stood_for: Mapping[str, float] | None = None,
) -> float:
    """Return the share of a question's weight that a text holds.

    Args:
        weights: Of every word of the question.
        matched: The words that stand in the text.
        context_matched: Those that stand only in the turn before it.
        stood_for: Words for which others stand in the text, and how much each of them then counts.

    Returns:
        0-1; 0 for a question without words.
    """
    whole = sum(weights.values())
    if whole <= 0:
        return 0.0
    own = sum([weights.get(word, 0.0) for word in matched])
    before = sum([weights.get(word, 0.0) for word in context_matched])
    instead = sum(
        weights.get(word, 0.0) * worth
        for word, worth in (stood_for or {}).items()
        if word not in matched
    )
    return min(1.0, (own + instead + CONTEXT_SHARE * before) / whole)


def affordable(
    words: Sequence[str], df: Mapping[str, int], *, rows: int, always: int = 2
) -> list[str]:
    """Return the words of a question that are worth looking up: the rarest, up to a number of rows.

    A word in every tenth text costs more than all others together and hardly tells two texts apart.
    It still counts in `matched_share`, for what the rarer ones bring.

    Args:
        words: Of the question.
        df: In how many passages each occurs.
        rows: How many rows may be scored in all.
        always: How many words are kept whatever they cost.

    Returns:
        A part of `words`, in their order, without those that occur nowhere.
    """
    kept: set[str] = set()
    spent = 0
    for word in sorted((word for word in words if df.get(word)), key=lambda word: df[word]):
        if len(kept) >= always and spent + df[word] > rows:
            break
        kept.add(word)
        spent += df[word]
    return [word for word in words if word in kept]
