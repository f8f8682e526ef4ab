"""Models that read a question and a text together, and say how well the one answers the other."""

from collections.abc import Sequence
from typing import Protocol

from pinyon.domain.calibration import Calibration


class Reranker(Protocol):
    """Scores pairs; it is loaded when it is first used, and never blocks the loop.

    What each method promises is written as tests in `pinyon.testing.model_contract`.
    """

    @property
    def fingerprint(self) -> str:
        """Name of exactly these weights and this way of using them."""

    @property
    def calibration(self) -> Calibration:
        """How its score reads. It has no floor: it orders what was found, and refuses nothing."""

    def knows(self, text: str) -> bool:
        """Return whether the model was made for the script that a text is written in."""

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return for each text how well it answers the question; greater is better.

        Raises:
            ModelUnavailable: The model cannot be loaded or fails.
        """
