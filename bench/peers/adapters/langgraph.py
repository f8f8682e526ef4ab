"""LangGraph's store in memory: a namespace for each user, keys as its documentation makes them."""

from pathlib import Path
from uuid import uuid4

from embedding import DIMENSIONS, Embedding, Vectors, embedding_in
from langchain_core.embeddings import Embeddings
from langgraph.store.base import BaseStore, IndexConfig
from langgraph.store.memory import InMemoryStore
from stores import Hit, Store

PACKAGES = ("langgraph-checkpoint",)
NOTE = "InMemoryStore, a namespace a user; for development, its documentation says"


class _Embeddings(Embeddings):
    """Our embedding as LangChain takes one; it tells questions from documents."""

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return _lists(self._embedding.texts(texts))

    def embed_query(self, text: str) -> list[float]:
        return _lists(self._embedding.question(text)[None])[0]


class LangGraph(Store):
    """Values with a text, under the namespace of their user."""

    on_disk = False

    def __init__(self, store: BaseStore) -> None:
        self._store = store

    def add(self, user: str, text: str) -> str:
        memory = str(uuid4())
        self._store.put(_of(user), memory, {"text": text})
        return memory

    def search(self, user: str, question: str, k: int) -> list[Hit]:
        came = self._store.search(_of(user), query=question, limit=k)
        return [Hit(item.key, item.value["text"], item.score or 0.0) for item in came]

    def update(self, user: str, memory: str, text: str) -> None:
        self._store.put(_of(user), memory, {"text": text})

    def get(self, user: str, memory: str) -> str | None:
        item = self._store.get(_of(user), memory)
        return None if item is None else item.value["text"]

    def delete(self, user: str, memory: str) -> None:
        self._store.delete(_of(user), memory)


def index_of(weights: Path) -> IndexConfig:
    """Return how texts are indexed."""
    embed = _Embeddings(embedding_in(weights))
    return {"dims": DIMENSIONS, "embed": embed, "fields": ["text"]}


def open_store(home: Path, *, weights: Path) -> Store:
    """Return an empty store."""
    return LangGraph(InMemoryStore(index=index_of(weights)))


def _of(user: str) -> tuple[str, ...]:
    # A label of a namespace may not have a dot in it.
    return ("memories", user.replace(".", "-"))


def _lists(vectors: Vectors) -> list[list[float]]:
    lists: list[list[float]] = vectors.tolist()
    return lists
