"""Models that turn text into vectors: one for the whole, and one small one for each token."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pinyon.domain.calibration import Calibration


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of a text.

    Attributes:
        dense: float32 (dim,), L2-normalised, as bytes.
        tokens: int8 (n, token_dim): L2-normalised vectors times 127, row-major, as bytes; empty
            where the model has none.
    """

    dense: bytes
    tokens: bytes


@dataclass(frozen=True, slots=True)
class EmbeddedQuestion:
    """The vectors of a question.

    Attributes:
        dense: float32 (dim,), L2-normalised, as bytes.
        tokens: float32 (n, token_dim), each row L2-normalised, row-major, as bytes; empty where
            the model has none for it, and it is compared as a whole.
        content: Which tokens belong to words that say what it is about, uint8 (n,), 1 or 0, as
            bytes; empty where the model does not say, and all count alike.
    """

    dense: bytes
    tokens: bytes
    content: bytes = b""


class Embedder(Protocol):
    """Embeds texts and questions; it is loaded when it is first used, and never blocks the loop.

    What each method promises is written as tests in `pinyon.testing.model_contract`.
    """

    @property
    def fingerprint(self) -> str:
        """Name of exactly these weights and this way of using them; vectors of two never meet.

        Known once something was embedded; asked for before that, it may take as long as that.

        Raises:
            ModelUnavailable: It is not known, and cannot be found out.
        """

    @property
    def dim(self) -> int:
        """Length of a dense vector; known once something was embedded."""

    @property
    def token_dim(self) -> int:
        """Length of a token vector; 0 for a model that has dense vectors only."""

    def calibration_of(self, question: str) -> Calibration:
        """Return how its score of a question reads; known once something was embedded.

        The score is the mean best cosine of a question's tokens; where it has none, the cosine.
        """

    def knows(self, text: str) -> bool:
        """Return whether the model was made for the script that a text is written in."""

    async def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """Return the vectors of texts, in their order.

        Raises:
            ModelUnavailable: The model cannot be loaded or fails.
        """

    async def embed_question(self, question: str) -> EmbeddedQuestion:
        """Return the vectors of a question.

        Raises:
            ModelUnavailable: The model cannot be loaded or fails.
        """
