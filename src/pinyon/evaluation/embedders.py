"""A model with one thing changed about it, for what a measurement wants to know."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pinyon.domain.calibration import Calibration
from pinyon.ports.embedder import Embedded, EmbeddedQuestion, Embedder
from pinyon.ports.models import Models

SAMPLES = 256
_NEARNESS = 0.05
"""How far two dense vectors made of one lie apart, as the length of what is added to them."""

Floats = NDArray[np.float32]


class Changed:
    """A model as it is; see `pinyon.ports.embedder.Embedder`. Others below change a part of it."""

    def __init__(self, model: Embedder) -> None:
        self._model = model

    @property
    def fingerprint(self) -> str:
        """See the port."""
        return self._model.fingerprint

    @property
    def dim(self) -> int:
        """See the port."""
        return self._model.dim

    @property
    def token_dim(self) -> int:
        """See the port."""
        return self._model.token_dim

    def calibration_of(self, question: str) -> Calibration:
        """See the port."""
        return self._model.calibration_of(question)

    def knows(self, text: str) -> bool:
        """See the port."""
        return self._model.knows(text)

    async def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """See the port."""
        return await self._model.embed(texts)

    async def embed_question(self, question: str) -> EmbeddedQuestion:
        """See the port."""
        return await self._model.embed_question(question)


class Recycling(Changed):
    """Encodes the first few hundred texts, and hands their vectors out again for all others.

    To encode a hundred thousand texts takes a good part of an hour, and what is to be measured does
    not depend on what they say: how long it takes to search so many vectors, and how much room they
    need. No two texts get the same to the letter, since what is equal might be looked at only once:
    a dense vector is moved a little, and token vectors come in another order. Questions are encoded
    as ever.
    """

    def __init__(self, model: Embedder, *, samples: int = SAMPLES) -> None:
        super().__init__(model)
        self._samples: list[Embedded] = []
        self._samples_max = samples
        self._given = 0
        self._random = np.random.default_rng(3)

    async def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """Return vectors as of texts like these."""
        lacking = self._samples_max - len(self._samples)
        fresh = await self._model.embed(texts[:lacking]) if lacking > 0 else []
        self._samples += fresh
        return [*fresh, *self._again(len(texts) - len(fresh))]

    def _again(self, count: int) -> list[Embedded]:
        if not count:
            return []
        turns = [divmod(self._given + number, len(self._samples)) for number in range(count)]
        self._given += count
        samples = [self._samples[place] for _, place in turns]
        dense = np.frombuffer(b"".join(one.dense for one in samples), np.float32)
        vectors = dense.reshape(count, -1)
        added = self._random.standard_normal(vectors.shape, np.float32)
        moved = vectors + added * np.float32(_NEARNESS / vectors.shape[1] ** 0.5)
        moved /= np.linalg.norm(moved, axis=1, keepdims=True)
        return [
            Embedded(row.tobytes(), self._turned(one.tokens, before + 1))
            for (before, _), one, row in zip(turns, samples, moved, strict=True)
        ]

    def _turned(self, tokens: bytes, by: int) -> bytes:
        """Return token vectors beginning with a later one, the first ones at the end."""
        cut = by * self.token_dim % max(len(tokens), 1)
        return tokens[cut:] + tokens[:cut]


class Remembering(Changed):
    """Encodes each text once, however often it is written; questions are encoded as ever."""

    def __init__(self, model: Embedder) -> None:
        super().__init__(model)
        self._known: dict[str, Embedded] = {}

    async def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """Return the vectors of texts, in their order."""
        lacking = [text for text in dict.fromkeys(texts) if text not in self._known]
        fresh = await self._model.embed(lacking) if lacking else []
        self._known.update(zip(lacking, fresh, strict=True))
        return [self._known[text] for text in texts]


class WithoutTokens(Changed):
    """Gives a dense vector for each text, and none for its tokens."""

    @property
    def token_dim(self) -> int:
        """See the port."""
        return 0

    async def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """See the port."""
        return [replace(one, tokens=b"") for one in await self._model.embed(texts)]

    async def embed_question(self, question: str) -> EmbeddedQuestion:
        """See the port."""
        return replace(await self._model.embed_question(question), tokens=b"")


class Calibrated(Changed):
    """Reads its score as somebody else says."""

    def __init__(self, model: Embedder, calibration: Calibration) -> None:
        super().__init__(model)
        self._calibration = calibration

    def calibration_of(self, question: str) -> Calibration:
        """See the port."""
        return self._calibration


def model_of(models: Models) -> Embedder:
    """Return the model that gives vectors; whoever measures it has it."""
    assert models.embedder is not None  # noqa: S101
    return models.embedder


def recycled(models: Models) -> Models:
    """Return models of which the embedder is `Recycling`."""
    return replace(models, embedder=Recycling(model_of(models)))
