"""The models that a client works with, as one value."""

from dataclasses import dataclass

from pinyon.ports.embedder import Embedder
from pinyon.ports.judge import Judge
from pinyon.ports.reranker import Reranker


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """What is there; without any, memory goes by words."""

    embedder: Embedder | None = None
    reranker: Reranker | None = None
    judge: Judge | None = None


NO_MODELS = Models()
