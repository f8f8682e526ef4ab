"""A model without weights: words hash to directions, so that equal words lie near each other."""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pinyon.errors import ModelUnavailable
from pinyon.ports.embedder import Embedded, EmbeddedQuestion
from pinyon.text.tokens import tokenize

Floats = NDArray[np.float32]

DIM = 64


class HashEmbedder:
    """An embedder over hashed words. `fails` makes it unavailable, as a broken model is."""

    def __init__(self, *, name: str = "hash@1", fails: bool = False) -> None:
        self._name, self.fails = name, fails
        self.calls = 0

    @property
    def fingerprint(self) -> str:
        """See the port."""
        return self._name

    @property
    def dim(self) -> int:
        """See the port."""
        return DIM

    @property
    def token_dim(self) -> int:
        """See the port."""
        return DIM

    @property
    def cosine_range(self) -> tuple[float, float]:
        """See the port."""
        return 0.3, 1.0

    def knows(self, text: str) -> bool:
        """Return whether the text is ASCII."""
        return text.isascii()

    async def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """See the port."""
        self.calls += 1
        if self.fails:
            raise ModelUnavailable(self._name, "it was told to fail")
        rows = [self._tokens(text) for text in texts]
        return [
            Embedded(_mean(row).tobytes(), np.round(row * 127).astype(np.int8).tobytes())
            for row in rows
        ]

    async def embed_question(self, question: str) -> EmbeddedQuestion:
        """See the port."""
        if self.fails:
            raise ModelUnavailable(self._name, "it was told to fail")
        row = self._tokens(question)
        return EmbeddedQuestion(_mean(row).tobytes(), row.tobytes())

    def _tokens(self, text: str) -> Floats:
        words = tokenize(text).main or [""]
        return np.stack([_direction(self._name + word) for word in words])


def _direction(word: str) -> Floats:
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
    vector = np.random.default_rng(seed).standard_normal(DIM).astype(np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def _mean(tokens: Floats) -> Floats:
    mean = tokens.mean(axis=0)
    unit: Floats = (mean / np.linalg.norm(mean)).astype(np.float32)
    return unit
