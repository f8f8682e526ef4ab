"""The default model: late interaction. One pass gives token vectors, and their mean."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from pinyon.domain.calibration import Calibration
from pinyon.models.locate import Weights
from pinyon.models.onnx import Floats, Mask, OnnxModel
from pinyon.ports.embedder import Embedded, EmbeddedQuestion
from pinyon.ranking.maxsim import SCALE, product
from pinyon.text.content import content_spans
from pinyon.text.scripts import is_mostly_latin

DIM = 384
TOKEN_DIM = 96
QUESTION_TOKENS_MAX = 128
"""A question's tokens beyond these are not matched one by one: it rambles, and they would cost."""


class LateInteractionModel:
    """answerai-colbert-small-v1, int8, through onnxruntime. See `pinyon.ports.embedder.Embedder`.

    Token vectors are made small by a fixed matrix, the model's companion: (384, 96).
    """

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._model = OnnxModel(weights)
        self._projection: Floats | None = None

    @property
    def fingerprint(self) -> str:
        """See the port."""
        return self._model.fingerprint

    @property
    def dim(self) -> int:
        """See the port."""
        return DIM

    @property
    def token_dim(self) -> int:
        """See the port."""
        return TOKEN_DIM

    def calibration_of(self, question: str) -> Calibration:
        """See the port.

        Source: `bench/calibrate.py` on five long chats and the bundled corpus, 1,167 answered
        questions and 50 foreign ones, of which the floor refuses 96 in a hundred; it costs 0.2
        points of recall@10, and 1.3 on the corpus alone, where a sixth of the questions shares no
        word with what answers. Held against the score alone it would refuse 91. What words count:
        recall@10 on those chats 83.4 at 0.14, 83.4 at 0.18, 83.0 at 0.23; on the English part of
        the corpus 94.6, 94.6, 93.9.
        """
        return Calibration(
            nothing=0.74, everything=0.95, floor=0.16, words=0.14, unknown=0.15, content=(0.6, 0.95)
        )

    def knows(self, text: str) -> bool:
        """Return whether a text is mostly in Latin letters, which the model was made for."""
        return is_mostly_latin(text)

    async def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """See the port."""
        return await self._model.many(texts, self._embedded)

    async def embed_question(self, question: str) -> EmbeddedQuestion:
        """See the port."""
        about = bytearray(len(question))
        for start, end in content_spans(question):
            about[start:end] = b"\1" * (end - start)
        return await self._model.one(question, partial(self._embedded_question, about))

    # Both are called in a worker thread.

    def _embedded(self, output: Floats, kept: Mask, taken: Any) -> Embedded:
        full, small = self._vectors(output, kept)
        tokens = np.round(small * SCALE).astype(np.int8)
        return Embedded(_mean(full).tobytes(), tokens.tobytes())

    def _embedded_question(
        self, about: bytearray, output: Floats, kept: Mask, taken: Any
    ) -> EmbeddedQuestion:
        full, small = self._vectors(output, kept)
        offsets = zip(taken.offsets, kept, strict=True)
        # What the model adds by itself lies nowhere in the question.
        content = bytes(
            start < end and about[start] for (start, end), is_kept in offsets if is_kept
        )
        return EmbeddedQuestion(
            _mean(full).tobytes(),
            small[:QUESTION_TOKENS_MAX].tobytes(),
            content[:QUESTION_TOKENS_MAX],
        )

    def _vectors(self, output: Floats, kept: Mask) -> tuple[Floats, Floats]:
        """Return unit-length token vectors, whole and projected: float32 (n, 384) and (n, 96)."""
        if self._projection is None:
            assert self._weights.projection is not None  # noqa: S101 - it is found with one
            self._projection = np.load(self._weights.projection)
        full = _unit(output[kept])
        return full, _unit(product(full, self._projection))


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Floats = (vectors / np.maximum(lengths, 1e-9)).astype(np.float32)
    return unit


def _mean(tokens: Floats) -> Floats:
    return _unit(tokens.mean(axis=0))
