"""Every embedder that we ship keeps the same promises."""

import pytest

from pinyon.testing.embedder import HashEmbedder
from pinyon.testing.model_contract import EmbedderContract


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        return HashEmbedder()
