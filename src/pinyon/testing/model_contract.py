"""What every model promises. Subclass a contract and override its fixture."""

import numpy as np
import pytest

from pinyon.ports.embedder import Embedder
from pinyon.ports.reranker import Reranker


class EmbedderContract:
    """The promises of `pinyon.ports.embedder`, as tests."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def embedder(self) -> Embedder:
        """Return the embedder."""
        raise NotImplementedError("return an embedder")

    async def test_vectors_have_the_promised_shape_and_length(self, embedder: Embedder) -> None:
        short, long = await embedder.embed(["a hub", "the bulbs only show white " * 5])

        for embedded in (short, long):
            dense = np.frombuffer(embedded.dense, np.float32)
            assert dense.shape == (embedder.dim,)
            assert np.linalg.norm(dense) == pytest.approx(1, abs=1e-3)
        if not embedder.token_dim:
            assert (short.tokens, long.tokens) == (b"", b"")
            return
        for embedded in (short, long):
            tokens = np.frombuffer(embedded.tokens, np.int8).reshape(-1, embedder.token_dim)
            lengths = np.linalg.norm(tokens.astype(np.float32) / 127, axis=1)
            assert lengths == pytest.approx(np.ones(len(tokens)), abs=0.05)
        assert len(long.tokens) > len(short.tokens)

    async def test_a_question_has_the_same_shape(self, embedder: Embedder) -> None:
        question = await embedder.embed_question("which hub?")

        assert np.frombuffer(question.dense, np.float32).shape == (embedder.dim,)
        if not embedder.token_dim:
            assert question.tokens == b""
            return
        tokens = np.frombuffer(question.tokens, np.float32).reshape(-1, embedder.token_dim)
        assert np.linalg.norm(tokens, axis=1) == pytest.approx(np.ones(len(tokens)), abs=1e-3)

    async def test_answers_keep_the_order_of_the_texts(self, embedder: Embedder) -> None:
        texts = ["hub " * 40, "dog", "the bulbs are white"]

        together = await embedder.embed(texts)
        alone = [(await embedder.embed([text]))[0] for text in texts]

        for one, other in zip(together, alone, strict=True):
            a, b = np.frombuffer(one.dense, np.float32), np.frombuffer(other.dense, np.float32)
            assert float(a @ b) > 0.99

    async def test_nothing_gives_nothing(self, embedder: Embedder) -> None:
        assert await embedder.embed([]) == []

    async def test_its_name_stays(self, embedder: Embedder) -> None:
        before = embedder.fingerprint
        await embedder.embed(["a hub"])

        assert embedder.fingerprint == before != ""

    async def test_its_calibration_is_one(self, embedder: Embedder) -> None:
        await embedder.embed(["a hub"])
        calibration = embedder.calibration_of("a hub")

        assert calibration.nothing < calibration.everything
        assert 0 < calibration.floor < 1
        assert calibration.relevance(calibration.nothing) == 0
        assert calibration.relevance(calibration.everything) == 1


class RerankerContract:
    """The promises of `pinyon.ports.reranker`, as tests."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def reranker(self) -> Reranker:
        """Return the reranker."""
        raise NotImplementedError("return a reranker")

    async def test_what_answers_scores_higher(self, reranker: Reranker) -> None:
        texts = ["seventeen geese crossed a field", "the white bulbs are in the kitchen"]

        other, answer = await reranker.score("where are the white bulbs?", texts)

        assert answer > other

    async def test_answers_keep_the_order_of_the_texts(self, reranker: Reranker) -> None:
        texts = ["hub " * 40, "dog", "the bulbs are white"]

        together = await reranker.score("white bulbs", texts)
        alone = [(await reranker.score("white bulbs", [text]))[0] for text in texts]

        assert together == pytest.approx(alone, abs=0.5)

    async def test_nothing_gives_nothing(self, reranker: Reranker) -> None:
        assert await reranker.score("white bulbs", []) == []

    async def test_its_name_stays(self, reranker: Reranker) -> None:
        before = reranker.fingerprint
        await reranker.score("white bulbs", ["a hub"])

        assert reranker.fingerprint == before != ""
