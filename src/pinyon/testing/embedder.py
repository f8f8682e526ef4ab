"""A model without weights: words hash to directions, so that equal words lie near each other."""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pinyon.domain.calibration import Calibration
from pinyon.errors import ModelUnavailable
from pinyon.ports.embedder import Embedded, EmbeddedQuestion
from pinyon.text.tokens import tokenize

Floats = NDArray[np.float32]

DIM = 64


class HashEmbedder:
    """An embedder over hashed words. `fails` makes it unavailable, as a broken model is."""

    def __init__(
        self, *, name: str = "hash@1", dim: int = DIM, has_tokens: bool = True, fails: bool = False
    ) -> None:
        self._name, self._dim, self._has_tokens, self.fails = name, dim, has_tokens, fails
        self.calls = 0

    @property
    def fingerprint(self) -> str:
        """See the port."""
        return self._name

    @property
    def dim(self) -> int:
        """See the port."""
        return self._dim

    @property
    def token_dim(self) -> int:
        """See the port."""
        return self._dim if self._has_tokens else 0

    def calibration_of(self, question: str) -> Calibration:
        """See the port."""
        return Calibration(nothing=0.3, everything=1.0, floor=0.18, words=0.23)

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
            Embedded(_mean(row).tobytes(), self._kept(np.round(row * 127).astype(np.int8)))
            for row in rows
        ]

    async def embed_question(self, question: str) -> EmbeddedQuestion:
        """See the port."""
        if self.fails:
            raise ModelUnavailable(self._name, "it was told to fail")
        row = self._tokens(question)
        return EmbeddedQuestion(_mean(row).tobytes(), self._kept(row))

    def _kept(self, tokens: NDArray[np.generic]) -> bytes:
        return tokens.tobytes() if self._has_tokens else b""

    def _tokens(self, text: str) -> Floats:
        words = tokenize(text).main or [""]
        return np.stack([_direction(self._name + word, self._dim) for word in words])


class HashReranker:
    """A reranker that counts the question's words in a text. `fails` makes it unavailable."""

    def __init__(self, *, name: str = "count@1", fails: bool = False) -> None:
        self._name, self.fails = name, fails
        self.pairs = 0

    @property
    def fingerprint(self) -> str:
        """See `pinyon.ports.reranker.Reranker`."""
        return self._name

    @property
    def calibration(self) -> Calibration:
        """See the port."""
        return Calibration(nothing=0.0, everything=1.0, floor=0.0)

    def knows(self, text: str) -> bool:
        """Return whether the text is ASCII."""
        return text.isascii()

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the share of the question's words that each text holds."""
        if self.fails:
            raise ModelUnavailable(self._name, "it was told to fail")
        self.pairs += len(texts)
        asked = set(tokenize(question).main)
        return [len(asked & set(tokenize(text).main)) / max(len(asked), 1) for text in texts]


def _direction(word: str, dim: int) -> Floats:
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
    vector = np.random.default_rng(seed).standard_normal(dim).astype(np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def _mean(tokens: Floats) -> Floats:
    mean = tokens.mean(axis=0)
    unit: Floats = (mean / np.linalg.norm(mean)).astype(np.float32)
    return unit
