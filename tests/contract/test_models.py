import pytest

from pinyon.testing.embedder import HashEmbedder, HashReranker
from pinyon.testing.model_contract import EmbedderContract, RerankerContract


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        return HashEmbedder()


class TestHashEmbedderWithoutTokens(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        return HashEmbedder(has_tokens=False)


class TestHashReranker(RerankerContract):
    @pytest.fixture
    def reranker(self):
        return HashReranker()
