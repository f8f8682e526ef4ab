"""The model of quality `best`: a cross-encoder, which reads question and text together."""

from collections.abc import Sequence
from typing import Any

from pinyon.domain.calibration import Calibration
from pinyon.models.locate import Weights
from pinyon.models.onnx import Floats, Mask, OnnxModel
from pinyon.text.scripts import is_mostly_latin

QUESTION_CHARS_MAX = 600
"""Of a long question, so that the text that it is read with keeps its place."""


class CrossEncoder:
    """ms-marco-MiniLM-L-12-v2, int8, through onnxruntime. See `pinyon.ports.reranker.Reranker`."""

    def __init__(self, weights: Weights) -> None:
        self._model = OnnxModel(weights)

    @property
    def fingerprint(self) -> str:
        """See the port."""
        return self._model.fingerprint

    @property
    def calibration(self) -> Calibration:
        """See the port.

        Source: five long chats, nDCG@10 of quality `best` with 20 candidates 69.2 read as a
        straight line over the range of its scores, 69.7 by the logistic function.
        """
        return Calibration(nothing=-6.0, everything=12.0, floor=0.0, is_logit=True)

    def knows(self, text: str) -> bool:
        """Return whether a text is mostly in Latin letters, which the model was made for."""
        return is_mostly_latin(text)

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """See the port."""
        asked = question[:QUESTION_CHARS_MAX]
        return await self._model.many([(asked, text) for text in texts], _logit)


def _logit(output: Floats, kept: Mask, taken: Any) -> float:
    return float(output[0])
