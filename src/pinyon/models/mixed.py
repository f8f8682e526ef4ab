"""Two models in one: each text goes to the one that was made for its script."""

from collections.abc import Sequence

from pinyon.domain.calibration import Calibration
from pinyon.errors import ModelUnavailable
from pinyon.ports.embedder import Embedded, EmbeddedQuestion, Embedder

REST = Calibration(nothing=0.8, everything=0.96, floor=0.27, words=0.35)
"""How the multilingual model's cosines read where it is asked within one language.

Beside a first model it never sees a question in that one's script, and so no memory in it either.

Source: Chinese diaries, paragraphs and the bundled corpus. The floor refuses 24 of 25 foreign
questions and costs no answer. What words count: recall@10 on the corpus 94.1 at 0.35, 92.8 at 0.5,
92.1 at 0.65; recall@1 on paragraphs 94.8, 95.0, 95.0; recall@5 on diaries 88.2, 88.4, 88.6.
"""


class MixedModel:
    """A first model for the texts that it knows, another for the rest. See the port.

    Their vectors lie in one index, and still never meet: a question is encoded by one of the two,
    and what the other made has a cosine near 0 with it, far below what reads as nothing.
    """

    def __init__(self, first: Embedder, rest: Embedder) -> None:
        self._first, self._rest = first, rest

    @property
    def fingerprint(self) -> str:
        """See the port."""
        return f"{self._first.fingerprint}+{self._rest.fingerprint}"

    @property
    def dim(self) -> int:
        """See the port.

        Raises:
            ModelUnavailable: The two do not agree.
        """
        dims = self._first.dim, self._rest.dim
        if dims[0] != dims[1]:
            raise ModelUnavailable(
                self.fingerprint, f"their vectors are {dims[0]} and {dims[1]} long"
            )
        return dims[0]

    @property
    def token_dim(self) -> int:
        """See the port."""
        return self._first.token_dim

    def calibration_of(self, question: str) -> Calibration:
        """See the port."""
        return self._first.calibration_of(question) if self._first.knows(question) else REST

    def knows(self, text: str) -> bool:
        """See the port."""
        return self._first.knows(text) or self._rest.knows(text)

    async def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """See the port."""
        known = [text for text in texts if self._first.knows(text)]
        other = [text for text in texts if not self._first.knows(text)]
        first = iter(await self._first.embed(known) if known else ())
        rest = iter(await self._rest.embed(other) if other else ())
        return [next(first if self._first.knows(text) else rest) for text in texts]

    async def embed_question(self, question: str) -> EmbeddedQuestion:
        """See the port."""
        model = self._first if self._first.knows(question) else self._rest
        return await model.embed_question(question)
