"""Late interaction: a question scores a text by the sum of its tokens' best matches."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_ONE_THREAD_WORK = 50_000
SCALE = 127
"""What a token vector was multiplied by before it was rounded to int8."""


def best_matches(question: Floats, texts: Sequence[bytes]) -> Floats:
    """Return for each text how well each token of a question is matched by its best token.

    Args:
        question: float32 (m, d), rows L2-normalised.
        texts: Each int8 (n, d) as bytes, n at least 1: L2-normalised rows times 127.

    Returns:
        float32 (len(texts), m), cosines in about [-1, 1].

    Source:
        Khattab, Zaharia, "ColBERT", SIGIR 2020.
    """
    width = question.shape[1]
    if not texts:
        return np.zeros((0, len(question)), np.float32)
    lengths = np.array([len(text) // width for text in texts])
    tokens = np.frombuffer(b"".join(texts), np.int8).reshape(-1, width).astype(np.float32)
    similar = product(tokens, np.ascontiguousarray(question.T))
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    best: Floats = (np.maximum.reduceat(similar, starts, axis=0) / SCALE).astype(np.float32)
    return best


def product(left: Floats, right: Floats) -> Floats:
    """Return a matrix product, computed by one thread.

    In pieces too small for the library to share out: its threads spin while they wait for each
    other, and cost more than they save on a machine that has other things to do.

    Args:
        left: float32 (n, k).
        right: float32 (k, m).

    Returns:
        float32 (n, m).
    """
    rows = max(1, _ONE_THREAD_WORK // max(right.size, 1))
    whole = len(left) // rows * rows
    # A stack of small products in one call; what is left over is one more.
    stacked = left[:whole].reshape(-1, rows, left.shape[1]) @ right
    return np.concatenate([stacked.reshape(whole, right.shape[1]), left[whole:] @ right])


def with_context(own: Floats, before: Floats) -> Floats:
    """Return the scores of texts: half by their own tokens, half joined with the turn before.

    Args:
        own: float32 (n, m), best matches of a question's tokens in each text.
        before: float32 (n, m), the same in the turn before each; -1 where there is none.

    Returns:
        float32 (n,), the mean over the question's tokens, in about [-1, 1].
    """
    scores: Floats = (own.mean(axis=1) + np.maximum(own, before).mean(axis=1)) / 2
    return scores
